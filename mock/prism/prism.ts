import type {
  IHttpConfig,
  IHttpProxyConfig,
  IHttpRequest,
  IHttpResponse,
  PrismHttpComponents,
} from '@stoplight/prism-http';
import { describeViolation, type Violation } from '../engine/violation.ts';
import type { Headers } from '../http/http.ts';
import type { Refusal, Reply } from '../operations/reply.ts';
import type { Endpoint } from '../operations/router.ts';

const left = <Value>(value: Value) => ({ _tag: 'Left', left: value }) as const;

const right = <Value>(value: Value) => ({ _tag: 'Right', right: value }) as const;

const UNKNOWN = left(new Error('The document has no such operation.'));

const KNOWN = right({ id: '', method: '', path: '', responses: [] });

const reportDiagnostics: PrismHttpComponents['validateInput'] = ({ element }) => {
  const [first, ...others] = (element as PrismRequest<unknown>).diagnostics ?? [];
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
  const prism = createPrism<Reply>(document, CONFIG);
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
      const { output } = await prism(request, config);
      if ('status' in output) return output;
      const { statusCode, headers: documented = {}, body } = output;
      return finish(
        {
          status: statusCode,
          headers: documented,
          body: typeof body === 'string' ? body : (JSON.stringify(body) ?? ''),
        },
        endpoint,
      );
    } catch (error) {
      const refusal = refusalOf(error);
      // The request can also ask for a status that the document does not have.
      const status = wantsExample ? preference.code : undefined;
      return writeRefusal(
        status === undefined
          ? refusal
          : { status, detail: `The request asked for this response with Prefer: code=${status}.` },
      );
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

/** Returns the refusal for an error of Prism with a status, such as an undocumented `Prefer: code`. Throws others. */
function refusalOf(error: unknown): Refusal {
  const { detail, message, status } = error as Error & { status?: unknown; detail?: unknown };
  if (typeof status !== 'number') throw error;
  return { status, detail: `${message}. ${detail}` };
}

/** The method and path of an operation in the document. */
type PrismEndpoint = Pick<Endpoint, 'method' | 'template'>;

type PrismDiagnostic = Parameters<PrismHttpComponents['forward']>[0]['validations'][number];

type PrismRequest<Output> = IHttpRequest & {
  readonly endpoint: PrismEndpoint;
  /** The violations of the request. */
  readonly diagnostics?: readonly PrismDiagnostic[];
  /** Called once, after the check. */
  forward(): Promise<Output>;
};

/** `output` is the result of `forward`, or an example of Prism. Rejects with the errors of either. */
type Prism<Output> = (
  request: PrismRequest<Output>,
  config?: IHttpConfig,
) => Promise<{
  readonly output: Output | IHttpResponse;
  readonly validations: { readonly output: PrismDiagnostic[] };
}>;

/** Creates Prism. Its checks and examples, which take long to load, are loaded on first use. */
function createPrism<Output>(document: () => object, config: IHttpProxyConfig): Prism<Output> {
  // Prism passes on the same request object.
  const own = (request: IHttpRequest) => request as PrismRequest<Output> & Routed;
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
  return async (request, chosen) => {
    // Only examples and Prism's checks use the operation.
    const isLookedAt = config.validateResponse || chosen?.isProxy === false;
    const [instance, operation] = isLookedAt
      ? await find(request.endpoint)
      : // Prism forwards a request without a known operation at once, which takes half as long.
        [await pipeline, request.diagnostics?.length ? KNOWN : UNKNOWN];
    const sent: IHttpRequest & Routed = { ...request, operation };
    const answered = await instance.request(sent, [], chosen ?? config)();
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

/** A violation that Prism finds: the pointer to it in the response, such as `body`, `lines`, `0`, `units`. */
type ResponseViolation = { readonly location: readonly string[]; readonly message: string };

/** Checks a response, and calls `forward` for it once. Never rejects: the caller has its error. */
type Inspect = (
  request: PrismEndpoint & { readonly path: string },
  forward: () => Promise<{ statusCode: number; headers: Record<string, string>; body: unknown }>,
) => Promise<ResponseViolation[]>;

/** Runs Prism's proxy mode, which checks the response. The caller forwards. */
export function createInspect(document: () => object): Inspect {
  const prism = createPrism<Awaited<ReturnType<Parameters<Inspect>[1]>>>(document, INSPECTION);
  return async (endpoint, forward) => {
    const { method, path } = endpoint;
    try {
      const { validations } = await prism({ method, url: { path }, endpoint, forward });
      return validations.output.map(({ message, path = [] }) => ({
        location: ['response', ...path.map(String)],
        message,
      }));
    } catch (error) {
      // Prism throws at some things it can't read.
      const message = `The response could not be checked: ${(error as Error).message}`;
      return [{ location: ['response'], message }];
    }
  };
}

const INSPECTION = { ...CONFIG, errors: false, validateResponse: true };

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
  const asked = readParts(header);
  const code = asked.get('code');
  const example = asked.get('example');
  const seed = asked.get('seed');
  if (!/^[2-5]\d\d$/.test(code ?? '200') || !/^(true|false)$/.test(asked.get('dynamic') ?? 'true'))
    return 'malformed';
  const dynamic = asked.get('dynamic') === 'true';
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
  const asked = readParts(header);
  const [delay, drop] = [asked.get('delay'), asked.get('drop')];
  const hasDelay = delay !== undefined && /^\d{1,6}$/.test(delay) && Number(delay) <= LONGEST_DELAY;
  const place = drop === '' ? 'before' : drop;
  const isPlace = place === 'before' || place === 'after' || place === 'mid-body';
  if (!hasDelay && !isPlace) return undefined;
  return { ...(hasDelay && { delay: Number(delay) }), ...(isPlace && { drop: place }) };
}

function readParts(header: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of header.matchAll(PARTS))
    parts.set(name.toLowerCase(), quoted ?? plain);
  return parts;
}
