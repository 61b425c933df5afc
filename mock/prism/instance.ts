/**
 * The only file that imports Prism. Prism stays in the way of every request because users ask for it: its pipeline
 * (route, check, then mock or forward), its examples (`Prefer`) and its judgment of exchanges. Its own router sorts
 * all operations for every request, and costs 50 times as much as a look-up: the endpoint is found before.
 */
import type {
  IHttpConfig,
  IHttpProxyConfig,
  IHttpRequest,
  IHttpResponse,
  PrismHttpComponents,
} from '@stoplight/prism-http';

/** Where the document has an operation. */
export type PrismEndpoint = { readonly method: string; readonly template: string };

/** What Prism finds wrong with one side of an exchange. */
export type PrismDiagnostic = Parameters<PrismHttpComponents['forward']>[0]['validations'][number];

/** A request on its way through the pipeline. */
export type PrismRequest<Output> = IHttpRequest & {
  /** Absent for what is not in the document. */
  readonly endpoint?: PrismEndpoint | undefined;
  /** What is wrong with the request, where Prism is not to find out itself. */
  readonly diagnostics?: readonly PrismDiagnostic[];
  /** Called once, after the check. */
  forward(): Promise<Output>;
};

/** `output` is what `forward` gave, or an example of Prism's own. Rejects with the errors of either. */
export type Prism<Output> = (
  request: PrismRequest<Output>,
  config?: IHttpConfig,
) => Promise<{
  readonly output: Output | IHttpResponse;
  readonly validations: { readonly input: PrismDiagnostic[]; readonly output: PrismDiagnostic[] };
}>;

// "Proxy" is the mode that calls `forward`; the upstream is never contacted, but has to be a URL.
export const PROXY_MODE = {
  isProxy: true,
  upstream: new URL('http://engine.invalid'),
  upstreamProxy: undefined,
  mock: { dynamic: false },
} as const satisfies Partial<IHttpProxyConfig>;

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

const left = <Value>(value: Value) => ({ _tag: 'Left', left: value }) as const;
const right = <Value>(value: Value) => ({ _tag: 'Right', right: value }) as const;
const UNKNOWN = left(new Error('The document has no such operation.'));
const KNOWN = right({ id: '', method: '', path: '', responses: [] });

/**
 * Prism forwards at once what is for no operation that it knows, and takes half as long for it. So it is told of one only
 * where it has violations to refuse the request for.
 */
function operationFor({ diagnostics = [] }: PrismRequest<unknown>): Routed['operation'] {
  return diagnostics.length > 0 ? KNOWN : UNKNOWN;
}

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
