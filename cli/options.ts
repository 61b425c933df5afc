import { type Command, InvalidArgumentError } from 'commander';
import { type Catalogue, loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE, loadProfile, type Profile } from '../spec/profile/profile.ts';
import { loadReferences, type References } from '../spec/references.ts';

/** The contract a verb works with. */
export type Plan = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly references: References;
};

export type PlanOptions = { readonly profile?: string; readonly catalogue?: string };

/** The options that say which contract is meant. */
export function planOptions(command: Command): Command {
  return command
    .option('--profile <file>', 'a file with the settings that differ from the default profile')
    .option('--catalogue <dir>', 'a directory with a catalogue of your own');
}

/** The contract that the options mean. */
export function loadPlan(options: PlanOptions): Plan {
  const catalogue = loadCatalogue(options.catalogue);
  const profile = options.profile === undefined ? DEFAULT_PROFILE : loadProfile(options.profile, catalogue);
  return { catalogue, profile, references: loadReferences(catalogue, options.catalogue) };
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
