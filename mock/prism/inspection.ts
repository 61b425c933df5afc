import type { Headers } from '../http/http.ts';
import { createPrism, PROXY_MODE, type PrismDiagnostic, type PrismEndpoint } from './prism.ts';

/** A violation that Prism finds, in the form of its header `sl-violations`. */
export type ContractViolation = {
  /** `request` or `response`, the part, and the pointer in it, such as `body`, `lines`, `0`, `units`. */
  readonly location: readonly string[];
  readonly severity: 'Error' | 'Warning' | 'Information' | 'Hint';
  /** A keyword of JSON Schema, or a status; absent if Prism has none. */
  readonly code?: string | number;
  readonly message: string;
};

/** A request with the value of its body. Without an endpoint, it is not in the document. */
export type InspectedRequest = {
  readonly endpoint?: PrismEndpoint & { readonly method: 'get' | 'post' | 'delete' };
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: Headers;
  readonly body: unknown;
};

/** Returns the violations of an exchange. Calls `forward` at most once, and rejects only if it does. */
export type Inspect = (
  request: InspectedRequest,
  forward: () => Promise<{ statusCode: number; headers: Record<string, string>; body: unknown }>,
) => Promise<ContractViolation[]>;

/** Runs Prism's proxy mode, which checks both directions. The caller forwards. */
export function createInspect(document: () => object): Inspect {
  const prism = createPrism<Awaited<ReturnType<Parameters<Inspect>[1]>>>(document, CONFIG);
  return async ({ body, endpoint, headers, path, query }, forward) => {
    let failure: { readonly reason: unknown } | undefined;
    const forwardOnce = async () => {
      try {
        return await forward();
      } catch (reason) {
        failure = { reason };
        throw reason;
      }
    };
    try {
      const { validations } = await prism({
        method: endpoint?.method ?? 'get',
        url: { path, query: { ...query } },
        headers: { ...headers },
        body,
        endpoint,
        forward: forwardOnce,
      });
      const { input, output } = validations;
      return [...input.map(toViolation('request')), ...output.map(toViolation('response'))];
    } catch (error) {
      if (failure) throw failure.reason;
      // Prism throws at some things it can't read, such as a malformed escape in a path.
      const message = `The exchange could not be checked: ${(error as Error).message}`;
      return [{ location: ['request'], severity: 'Warning', message }];
    }
  };
}

const CONFIG = {
  ...PROXY_MODE,
  // Reports violations and forwards all requests, even those with an unknown path.
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
    ...(code !== undefined && { code }),
    message,
  });
}
