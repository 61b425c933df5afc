import { oneLine } from '../../conformance/report/text.ts';
import type { Exchanged } from '../../mock/mock.ts';
import { paint, saySoon } from '../terminal/console.ts';
import { flush, terminal, writeSoon } from '../terminal/terminal.ts';

export const LOG_FORMS = ['text', 'json', 'none'] as const;
export type LogForm = (typeof LOG_FORMS)[number];

/** Returns a function that prints each exchange: text for people on stderr, or JSON for programs on stdout. */
export function createRequestLog(form: LogForm): ((exchange: Exchanged) => void) | undefined {
  switch (form) {
    case 'none':
      return undefined;
    case 'json':
      return (exchange) => writeSoon(terminal().stdout, lineOf('exchange', exchange));
    case 'text':
      return (exchange) => saySoon(paint(terminal().stderr, styleOf(exchange.status), describe(exchange)));
  }
}

/** Prints one line of JSON to stdout. */
export function writeEvent(event: 'ready' | 'reloaded', values: object): void {
  const { stdout } = terminal();
  writeSoon(stdout, lineOf(event, values));
  flush(stdout);
}

function lineOf(event: 'ready' | 'exchange' | 'reloaded', values: object): string {
  return `${JSON.stringify({ event, ...values })}\n`;
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

/** Prints errors in color in a terminal. */
function styleOf(status: number): 'red' | 'yellow' | 'reset' {
  if (status === 0 || status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'reset';
}
