export const OK = 0;
export const NOT_CONFORMANT = 1;
export const USAGE = 2;
export const UNREACHABLE = 3;
export const INTERRUPTED = 130;

/** A line for people: standard output is for data. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The first signal ends what runs in good order, a second one at once. */
export function onSignal(stop: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      stop();
      process.once(signal, () => process.exit(INTERRUPTED));
    });
}

/** What is left to say, and how to exit, when a signal ended what ran. */
export function endInterrupted(leftovers: readonly string[]): void {
  const left = leftovers.length > 0 ? `; not removed, please look after them: ${leftovers.join(', ')}` : '';
  say(`Interrupted${left}`);
  process.exitCode = INTERRUPTED;
}

/** Colours stop where the output is no terminal, and with NO_COLOR. */
export function hasColors(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}
