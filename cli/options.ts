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
const COLLECTED = ['--header', '--models', '--area', '--rule', '--level'];

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

/** A reader of whole numbers within bounds, both included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}
