import { InvalidArgumentError } from 'commander';
import type { selectable } from '../../conformance/plan/plan.ts';
import { pinsInFlags, readPins } from '../../conformance/records/values/pins.ts';
import { parseBaseUrl } from '../../conformance/target/target.ts';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { describe, type Place } from '../../spec/files/place.ts';
import { checkShape } from '../../spec/files/shape.ts';
import { attempt, readAll, unexpected } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { terminal } from '../terminal/terminal.ts';
import { GROUPS, MISPLACED, NAMED_VALUES, SECRETS, TARGETS, URL_KEY, VARIABLE } from './keys.ts';

/** The values that the file has for one flag, in the form of the command line. */
export type ConfigSetting = {
  /** The name of the flag, or `url`. */
  readonly name: string;
  readonly place: Place;
  /** One for each item of a list. */
  readonly values: readonly { readonly text: string; readonly place: Place }[];
};

/** The settings of the file or of one target, by the names of their keys, and of the members of pins and headers. */
export type Entry = ReadonlyMap<string, ConfigSetting>;

/** The content of a file. */
export type Entries = { readonly top: Entry; readonly targets: ReadonlyMap<string, Entry> };

/** Reads a file. Throws UsageError with all places where the file doesn't fit `spec/schemas/config.schema.json`. */
export function readEntries(file: Place): Entries {
  checkShape(file, 'config', MISPLACED);
  const targets = membersOf(file).flatMap(([name, place]) => (name === TARGETS ? membersOf(place) : []));
  return { top: readEntry(file), targets: new Map(targets.map(([name, place]) => [name, readEntry(place)])) };
}

/** The members of a mapping. A key without a value counts as an empty one, because its members can be comments. */
function membersOf(place: Place): [name: string, value: Place][] {
  return (place.value ?? undefined) === undefined
    ? []
    : place.entries().map(([name, value]) => [String(name), value]);
}

function readEntry(file: Place): Entry {
  const settings = membersOf(file).flatMap(([name, place]): [string, ConfigSetting][] => {
    if (name === TARGETS) return [];
    if (NAMED_VALUES[name]) return membersOf(place).map((member) => readNamedValue(name, ...member));
    const members: [string, Place][] = GROUPS[name] ? membersOf(place) : [[name, place]];
    return members.map(([key, member]) => {
      const items = Array.isArray(member.value) ? member.items() : [member];
      const values = items.map((item) => ({ text: String(item.value), place: item }));
      return [key, { name: key, place: member, values }];
    });
  });
  return new Map(settings);
}

function readNamedValue(name: string, member: string, place: Place): [string, ConfigSetting] {
  const { flag = '', join = '' } = NAMED_VALUES[name] ?? {};
  // A pin is JSON, so that the string "1" stays a string. A header is plain text.
  const written = Object.hasOwn(SECRETS, flag) ? String(place.value) : JSON.stringify(place.value ?? null);
  const values = [{ text: `${member}${join}${written}`, place }];
  return [`${name} ${member.toLowerCase()}`, { name: flag, place, values }];
}

/** Parses values as `parse` parses the flag. Fails with the text as the file has it, because a variable can be a secret. */
export function parsed(
  { name, values }: ConfigSetting,
  parse: (text: string, before: unknown) => unknown = (text) => text,
): unknown {
  return values.reduce<unknown>((before, { place, text }) => {
    try {
      return parse(expand(text, place), before);
    } catch (error) {
      if (error instanceof InvalidArgumentError)
        place.fail(`Invalid value ${describe(place.value)} for ${name}. ${error.message}`);
      throw error;
    }
  }, undefined);
}

export function urlOf(entry: Entry): string | undefined {
  const setting = entry.get(URL_KEY);
  if (setting === undefined) return undefined;
  const text = String(parsed(setting));
  return attempt(() => parseBaseUrl(text), setting.place.fail);
}

/** Replaces the variables of a text. Fails for one that is not set. An empty variable counts as unset. */
export function expand(text: string, place: Place): string {
  const { env } = terminal();
  return text.replaceAll(/\$\{([^}]*)\}?/g, (reference, name: string) => {
    if (!IS_VARIABLE.test(reference))
      place.fail(
        `A variable of the environment needs a name of letters, digits, and underscores, such as \${STAGING_TOKEN}.`,
      );
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    return value || place.fail(`The variable ${name} is not set. Set it in the environment.`);
  });
}

const IS_VARIABLE = new RegExp(`^${VARIABLE}$`);

/** Fails for a URL or a pin that is none, and for names that the catalogue or the suite doesn't have. */
export function checkNames(
  entry: Entry,
  catalogue: Catalogue,
  { areas, levels, models, rules }: ReturnType<typeof selectable>,
): void {
  const known: Readonly<Record<string, readonly string[]>> = {
    models,
    area: areas,
    rule: rules,
    level: levels,
  };
  const items = [...entry.values()].flatMap(({ name, values }) =>
    values.map((value) => ({ ...value, name })),
  );
  const contract = { catalogue, references: loadReferences(catalogue), profile: DEFAULT_PROFILE };
  readAll(items, ({ name, place, text }) => {
    if (text.includes('${')) return;
    if (name === URL_KEY) attempt(() => parseBaseUrl(text), place.fail);
    if (name === 'pin') attempt(() => readPins(pinsInFlags([text]), contract), place.fail);
    const names = Object.hasOwn(known, name) ? known[name] : undefined;
    for (const part of names ? text.split(',') : []) {
      const word = name === 'area' ? part.trim().toLowerCase() : part.trim();
      if (!names?.includes(word)) place.fail(unexpected(name.replace(/s$/, ''), word, names ?? []));
    }
  });
}
