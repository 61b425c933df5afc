import { oneLine } from '../../conformance/report/text.ts';
import type { Exchanged } from '../../mock/mock.ts';
import { paint, say } from '../terminal/console.ts';
import { terminal } from '../terminal/terminal.ts';

export const LOG_FORMS = ['text', 'json', 'none'] as const;
export type LogForm = (typeof LOG_FORMS)[number];

/** Returns a function that prints each exchange: text for people on stderr, or JSON for programs on stdout. */
export function createRequestLog(form: LogForm): ((exchange: Exchanged) => void) | undefined {
  switch (form) {
    case 'none':
      return undefined;
    case 'json':
      return (exchange) => writeEvent('exchange', exchange);
    case 'text':
      return (exchange) =>
        say(paint(terminal().stderr, STYLES[levelOf(exchange.status)], describe(exchange)));
  }
}

/** Prints one line of JSON to stdout, with the time and the level that collectors of logs expect. */
export function writeEvent(event: 'ready' | 'exchange' | 'reloaded', values: object): void {
  const level = 'status' in values ? levelOf(Number(values.status)) : 'info';
  const line = { time: new Date().toISOString(), level, event, ...values };
  terminal().stdout.write(`${JSON.stringify(line)}\n`);
}

/** Formats an exchange, such as `POST /api/model/customer 422 12 ms /email must be an email address`. */
function describe(exchange: Exchanged): string {
  const { detail = '', fault, method, ms, path, query, session, status, violations } = exchange;
  const wrong = violations.map(({ message, ...at }) => `${Object.values(at)} ${message}`).join('; ');
  const why = fault === undefined ? wrong || detail : `fault ${fault} ${wrong}`;
  return oneLine(
    [
      ...(session === undefined ? [] : [`[${session}]`]),
      `${method} ${path}${query} ${status === 0 ? 'dropped' : status} ${Math.round(ms)} ms ${why}`,
    ].join(' '),
  ).trim();
}

const STYLES = { error: 'red', warn: 'yellow', info: 'reset' } as const;

/** Returns the level of a response; a dropped connection has the status 0. */
function levelOf(status: number): keyof typeof STYLES {
  if (status === 0 || status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}
