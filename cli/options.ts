import { type Command, InvalidArgumentError } from 'commander';

export type ContractOptions = { readonly profile?: string; readonly catalogue?: string };

/** The options that say which contract is meant. */
export function contractOptions(command: Command): Command {
  return command
    .option('--profile <file>', 'a file with the settings that differ from the default profile')
    .option('--catalogue <dir>', 'a directory with a catalogue of your own');
}

/** Words separated by commas, and those of an option that is given again. */
export function words(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(',').map((word) => word.trim())];
}

/** Options with a list of values, which may be given again. */
const COLLECTED = [
  '--fixtures',
  '--server',
  '--header',
  '--models',
  '--area',
  '--rule',
  '--level',
  '--allow-host',
  '--cors-origin',
];

/** Of two values for one thing, the last would win without a word. */
export function refuseRepeats(command: Command): void {
  for (const option of command.options) {
    const { long, required } = option;
    if (!required || long === undefined || COLLECTED.includes(long)) continue;
    let times = 0;
    command.on(`option:${option.name()}`, () => {
      if (++times > 1) command.error(`error: option '${long}' is given again; expected it once`);
    });
  }
}

/** A reader of one whole number, or of two with `..` between them; both are at most `most`. */
export function range(most: number): (text: string) => { min: number; max: number } {
  return (text) => {
    const [, from = '', to = from] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text) ?? [];
    const [min, max] = [Number(from), Number(to)];
    if (from !== '' && min <= max && max <= most) return { min, max };
    throw new InvalidArgumentError(`Expected a whole number of at most ${most}, or two such as 200..800.`);
  };
}

export function pointInTime(text: string): Date {
  const time = new Date(text);
  const year = time.getUTCFullYear();
  if (/^\d{4}-\d\d-\d\d/.test(text) && year >= 1970 && year <= 9999) return time;
  throw new InvalidArgumentError('Expected a day or a time from 1970 to 9999, such as 2025-10-22T09:30:00Z.');
}

/** A reader of whole numbers within bounds, both included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/** How many records of which models, such as `customer=1000,voucher=5000`, or of each, such as `120`. */
export function recordCounts(text: string): number | Record<string, number> {
  if (COUNT.test(text)) return Number(text);
  const pairs = text.split(',').map((pair) => pair.trim().split('='));
  if (pairs.every(([name, count, ...rest]) => name && COUNT.test(count ?? '') && rest.length === 0))
    return Object.fromEntries(pairs.map(([name, count]) => [name, Number(count)]));
  throw new InvalidArgumentError(
    'Expected whole numbers such as customer=1000,voucher=5000, or one for all.',
  );
}

const COUNT = /^\d{1,6}$/;
