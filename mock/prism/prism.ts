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

// "Proxy" is the mode that calls `forward`; the upstream is never contacted, but has to be a URL.
export const PROXY_MODE = {
  isProxy: true,
  upstream: new URL('http://engine.invalid'),
  upstreamProxy: undefined,
  mock: { dynamic: false },
} as const satisfies Partial<IHttpProxyConfig>;

const left = <Value>(value: Value) => ({ _tag: 'Left', left: value }) as const;

const right = <Value>(value: Value) => ({ _tag: 'Right', right: value }) as const;

const UNKNOWN = left(new Error('The document has no such operation.'));

const KNOWN = right({ id: '', method: '', path: '', responses: [] });

const reportDiagnostics: PrismHttpComponents['validateInput'] = ({ element }) => {
  const [first, ...others] = (element as PrismRequest<unknown>).diagnostics ?? [];
  return first ? left([first, ...others]) : right(element);
};

const notLoaded = () => {
  throw new Error('Prism was called for an operation that it was not given.');
};

const NOT_LOADED = {
  validateInput: notLoaded,
  validateOutput: notLoaded,
  validateSecurity: notLoaded,
  mock: notLoaded,
};

// Prism writes one or two lines for every request. This logger is its own child and costs nothing.
const ignore = () => undefined;

const levels = ['trace', 'debug', 'info', 'success', 'warn', 'error', 'fatal'];

const logger: Record<string, unknown> = Object.fromEntries(levels.map((level) => [level, ignore]));

logger.child = () => logger;

const PARTS = /([\w-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,;]+)))?/g;

const LONGEST_DELAY = 600_000;

/** A request to an operation, read and checked. */
export type CheckedRequest = {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Headers;
  readonly violations: readonly Violation[];
  /** Whether nothing at all is wrong with it. */
  readonly isValid: boolean;
  /** Does what is asked, or refuses it for its violations. */
  forward(): Promise<Reply>;
};

/**
 * Prism's pipeline over our own parts. It takes a checked request to an example where one is preferred, else forward. It
 * rejects only when `forward` does.
 */
export async function createPipeline(
  document: () => object,
  writeRefusal: (refusal: Refusal) => Reply,
  /** What is made of an answer that Prism gives itself. */
  finish: (example: Reply, endpoint: Endpoint) => Reply,
): Promise<(request: CheckedRequest) => Promise<Reply>> {
  const prism = await createPrism<Reply>(document, CONFIG);
  return async ({ endpoint, forward, headers, isValid, path, violations }) => {
    const preference = readPreference(headers.prefer);
    if (preference === 'malformed') return writeRefusal(MALFORMED);
    // A request that is wrong gets the answer it deserves, whatever it prefers.
    const wantsExample = preference !== undefined && isValid;
    const request = {
      method: endpoint.method,
      url: { path },
      // Only the examples look at them.
      headers: wantsExample ? { ...headers } : {},
      endpoint,
      forward,
      diagnostics: violations.map(toDiagnostic),
    };
    try {
      const forwarded = violations.length > 0 ? CONFIG : WITHOUT_VIOLATIONS;
      const config = wantsExample ? { ...CONFIG, isProxy: false as const, mock: preference } : forwarded;
      const { output } = await prism(request, config);
      if ('status' in output) return output;
      const { statusCode, headers: documented = {}, body } = output;
      return finish({ status: statusCode, headers: documented, body: toText(body) }, endpoint);
    } catch (error) {
      const refusal = refusalOf(error);
      // A status that the document does not have is wanted all the same.
      const status = wantsExample ? preference.code : undefined;
      return writeRefusal(status === undefined ? refusal : { status, detail: asPreferred(status) });
    }
  };
}

const CONFIG = {
  ...PROXY_MODE,
  errors: true,
  validateRequest: true,
  // What the engine answers is made from the same catalogue as the document; a check of it is the suite's work.
  validateResponse: false,
  checkSecurity: false,
};

/** There is nothing that Prism could refuse: it forwards the request at once. */
const WITHOUT_VIOLATIONS = { ...CONFIG, errors: false };

const MALFORMED: Refusal = {
  status: 422,
  detail:
    'The Prefer header is malformed. Use code=STATUS with a status from 200 to 599, example=NAME, or dynamic=true.',
};

function asPreferred(status: number): string {
  return `The request asked for this response with Prefer: code=${status}.`;
}

function toDiagnostic(violation: Violation): PrismDiagnostic {
  return { message: describeViolation(violation), severity: 0 };
}

