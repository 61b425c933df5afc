import type { IHttpConfig, IHttpRequest, IHttpResponse, PrismHttpComponents } from '@stoplight/prism-http';
import { describeViolation, type Violation } from '../engine/violation.ts';
import type { Headers } from '../http/http.ts';
import type { Refusal, Reply } from '../operations/reply.ts';
import type { Endpoint } from '../operations/router.ts';

const left = <Value>(value: Value) => ({ _tag: 'Left', left: value }) as const;

const right = <Value>(value: Value) => ({ _tag: 'Right', right: value }) as const;

const UNKNOWN = left(new Error('The document has no such operation.'));

const KNOWN = right({ id: '', method: '', path: '', responses: [] });

const reportDiagnostics: PrismHttpComponents['validateInput'] = ({ element }) => {
  const [first, ...others] = (element as PrismRequest).diagnostics ?? [];
  return first ? left([first, ...others]) : right(element);
};

// Prism logs one or two lines per request. This logger ignores them.
const ignore = () => undefined;

const levels = ['trace', 'debug', 'info', 'success', 'warn', 'error', 'fatal'];

const logger: Record<string, unknown> = Object.fromEntries(levels.map((level) => [level, ignore]));

logger.child = () => logger;

const PARTS = /([\w-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,;]+)))?/g;

export const LONGEST_DELAY = 600_000;

type CheckedRequest = {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Headers;
  readonly violations: readonly Violation[];
  readonly isValid: boolean;
  /** Runs the operation, or refuses the request because of its violations. */
  forward(): Promise<Reply>;
};

/** Creates Prism's pipeline. It answers with the preferred example, or forwards. */
export function createPipeline(
  document: () => object,
  writeRefusal: (refusal: Refusal) => Reply,
  /** Changes a response that Prism generates. */
  finish: (example: Reply, endpoint: Endpoint) => Reply,
): (request: CheckedRequest) => Promise<Reply> {
  const prism = createPrism(document, CONFIG);
  return async ({ endpoint, forward, headers, isValid, path, violations }) => {
    const preference = readPreference(headers.prefer);
    if (preference === 'malformed') return writeRefusal(MALFORMED);
    // An invalid request gets its refusal, even if it prefers an example.
    const wantsExample = preference !== undefined && isValid;
    const request = {
      method: endpoint.method,
      url: { path },
      // Only examples use the headers.
      headers: wantsExample ? { ...headers } : {},
      endpoint,
      forward,
      diagnostics: violations.map((one) => ({ message: describeViolation(one), severity: 0 })),
    };
    try {
      const forwarded = violations.length > 0 ? CONFIG : WITHOUT_VIOLATIONS;
      const config = wantsExample ? { ...CONFIG, isProxy: false as const, mock: preference } : forwarded;
      const output = (await prism(request, config)).output as Reply | IHttpResponse;
      if ('status' in output) return output;
      const { statusCode: status, headers: documented = {}, body } = output;
      const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
      return finish({ status, headers: documented, body: text }, endpoint);
    } catch (error) {
      const { detail, message, status } = error as Error & { status?: unknown; detail?: unknown };
      // Errors of Prism have a status, such as for an undocumented `Prefer: code`.
      if (typeof status !== 'number') throw error;
      const code = wantsExample ? preference.code : undefined;
      if (code === undefined) return writeRefusal({ status, detail: `${message}. ${detail}` });
      // The request can also ask for a status that the document does not have.
      const asked = `The request asked for this response with Prefer: code=${code}.`;
      return writeRefusal({ status: code, detail: asked });
    }
  };
}

// In the mode "proxy", Prism calls `forward`. It never contacts the upstream, which must be a URL.
const CONFIG = {
  isProxy: true as const,
  upstream: new URL('http://engine.invalid'),
  upstreamProxy: undefined,
  mock: { dynamic: false as const },
  errors: true,
  validateRequest: true,
  // The suite checks responses. The engine and the document come from the same catalogue.
  validateResponse: false,
  checkSecurity: false,
};

/** For a request without violations, which Prism forwards at once. */
const WITHOUT_VIOLATIONS = { ...CONFIG, errors: false };

const MALFORMED: Refusal = {
  status: 422,
  detail:
    'The Prefer header is malformed. Use code=STATUS with a status from 200 to 599, example=NAME, or dynamic=true.',
};

/** The method and path of an operation in the document. */
type PrismEndpoint = Pick<Endpoint, 'method' | 'template'>;

type PrismRequest = IHttpRequest & {
  readonly endpoint: PrismEndpoint;
  /** The violations of the request. */
  readonly diagnostics?: Parameters<PrismHttpComponents['forward']>[0]['validations'];
  /** Called once, after the check. */
  forward(): Promise<Reply | IHttpResponse>;
};

/**
 * Creates Prism. Its checks and examples, which take long to load, are loaded on first use. The output of a request is
 * the result of `forward`, or an example of Prism. Rejects with the errors of either.
 */
