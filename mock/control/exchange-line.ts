import { redactUrl } from '../../spec/redaction.ts';
import type { ShownViolation } from '../engine/violation.ts';
import { type MockRequest, splitTarget } from '../http/http.ts';
import type { Reply } from '../operations/reply.ts';
import { SHARED } from './address.ts';
import { redactAsked } from './journal/journal-view.ts';

/** What whoever runs the mock is told of each exchange. */
export type Exchanged = {
  /** Absent for the one that all share. */
  readonly session?: string;
  readonly method: string;
  readonly path: string;
  /** The query with its question mark, without secrets; or an empty string. */
  readonly query: string;
  /** 0 where the connection was dropped. */
  readonly status: number;
  /** Milliseconds until the answer was ready. */
  readonly ms: number;
  readonly violations: readonly ShownViolation[];
  /** Why it was refused. */
  readonly detail?: string;
  /** The id of the fault that was met. */
  readonly fault?: string;
  /** Whether a service answered (option `forward`). */
  readonly forwarded?: true;
};

/** Returns an exchange without its secrets. `reply` is undefined if the connection was dropped. */
export function exchanged(
  session: string,
  request: MockRequest,
  reply: Reply | undefined,
  ms: number,
  fault: string | undefined,
): Exchanged {
  const { method, target } = request;
  const [path, search] = splitTarget(target);
  // Only a refusal repeats what the client sent.
  const { detail, violations = [] } = reply ?? {};
  const hide = detail === undefined && violations.length === 0 ? String : redactAsked(request);
  return {
    ...(session === SHARED ? {} : { session }),
    method,
    path,
    query: redactUrl(search),
    status: reply?.status ?? 0,
    ms,
    violations: violations.map((one) => ({ ...one, message: hide(one.message) })),
    ...(detail === undefined ? {} : { detail: hide(detail) }),
    ...(fault === undefined ? {} : { fault }),
    ...(reply?.forwarded && { forwarded: true }),
  };
}

/**
 * Formats an exchange for a request log, such as `POST /api/model/customer 422 12 ms /email must be an email address`.
 */
export function exchangeLine(exchange: Exchanged): string {
  const { detail = '', fault, forwarded, method, ms, path, query, session, status, violations } = exchange;
  const wrong = violations.map(({ message, ...at }) => `${Object.values(at)} ${message}`).join('; ');
  const by = forwarded ? 'forwarded ' : '';
  const why = fault === undefined ? by + (wrong || detail) : `${by}fault ${fault} ${wrong}`;
  return [
    ...(session === undefined ? [] : [`[${session}]`]),
    `${method} ${path}${query} ${status === 0 ? 'dropped' : status} ${Math.round(ms)} ms ${why}`,
  ].join(' ');
}
