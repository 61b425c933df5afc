import type {
  createInstance,
  IHttpConfig,
  IHttpProxyConfig,
  IHttpRequest,
  PrismHttpComponents,
} from '@stoplight/prism-http';
import { readPreference } from './preference.ts';
import type { Reply } from './reply.ts';

/** A request on its way through Prism's pipeline; `Call` is what our own components know of it. */
type ContractRequest<Call> = {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  /** The path as the document writes it, such as `/api/model/warehouse/{id}`. */
  readonly template: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly call: Call;
};

type ContractAnswer =
  | Reply
  /** Prism's own refusal: an undocumented `Prefer: code`, an unknown example. */
  | { readonly refused: number; readonly detail: string };

export type ContractOptions<Call> = {
  readonly document: object;
  /** Reads and checks a request; whether it may be answered with an example (`Prefer`). */
  check(call: Call): boolean;
  /** Answers a request that was checked, also one that did not pass. */
  forward(call: Call): Promise<Reply>;
};

/** Rejects only when `forward` does. */
export type Contract<Call> = { answer(request: ContractRequest<Call>): Promise<ContractAnswer> };

// Prism writes one or two lines for every request. This logger is its own child and costs nothing.
const ignore = () => undefined;
const levels = ['trace', 'debug', 'info', 'success', 'warn', 'error', 'fatal'];
const logger: Record<string, unknown> = Object.fromEntries(levels.map((level) => [level, ignore]));
logger.child = () => logger;

type Operations = Awaited<ReturnType<typeof import('@stoplight/prism-http')['getHttpOperationsFromSpec']>>;
type Passing<Call> = IHttpRequest & { request?: ContractRequest<Call>; passed?: boolean };

/**
 * Prism over our own components: its pipeline (route, check, answer) and its examples stay, what is slow is
 * replaced. The only file that imports Prism; that takes half a second, so it happens here and not at the top.
 */
export async function createContract<Call>(options: ContractOptions<Call>): Promise<Contract<Call>> {
  const prism = await import('@stoplight/prism-http');
  // Prism resolves references in place and makes objects shared: it gets a copy.
  const operations = await prism.getHttpOperationsFromSpec(structuredClone(options.document));
  const instance = prism.createInstance(CONFIG, componentsOf(options, operations));
  return {
    answer: async (request) => {
      const preference = readPreference(request.headers.prefer);
      if (preference === 'malformed') return MALFORMED;
      const passing: Passing<Call> = {
        method: request.method,
        url: { path: request.path },
        // Only the examples look at them, and Prism's types want headers of its own.
        headers: preference ? { ...request.headers } : {},
        request,
      };
      // Prism writes into the configuration it is given, so that each such request has its own.
      const chosen: IHttpConfig = preference ? { ...CONFIG, isProxy: false, mock: preference } : CONFIG;
      const answered = await instance.request(passing, operations, chosen)();
      if (answered._tag === 'Left') return refuse(answered.left);
      // A request that is wrong gets the answer it deserves, whatever it prefers.
      if (preference && passing.passed !== true) return options.forward(request.call);
      const { statusCode, headers = {}, body } = answered.right.output;
      return { status: statusCode, headers, body: typeof body === 'string' ? body : toText(body) };
    },
  };
}

// "Proxy" is the mode that calls `forward`; the upstream is never contacted, but has to be a URL.
const CONFIG: IHttpProxyConfig = {
  isProxy: true,
  upstream: new URL('http://engine.invalid'),
  upstreamProxy: undefined,
  errors: true,
  validateRequest: true,
  // What the engine answers is made from the same catalogue as the document; a check of it is the suite's work.
  validateResponse: false,
  checkSecurity: false,
  mock: { dynamic: false },
};

const MALFORMED: ContractAnswer = {
  refused: 422,
  detail:
    'The Prefer header is malformed; expected code=<three digits>, example=<name> or dynamic=<true or false>.',
};

function componentsOf<Call>(
  options: ContractOptions<Call>,
  operations: Operations,
): Parameters<typeof createInstance>[1] {
  const known = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  const route: PrismHttpComponents['route'] = ({ input }: { input: Passing<Call> }) => {
    const operation = known.get(`${input.method} ${input.request?.template}`);
    return operation ? right(operation) : left(new Error(`the document has no ${input.request?.template}`));
  };
  const validateInput: PrismHttpComponents['validateInput'] = ({ element }: { element: Passing<Call> }) => {
    element.passed = element.request !== undefined && options.check(element.request.call);
    return right(element);
  };
  const forward: PrismHttpComponents['forward'] = ({ data }: { data: Passing<Call> }) => {
    // Prism wants a function of a logger that gives a function that gives a promise.
    return () => async () => {
      if (!data.request) return left(new Error('the request is not one of ours'));
      const { status, headers, body } = await options.forward(data.request.call);
      return right({ statusCode: status, headers: { ...headers }, body });
    };
  };
  return { logger, route, validateInput, forward };
}

// The two sides of an Either of fp-ts, which Prism is written with.
const left = <Value>(value: Value) => ({ _tag: 'Left', left: value }) as const;
const right = <Value>(value: Value) => ({ _tag: 'Right', right: value }) as const;

function toText(body: unknown): string {
  return body === undefined ? '' : JSON.stringify(body);
}

/** Prism's own errors carry a status; others are no fault of the client. */
function refuse(error: Error): ContractAnswer {
  const { status, detail } = error as Error & { status?: unknown; detail?: unknown };
  if (typeof status !== 'number') throw error;
  return { refused: status, detail: `${error.message}. ${detail}` };
}
