import { type Output, terminal } from './terminal.ts';

export const OK = 0;
export const NOT_CONFORMANT = 1;
export const USAGE = 2;
export const UNREACHABLE = 3;
export const INCONCLUSIVE = 4;
export const INTERRUPTED = 130;

/** Goes to the beginning of the line and clears it. */
const CLEAR_LINE = '\r\u001b[2K';
/** Milliseconds between two lines of progress where none can be written over. */
const PAUSE = 10_000;

/** From now on, credentials stand in nothing that is said. */
export function redactWith(redact: (text: string) => string): void {
  terminal().redact = redact;
}

/** A line for people: standard output is for data. */
export function say(line: string): void {
  // In a terminal, a line of progress may stand there.
  const { redact, stderr } = terminal();
  stderr.write(`${stderr.isTTY ? CLEAR_LINE : ''}${redact(line)}\n`);
}

export type Status = { show(line: string): void; clear(): void };

/**
 * Says how far something is: on a line that is written over in a terminal, a line now and then elsewhere. A terminal
 * has `pause` milliseconds between two of them, for what is quicker than it can show.
 */
export function createStatus(pause = 0): Status {
  const { stderr } = terminal();
  const isTTY = stderr.isTTY === true;
  const least = isTTY ? pause : PAUSE;
  let last = isTTY ? Number.NEGATIVE_INFINITY : Date.now();
  return {
    show(line) {
      if (Date.now() - last < least) return;
      last = Date.now();
      // What goes on in a second row would not be cleared.
      if (isTTY) stderr.write(CLEAR_LINE + line.slice(0, (stderr.columns ?? 80) - 1));
      else say(line);
    },
    clear() {
      if (isTTY) stderr.write(CLEAR_LINE);
    },
  };
}

/** The first signal ends what runs in good order, a second one, whichever it is, at once, after the last words. */
export function onSignal(stop: () => void, lastWords = () => {}): void {
  let stopping = false;
  terminal().onSignal(() => {
    if (stopping) {
      lastWords();
      process.exit(INTERRUPTED);
    }
    stopping = true;
    stop();
  });
}

/** Resolves when a server is to end; what it does then has an error seen like any other. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    onSignal(() => {
      say('Stopping when the exchanges under way have ended; a second Ctrl-C ends at once');
      resolve();
    });
  });
}

/** What is left to say, and how to exit, when a signal ended what ran, or the time was over. */
export function endEarly(leftovers: readonly string[], isOutOfTime = false): void {
  const left = leftovers.length > 0 ? `; not removed, please look after them: ${leftovers.join(', ')}` : '';
  say(`${isOutOfTime ? 'INCONCLUSIVE: the time was over (--max-time)' : 'Interrupted'}${left}`);
  terminal().exitCode = isOutOfTime ? INCONCLUSIVE : INTERRUPTED;
}

/** Colours stop where the output is no terminal, and with NO_COLOR. */
export function hasColors(stream: Output): boolean {
  const { env } = terminal();
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
