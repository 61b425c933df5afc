import { deferDocument } from '../../generator/generate.ts';
import { withNamedStatuses } from '../../generator/named-statuses.ts';
import type { Contract } from '../../spec/contract.ts';
import { MOST_VIOLATIONS, type ShownViolation } from '../engine/violation.ts';
import { splitTarget } from '../http/http.ts';
import type { ContractService } from '../operations/contract-service.ts';
import { refuseRoute } from '../operations/router.ts';
import { createInspect } from '../prism/prism.ts';
import type { Content, Forwarded, SentRequest } from './upstream.ts';

/** Forwards a request once, even an invalid one. Reads the response if the document has the operation. */
export type CheckExchange = (
  request: SentRequest,
  forward: (held: boolean) => Promise<Forwarded>,
) => Promise<{
  readonly forwarded: Forwarded;
  readonly violations: readonly ShownViolation[];
  readonly ignored?: readonly string[] | undefined;
}>;

/** Checks requests as the mock does when it answers them, and responses with Prism. */
export function createExchangeCheck(
  contract: Contract,
  { checkSent, route }: Pick<ContractService, 'checkSent' | 'route'>,
): CheckExchange {
  // A status that the profile does not name is reported as such.
  const document = deferDocument(contract);
  const inspect = createInspect(() => withNamedStatuses(document()));
  return async (request, forward) => {
    const { method, target } = request;
    const [path] = splitTarget(target);
    const found = route(method, path);
    if (found.kind !== 'operation') {
      const { detail } = refuseRoute(found, method, path, contract);
      return { forwarded: await forward(false), violations: [{ location: 'request', message: detail }] };
    }
    const { ignored, violations: ofRequest } = checkSent(request, found.endpoint, found.id);
    const forwarding = forward(true);
    // Prism can take long to load.
    forwarding.catch(() => {});
    const seen = await inspect({ ...found.endpoint, path }, async () => {
      const { content, headers, reply } = await forwarding;
      const body = content.kind === 'value' ? content.value : undefined;
      return { statusCode: reply.status, headers: { ...headers }, body };
    });
    const forwarded = await forwarding;
    const { content, failure } = forwarded;
    // A response to HEAD has no body (RFC 9110, 9.3.2).
    const hasBody = method !== 'HEAD' && content.kind === 'value';
    const ofResponse = [
      ...seen.filter(({ location: [, part] }) => hasBody || part !== 'body'),
      ...describeContent(content),
    ].map(({ location, message }) => ({ location: location.join('.'), message }));
    // An error of the mock is not a violation by the service.
    const violations = [...ofRequest, ...(failure === undefined ? ofResponse : [])];
    return { forwarded, violations: violations.slice(0, MOST_VIOLATIONS), ignored };
  };
}

function describeContent(content: Content): { readonly location: string[]; readonly message: string }[] {
  if (content.kind === 'value') return [];
  const what = content.kind === 'malformed' ? content.detail : `was not checked: ${content.detail}`;
  return [{ location: ['response', 'body'], message: `Response body ${what}` }];
}
