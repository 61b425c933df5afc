import type { Reply } from '../operations/reply.ts';
import { createPrism, left, PROXY_MODE, type PrismParts, type PrismRequest, right } from './instance.ts';
import { readPreference } from './preference.ts';

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

type Passing<Call> = PrismRequest & { request?: ContractRequest<Call>; passed?: boolean };

/** Prism over our own components: its pipeline (route, check, answer) and its examples stay, what is slow is replaced. */
export async function createContract<Call>(options: ContractOptions<Call>): Promise<Contract<Call>> {
  const prism = await createPrism(options.document, CONFIG, partsOf(options));
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
      const chosen = preference ? { ...CONFIG, isProxy: false, mock: preference } : CONFIG;
      const answered = await prism(passing, chosen);
      if (answered._tag === 'Left') return refuse(answered.left);
      // A request that is wrong gets the answer it deserves, whatever it prefers.
      if (preference && passing.passed !== true) return options.forward(request.call);
      const { statusCode, headers = {}, body } = answered.right.output;
      return { status: statusCode, headers, body: typeof body === 'string' ? body : toText(body) };
    },
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

const MALFORMED: ContractAnswer = {
  refused: 422,
  detail:
    'The Prefer header is malformed; expected code=<three digits>, example=<name> or dynamic=<true or false>.',
};

function partsOf<Call>(options: ContractOptions<Call>): PrismParts {
  return {
    validateInput: ({ element }: { element: Passing<Call> }) => {
      element.passed = element.request !== undefined && options.check(element.request.call);
      return right(element);
    },
    // Prism wants a function of a logger that gives a function that gives a promise.
    forward:
      ({ data }: { data: Passing<Call> }) =>
      () =>
      async () => {
        if (!data.request) return left(new Error('the request is not one of ours'));
        const { status, headers, body } = await options.forward(data.request.call);
        return right({ statusCode: status, headers: { ...headers }, body });
      },
  };
}

function toText(body: unknown): string {
  return body === undefined ? '' : JSON.stringify(body);
}

/** Prism's own errors carry a status; others are no fault of the client. */
function refuse(error: Error): ContractAnswer {
  const { status, detail } = error as Error & { status?: unknown; detail?: unknown };
  if (typeof status !== 'number') throw error;
  return { refused: status, detail: `${error.message}. ${detail}` };
}
