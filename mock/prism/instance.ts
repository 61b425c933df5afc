/** The only file that imports Prism, for the two pipelines that are made of its parts and ours. */
import type { IHttpConfig, IHttpProxyConfig, IHttpRequest, PrismHttpComponents } from '@stoplight/prism-http';

type Prism = typeof import('@stoplight/prism-http');
type Operations = Awaited<ReturnType<Prism['getHttpOperationsFromSpec']>>;

/** A request with what our router looks for: its path as the document writes it. */
export type PrismRequest = IHttpRequest & { template?: string };

/** What stands in the place of Prism's own parts; they get the request that was given, with all it carries. */
export type PrismParts = Pick<PrismHttpComponents, 'forward'> &
  Partial<Pick<PrismHttpComponents, 'validateInput'>>;

/** What Prism finds wrong with one side of an exchange. */
export type PrismDiagnostic = Parameters<PrismHttpComponents['forward']>[0]['validations'][number];

// "Proxy" is the mode that calls `forward`; the upstream is never contacted, but has to be a URL.
export const PROXY_MODE = {
  isProxy: true,
  upstream: new URL('http://engine.invalid'),
  upstreamProxy: undefined,
  mock: { dynamic: false },
} as const satisfies Partial<IHttpProxyConfig>;

/**
 * Prism for a document: a request gives an Either of fp-ts, which Prism is written with. Importing Prism takes half a
 * second, so it happens here and not at the top.
 */
export async function createPrism(document: object, config: IHttpProxyConfig, parts: PrismParts) {
  const prism = await import('@stoplight/prism-http');
  // Prism resolves references in place and makes objects shared: it gets a copy.
  const operations = await prism.getHttpOperationsFromSpec(structuredClone(document));
  const instance = prism.createInstance(config, { logger, route: createRoute(operations), ...parts });
  return (request: PrismRequest, chosen?: IHttpConfig) => instance.request(request, operations, chosen)();
}

/** Looks an operation up by its method and path in the document. */
function createRoute(operations: Operations): PrismHttpComponents['route'] {
  const known = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  return ({ input }: { input: PrismRequest }) => {
    const operation = known.get(`${input.method} ${input.template}`);
    return operation ? right(operation) : left(new Error(`the document has no ${input.template}`));
  };
}

// The two sides of an Either.
export const left = <Value>(value: Value) => ({ _tag: 'Left', left: value }) as const;
export const right = <Value>(value: Value) => ({ _tag: 'Right', right: value }) as const;

// Prism writes one or two lines for every request. This logger is its own child and costs nothing.
const ignore = () => undefined;
const levels = ['trace', 'debug', 'info', 'success', 'warn', 'error', 'fatal'];
const logger: Record<string, unknown> = Object.fromEntries(levels.map((level) => [level, ignore]));
logger.child = () => logger;
