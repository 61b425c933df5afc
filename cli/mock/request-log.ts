import { oneLine } from '../../conformance/results/text.ts';
import { exchangeLine } from '../../mock/control/request-log/request-log-view.ts';
import type { Exchanged } from '../../mock/mock.ts';
import { flush, paint, saySoon, terminal, writeSoon } from '../terminal/terminal.ts';

export type LogForm = 'text' | 'json' | 'none';

/** Returns a function that prints each exchange: text for people on stderr, or JSON for programs on stdout. */
export function createLogPrinter(form: LogForm): ((exchange: Exchanged) => void) | undefined {
  if (form === 'none') return undefined;
  const { stderr, stdout } = terminal();
  return (exchange) => {
    const time = new Date();
    if (form === 'json') writeSoon(stdout, () => lineOf('exchange', time, exchange));
    else saySoon(() => paint(stderr, STYLES[levelOf(exchange.status)], oneLine(exchangeLine(exchange))));
  };
}

/** Prints one line of JSON to stdout. */
export function writeEvent(event: 'ready' | 'reloaded', values: object): void {
  const { stdout } = terminal();
  const time = new Date();
  writeSoon(stdout, () => lineOf(event, time, values));
  flush(stdout);
}

/** A line of JSON with the time and the level that collectors of logs expect. */
function lineOf(event: 'ready' | 'exchange' | 'reloaded', time: Date, values: object): string {
  const level = 'status' in values ? levelOf(Number(values.status)) : 'info';
  return `${JSON.stringify({ time: time.toISOString(), level, event, ...values })}\n`;
}

const STYLES = { error: 'red', warn: 'yellow', info: 'reset' } as const;

/** Returns the level of a response; a dropped connection has the status 0. */
function levelOf(status: number): keyof typeof STYLES {
  if (status === 0 || status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}
