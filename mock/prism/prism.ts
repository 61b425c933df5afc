import { describeViolation, type Violation } from '../engine/violation.ts';
import type { Headers } from '../http/http.ts';
import type { Refusal, Reply } from '../operations/reply.ts';
import type { Endpoint } from '../operations/router.ts';
import { createPrism, PROXY_MODE, type PrismDiagnostic } from './instance.ts';
import { readPreference } from './preference.ts';

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

/** Takes a checked request through Prism: to an example where one is preferred, else forward. */
export type Pipeline = (request: CheckedRequest) => Promise<Reply>;

/** Prism's pipeline over our own parts. It rejects only when `forward` does. */
export async function createPipeline(
  document: () => object,
  writeRefusal: (refusal: Refusal) => Reply,
  /** What is made of an answer that Prism gives itself. */
  finish: (example: Reply, endpoint: Endpoint) => Reply,
): Promise<Pipeline> {
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
