import { type Answer, isAccepted, isForLater } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { show } from './wire-check.ts';

/**
 * Returns why an answer says nothing about the content of the request: it is about the client or the time. A 401 or 403
 * is about the content if the target accepts the same operation otherwise, such as a grant on a column of a database.
 */
export function whyDenied({ isPermitted, status }: Answer): string | undefined {
  if (isForLater({ status })) return 'the target asks the client to try again later';
  if (isPermitted?.()) return undefined;
  if (status === 401) return 'credentials are missing or wrong';
  return status === 403 ? 'the request is forbidden, perhaps for these credentials' : undefined;
}

/** An answer that does not show the record that was wanted, in a line. */
export function describeAnswer(answer: Answer, api: Api): string {
  const start = `${answer.asked} returned ${answer.status}`;
  const denied = whyDenied(answer);
  if (denied !== undefined) return `${start}: ${denied}`;
  // The exchange holds no credentials; what is cut first is not recognized later.
  const text = answer.exchange.response.body.trim().replaceAll(/\s+/g, ' ').slice(0, 200);
  const shown = isAccepted(answer) ? api.recordIn(answer) : undefined;
  if (shown) return `${start}, and its id is not an integer: ${show(shown.id)}`;
  if (isAccepted(answer)) return `${start}, and the record is not at the place in response.record: ${text}`;
  return text === '' ? start : `${start}: ${text}`;
}
