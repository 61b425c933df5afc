import type { Exchanged } from './traffic.ts';

/** Formats an exchange for a request log, such as `POST /api/model/customer 422 12 ms /email must be an email address`. */
export function exchangeLine(exchange: Exchanged): string {
  const { detail = '', fault, method, ms, path, query, session, status, violations } = exchange;
  const wrong = violations.map(({ message, ...at }) => `${Object.values(at)} ${message}`).join('; ');
  const why = fault === undefined ? wrong || detail : `fault ${fault} ${wrong}`;
  return [
    ...(session === undefined ? [] : [`[${session}]`]),
    `${method} ${path}${query} ${status === 0 ? 'dropped' : status} ${Math.round(ms)} ms ${why}`,
  ].join(' ');
}