function createPrism(document: () => object, config: IHttpConfig) {
  // Prism passes on the same request object.
  const own = (request: IHttpRequest) => request as PrismRequest & Routed;
  const parts: Pick<PrismHttpComponents, 'route' | 'forward' | 'logger'> & Partial<PrismHttpComponents> = {
    logger,
    validateInput: reportDiagnostics,
    route: ({ input }) => own(input).operation,
    // Prism expects a function of a logger. It returns a function that returns a promise of an Either.
    forward:
      ({ data }) =>
      () =>
      async () =>
        right((await own(data).forward()) as IHttpResponse),
  };
  const pipeline = loadPipeline();
  let whole: ReturnType<typeof loadWhole> | undefined;
  return async (request: PrismRequest, chosen = config) => {
    // Only examples and Prism's checks use the operation.
    const isLookedAt = chosen.validateResponse || !chosen.isProxy;
    const [instance, operation] = isLookedAt
      ? await find(request.endpoint)
      : // Prism forwards a request without a known operation at once, which takes half as long.
        [await pipeline, request.diagnostics?.length ? KNOWN : UNKNOWN];
    const sent: IHttpRequest & Routed = { ...request, operation };
    const answered = await instance.request(sent, [], chosen)();
    if (answered._tag === 'Left') throw answered.left;
    return answered.right;
  };

  async function loadPipeline() {
    // The package's entry also loads an unused logger, which takes as long.
    const { factory } = await import('@stoplight/prism-core/dist/factory.js');
    // With defaults, Prism would complete the config of each request.
    return factory<Operation, IHttpRequest, IHttpResponse, IHttpConfig>(
      {} as IHttpConfig,
      parts as PrismHttpComponents,
    );
  }

  async function find({ method, template }: PrismEndpoint) {
    whole ??= loadWhole();
    const { instance, operations } = await whole;
    return [instance, operations.get(`${method} ${template}`) ?? UNKNOWN] as const;
  }

  async function loadWhole() {
    const { createInstance, getHttpOperationsFromSpec } = await import('@stoplight/prism-http');
    // A copy, because Prism resolves references in place.
    const operations = await getHttpOperationsFromSpec(structuredClone(document()));
    return {
      instance: createInstance(config, parts),
      operations: new Map(operations.map((one) => [`${one.method} ${one.path}`, right(one)])),
    };
  }
}

/**
 * Runs Prism's proxy mode, which checks a response. Calls `forward` for it once. Returns the violations, each with its
 * location, such as `response.body.lines.0.units`. Never rejects: the caller has the error of `forward`.
 */
export function createInspect(document: () => object) {
  const prism = createPrism(document, { ...CONFIG, errors: false, validateResponse: true });
  return async (
    endpoint: PrismEndpoint & { readonly path: string },
    forward: () => Promise<IHttpResponse>,
  ) => {
    const { method, path } = endpoint;
    try {
      const { validations } = await prism({ method, url: { path }, endpoint, forward });
      return validations.output.map(({ message, path = [] }) => ({
        location: ['response', ...path].join('.'),
        message,
      }));
    } catch (error) {
      // Prism throws at some things it can't read.
      const message = `The response could not be checked: ${(error as Error).message}`;
      return [{ location: 'response', message }];
    }
  };
}

type Operation = Parameters<PrismHttpComponents['validateInput']>[0]['resource'];

type Routed = { readonly operation: ReturnType<PrismHttpComponents['route']> };

/** The preferred documented response, with Prism's names. */
type Preference = {
  readonly dynamic: boolean;
  readonly mediaTypes: string[];
  readonly code?: number;
  readonly exampleKey?: string;
  readonly seed?: string;
};

/** Reads the preferences of Prism in a Prefer header (RFC 7240); undefined for none. */
function readPreference(header: string | undefined): Preference | 'malformed' | undefined {
  if (header === undefined) return undefined;
  const { code, dynamic: isDynamic = 'false', example, seed } = readParts(header);
  if (!/^[2-5]\d\d$/.test(code ?? '200') || !/^(true|false)$/.test(isDynamic)) return 'malformed';
  const dynamic = isDynamic === 'true';
  if (code === undefined && example === undefined && !dynamic) return undefined;
  return {
    dynamic,
    // Otherwise, `Accept: application/json` would turn a 404 of application/problem+json into a 200.
    mediaTypes: ['application/json', 'application/problem+json', '*/*'],
    ...(code === undefined ? {} : { code: Number(code) }),
    ...(example === undefined ? {} : { exampleKey: example }),
    ...(seed === undefined ? {} : { seed }),
  };
}

/** Returns the fault in a Prefer header: `delay=800` in milliseconds, `drop`, `drop=after`, or `drop=mid-body`. */
export function readFaultPreference(
  header: string,
): { readonly delay?: number; readonly drop?: 'before' | 'after' | 'mid-body' } | undefined {
  const { delay, drop } = readParts(header);
  const hasDelay = delay !== undefined && /^\d{1,6}$/.test(delay) && Number(delay) <= LONGEST_DELAY;
  const place = drop === '' ? 'before' : drop;
  const isPlace = place === 'before' || place === 'after' || place === 'mid-body';
  if (!hasDelay && !isPlace) return undefined;
  return { ...(hasDelay && { delay: Number(delay) }), ...(isPlace && { drop: place }) };
}

function readParts(header: string): Readonly<Record<string, string | undefined>> {
  const parts = [...header.matchAll(PARTS)];
  return Object.fromEntries(
    parts.map(([, name = '', quoted, plain = '']) => [name.toLowerCase(), quoted ?? plain]),
  );
}
