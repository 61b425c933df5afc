import type { ShownViolation } from '../engine/violation.ts';

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