function toText(body: unknown): string {
  if (body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Prism's own errors carry a status: an undocumented `Prefer: code`, say. Others are no fault of the client. */
function refusalOf(error: unknown): Refusal {
  const { detail, message, status } = error as Error & { status?: unknown; detail?: unknown };
  if (typeof status !== 'number') throw error;
  return { status, detail: `${message}. ${detail}` };
}

/** Where the document has an operation. */
export type PrismEndpoint = { readonly method: string; readonly template: string };

/** What Prism finds wrong with one side of an exchange. */
export type PrismDiagnostic = Parameters<PrismHttpComponents['forward']>[0]['validations'][number];

/** A request on its way through the pipeline. */
type PrismRequest<Output> = IHttpRequest & {
  /** Absent for what is not in the document. */
  readonly endpoint?: PrismEndpoint | undefined;
  /** What is wrong with the request, where Prism is not to find out itself. */
  readonly diagnostics?: readonly PrismDiagnostic[];
  /** Called once, after the check. */
  forward(): Promise<Output>;
};

/** `output` is what `forward` gave, or an example of Prism's own. Rejects with the errors of either. */
type Prism<Output> = (
  request: PrismRequest<Output>,
  config?: IHttpConfig,
) => Promise<{
  readonly output: Output | IHttpResponse;
  readonly validations: { readonly input: PrismDiagnostic[]; readonly output: PrismDiagnostic[] };
}>;

/**
 * Prism for a document. Most requests need its pipeline alone, which loads in an eighth of the time; its own checks and
 * examples, and its form of the document, are loaded when a request first needs them.
 */
export async function createPrism<Output>(
  document: () => object,
  config: IHttpProxyConfig,
): Promise<Prism<Output>> {
  // Prism hands on the very request that it is given.
  const own = (request: IHttpRequest) => request as PrismRequest<Output> & Routed;
  const parts: Pick<PrismHttpComponents, 'route' | 'forward' | 'logger'> & Partial<PrismHttpComponents> = {
    logger,
    route: ({ input }) => own(input).operation,
    // Prism wants a function of a logger that gives a function that gives a promise of an Either.
    forward:
      ({ data }) =>
      () =>
      async () =>
        right((await own(data).forward()) as IHttpResponse),
  };
  if (!config.validateResponse) parts.validateInput = reportDiagnostics;
  // Beside it stands a logger that takes as long to load, and that nobody asks.
  const { factory } = await import('@stoplight/prism-core/dist/factory.js');
  // With defaults Prism would look for what is missing at each request, and write it into what it is given.
  const pipeline = factory<Operation, IHttpRequest, IHttpResponse, IHttpConfig>({} as IHttpConfig, {
    ...NOT_LOADED,
    ...parts,
  });
  let whole: ReturnType<typeof loadWhole> | undefined;
  return async (request, chosen) => {
    // Only examples and Prism's own checks look at the operation.
    const isLookedAt = config.validateResponse || chosen?.isProxy === false;
    const [instance, operation] = isLookedAt
      ? await find(request.endpoint)
      : [pipeline, operationFor(request)];
    const sent: IHttpRequest & Routed = { ...request, operation };
    const answered = await instance.request(sent, [], chosen ?? config)();
    if (answered._tag === 'Left') throw answered.left;
    return answered.right;
  };

  async function find(endpoint: PrismEndpoint | undefined) {
    whole ??= loadWhole();
    const { instance, operations } = await whole;
    return [
      instance,
      (endpoint && operations.get(`${endpoint.method} ${endpoint.template}`)) ?? UNKNOWN,
    ] as const;
  }

  async function loadWhole() {
    const { createInstance, getHttpOperationsFromSpec } = await import('@stoplight/prism-http');
    // Prism resolves references in place and makes objects shared: it gets a copy.
    const operations = await getHttpOperationsFromSpec(structuredClone(document()));
    return {
      instance: createInstance(config, parts),
      operations: new Map(operations.map((one) => [`${one.method} ${one.path}`, right(one)])),
    };
  }
}

type Operation = Parameters<PrismHttpComponents['validateInput']>[0]['resource'];

/** Where Prism takes a request to. */
type Routed = { readonly operation: ReturnType<PrismHttpComponents['route']> };

/**
 * Prism forwards at once what is for no operation that it knows, and takes half as long for it. So it is told of one only
 * where it has violations to refuse the request for.
 */
function operationFor({ diagnostics = [] }: PrismRequest<unknown>): Routed['operation'] {
  return diagnostics.length > 0 ? KNOWN : UNKNOWN;
}

/** Which documented answer is wanted, in the names that Prism gives to it. */
type Preference = {
  readonly dynamic: boolean;
  readonly mediaTypes: string[];
  readonly code?: number;
  readonly exampleKey?: string;
  readonly seed?: string;
};

/**
 * Reads a Prefer header (RFC 7240) as users know it from Prism: `code`, `example`, `dynamic`, `seed`. Undefined
 * when it asks for none of them.
 */
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
    // Without these `Accept: application/json` would turn a 404 of application/problem+json into a 200.
    mediaTypes: ['application/json', 'application/problem+json', '*/*'],
    ...(code === undefined ? {} : { code: Number(code) }),
    ...(example === undefined ? {} : { exampleKey: example }),
    ...(seed === undefined ? {} : { seed }),
  };
}

/** The fault that a Prefer header asks for: `delay=800` in milliseconds, `drop` or `drop=after`, `drop=mid-body`. */
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
