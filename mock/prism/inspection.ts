import { createPrism, left, PROXY_MODE, type PrismDiagnostic, type PrismRequest, right } from './instance.ts';

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

type Inspected = PrismRequest & { forward?: () => Promise<InspectedAnswer> };

/** Prism's proxy mode with its own checks of both directions; what is passed on, and how, is the caller's. */
export async function createInspect(document: object): Promise<Inspect> {
  const prism = await createPrism(document, CONFIG, {
    // Prism wants a function of a logger that gives a function that gives a promise.
    forward:
      ({ data }: { data: Inspected }) =>
      () =>
      async () => {
        if (!data.forward) return left(new Error('the request is not one of ours'));
        const { statusCode, headers, body } = await data.forward();
        return right({ statusCode, headers: { ...headers }, body });
      },
  });
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
      const found = await prism(inspected);
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

const CONFIG = {
  ...PROXY_MODE,
  // Whatever is wrong is reported and not refused, and unknown paths are passed on too.
  errors: false,
  validateRequest: true,
  validateResponse: true,
  checkSecurity: true,
};

const SEVERITIES = ['Error', 'Warning', 'Information', 'Hint'] as const;

function toViolation(side: 'request' | 'response'): (diagnostic: PrismDiagnostic) => ContractViolation {
  return ({ path = [], severity, code, message }) => ({
    location: [side, ...path],
    severity: SEVERITIES[severity] ?? 'Error',
    ...(code === undefined ? {} : { code }),
    message,
  });
}
