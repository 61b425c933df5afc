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
/** What our router looks for. */
type Routed = IHttpRequest & { template?: string };
type Passing<Call> = Routed & { request?: ContractRequest<Call>; passed?: boolean };

/** What Prism finds wrong with an exchange, as its `sl-violations` header has it. */
export type ContractViolation = {
  /** `request` or `response`, the part, and the place in it, such as `body`, `lines`, `0`, `units`. */
  readonly location: readonly string[];
  readonly severity: 'Error' | 'Warning' | 'Information' | 'Hint';
  /** A keyword of JSON Schema or a status; absent where Prism has none. */
  readonly code?: string | number;
  readonly message: string;
};

/** A request that passes by, as its body reads; without an operation it is not in the document. */
export type InspectedRequest = {
  readonly operation?: { readonly method: 'get' | 'post' | 'delete'; readonly template: string };
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

export type InspectedAnswer = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** Asks `forward` once, whatever is wrong with the request; rejects only when `forward` does. */
export type Inspect = <Answer extends InspectedAnswer>(
  request: InspectedRequest,
  forward: () => Promise<Answer>,
) => Promise<{ readonly answer: Answer; readonly violations: readonly ContractViolation[] }>;

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
        template: request.template,
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

type Inspected = Routed & { forward?: () => Promise<InspectedAnswer> };

/** Prism's proxy mode with its own checks of both directions; what is passed on, and how, is the caller's. */
export async function createInspect(document: object): Promise<Inspect> {
  const prism = await import('@stoplight/prism-http');
  const operations = await prism.getHttpOperationsFromSpec(structuredClone(document));
  const instance = prism.createInstance(INSPECTION, inspectionComponents(operations));
  return async (request, forward) => {
    let answering: ReturnType<typeof forward> | undefined;
    const once = () => {
      answering ??= forward();
      return answering;
    };
    const { operation, path, query, headers, body } = request;
    const inspected: Inspected = {
      method: operation?.method ?? 'get',
      url: { path, query: { ...query } },
      headers: { ...headers },
      body,
      forward: once,
      ...(operation ? { template: operation.template } : {}),
    };
    try {
      const found = await instance.request(inspected, operations)();
      if (found._tag === 'Left') throw found.left;
      const { input, output } = found.right.validations;
      return {
        answer: await once(),
        violations: [...input.map(toViolation('request')), ...output.map(toViolation('response'))],
      };
    } catch (error) {
      // Prism throws at some things it can't read, such as a malformed escape in a path; the answer still passes.
      const message = `The exchange could not be checked: ${(error as Error).message}`;
      return { answer: await once(), violations: [{ location: ['request'], severity: 'Warning', message }] };
    }
  };
}

const SEVERITIES = ['Error', 'Warning', 'Information', 'Hint'] as const;

type Diagnostic = Parameters<PrismHttpComponents['forward']>[0]['validations'][number];

function toViolation(side: 'request' | 'response'): (diagnostic: Diagnostic) => ContractViolation {
  return ({ path = [], severity, code, message }) => ({
    location: [side, ...path],
    severity: SEVERITIES[severity] ?? 'Error',
    ...(code === undefined ? {} : { code }),
    message,
  });
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

// Without `errors` whatever is wrong is reported and not refused, and unknown paths are passed on too.
const INSPECTION: IHttpProxyConfig = {
  ...CONFIG,
  errors: false,
  validateResponse: true,
  checkSecurity: true,
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
  const route = createRoute(operations);
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

function inspectionComponents(operations: Operations): Parameters<typeof createInstance>[1] {
  const route = createRoute(operations);
  const forward: PrismHttpComponents['forward'] = ({ data }: { data: Inspected }) => {
    return () => async () => {
      if (!data.forward) return left(new Error('the request is not one of ours'));
      const { statusCode, headers, body } = await data.forward();
      return right({ statusCode, headers: { ...headers }, body });
    };
  };
  return { logger, route, forward };
}

/** Looks an operation up by its method and path in the document. */
function createRoute(operations: Operations): PrismHttpComponents['route'] {
  const known = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  return ({ input }: { input: Routed }) => {
    const operation = known.get(`${input.method} ${input.template}`);
    return operation ? right(operation) : left(new Error(`the document has no ${input.template}`));
  };
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
