import { InvalidArgumentError } from 'commander';
import type { selectable } from '../../conformance/plan/plan.ts';
import { pinsInFlags, readPins } from '../../conformance/records/values/pins.ts';
import { parseBaseUrl } from '../../conformance/target/target.ts';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { describe, type Place } from '../../spec/files/place.ts';
import { readAll, UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import {
  COMMAND_LINE_ONLY,
  GROUPS,
  type Key,
  NAMED_VALUES,
  SECRETS,
  TARGET_NAME,
  TARGETS,
  topLevelOf,
  URL_KEY,
  VARIABLE,
} from './keys.ts';

/** A value of the file, in the form of the command line. */
export type ConfigSetting = {
  readonly key: Key;
  readonly place: Place;
  /** One for each item of a list. */
  readonly values: readonly { readonly text: string; readonly place: Place }[];
};

/** The settings of the file or of one target, by the names of their keys, and of the members of pins and headers. */
export type Entry = ReadonlyMap<string, ConfigSetting>;

/** The content of a file. */
export type Entries = { readonly top: Map<string, ConfigSetting>; readonly targets: Map<string, Entry> };

/** Reads a file. After a mistake, `entries` has the settings without mistakes. */
export function readEntries(file: Place, keys: ReadonlyMap<string, Key>, entries: Entries): void {
  readEntry(file, keys, entries.top, (place) =>
    readAll(membersOf(place), ([name, child]) => {
      if (!TARGET_NAME.test(String(name)))
        child.fail(
          `${JSON.stringify(name)} can't be the name of a target. Use at most 64 letters, digits, hyphens, and underscores.`,
        );
      const entry = new Map<string, ConfigSetting>();
      entries.targets.set(String(name), entry);
      readEntry(child, keys, entry);
    }),
  );
}

/** The members of a mapping. A key without a value counts as an empty one, because its members can be comments. */
function membersOf(place: Place) {
  return place.value === null || place.value === undefined ? [] : place.entries();
}

function readEntry(
  file: Place,
  keys: ReadonlyMap<string, Key>,
  entry: Map<string, ConfigSetting>,
  readTargets?: (place: Place) => void,
): void {
  const outside = topLevelOf(keys);
  const known = [
    ...outside,
    ...Object.keys(GROUPS),
    ...Object.keys(NAMED_VALUES),
    ...(readTargets ? [TARGETS] : []),
  ];
  readAll(membersOf(file), ([word, place]) => {
    const name = String(word);
    if (name === TARGETS && readTargets) readTargets(place);
    else if (Object.hasOwn(NAMED_VALUES, name)) readNamedValues(name, place, keys, entry);
    else if (Object.hasOwn(GROUPS, name))
      readAll(membersOf(place), ([member, child]) => readKey(member, child, GROUPS[name] ?? []));
    else readKey(name, place, outside, known);
  });

  function readKey(word: unknown, place: Place, names: readonly string[], suggested = names): void {
    const name = String(word);
    if (Object.hasOwn(COMMAND_LINE_ONLY, name)) place.fail(COMMAND_LINE_ONLY[name] ?? '');
    const key = names.includes(name) ? keys.get(name) : undefined;
    if (key) entry.set(name, readSetting(key, place));
    else place.fail(misplaced(name, outside) ?? unexpected('key', name, suggested));
  }
}

/** Returns where a key belongs that is known, but not here. */
function misplaced(name: string, outside: readonly string[]): string | undefined {
  const [group] = Object.entries(GROUPS).find(([, names]) => names.includes(name)) ?? [];
  if (group !== undefined) return `"${name}" belongs in ${group}. Write ${group}: { ${name}: … }.`;
  const [plural] = Object.entries(NAMED_VALUES).find(([, { flag }]) => flag === name) ?? [];
  if (plural !== undefined) return `Unknown key "${name}". Did you mean "${plural}"?`;
  return outside.includes(name) ? `"${name}" belongs outside of this mapping.` : undefined;
}

function readNamedValues(
  name: string,
  place: Place,
  keys: ReadonlyMap<string, Key>,
  entry: Map<string, ConfigSetting>,
): void {
  const { flag = '', join = '' } = NAMED_VALUES[name] ?? {};
  const key = keys.get(flag);
  if (!key) throw new Error(`There is no flag --${flag}.`);
  // The message must not repeat a secret.
  if (place.value !== null && (typeof place.value !== 'object' || Array.isArray(place.value)))
    place.fail(`Expected a mapping in ${name}. Write one line for each name and its value.`);
  readAll(membersOf(place), ([member, child]) => {
    needVariable(flag, child);
    // A pin is JSON, so that the string "1" stays a string. A header is plain text.
    const { value } = child;
    const written = Object.hasOwn(SECRETS, flag) ? String(value) : JSON.stringify(value ?? null);
    const text = `${member}${join}${written}`;
    checkVariables(text, child);
    entry.set(`${name} ${String(member).toLowerCase()}`, {
      key,
      place: child,
      values: [{ text, place: child }],
    });
  });
}

/** Fails if a secret is in the file. The message never repeats the value. */
function needVariable(flag: string, place: Place): void {
  const secret = SECRETS[flag];
  if (secret === undefined) return;
  if (typeof place.value === 'string' && new RegExp(secret.pattern).test(place.value)) return;
  place.fail(
    `${flag} must be a variable of the environment, such as ${secret.example}. Remove the value from the file, and replace it in the service if others could read it.`,
  );
}

function readSetting(key: Key, place: Place): ConfigSetting {
  needVariable(key.name, place);
  const items =
    key.kind === 'array' && Array.isArray(place.value)
      ? place.items().map((item) => ({ text: item.text(), place: item }))
      : [{ text: textOf(key, place), place }];
  readAll(items, ({ text, place: item }) => {
    if (text.trim() === '') item.fail(`${key.name} is empty. Write a value, or remove the key.`);
    checkVariables(text, item);
    if (!hasVariable(text)) parseValue(key, text, item);
  });
  return { key, place, values: items };
}

/** Returns a scalar as on the command line. */
function textOf({ kind }: Key, place: Place): string {
  const { value } = place;
  if (kind === 'switch') {
    if (typeof value === 'boolean') return String(value);
    return place.fail(`Expected true or false, but found ${describe(value)}.`);
  }
  if (kind !== 'integer') return place.text();
  if (typeof value === 'number' || (typeof value === 'string' && hasVariable(value))) return String(value);
  return place.fail(`Expected a whole number, but found ${describe(value)}.`);
}

/** Parses a value as the flag does, after others of the same flag. Fails with the text as the file has it. */
export function parseValue({ name, option }: Key, text: string, place: Place, before?: unknown): unknown {
  if (name === URL_KEY) return locally(place, () => parseBaseUrl(text));
  try {
    return option?.parseArg ? option.parseArg(text, before) : text;
  } catch (error) {
    if (error instanceof InvalidArgumentError)
      place.fail(`Invalid value ${describe(place.value)} for ${name}. ${error.message}`);
    throw error;
  }
}

export function hasVariable(text: string): boolean {
  return text.includes('${');
}

const REFERENCE = new RegExp(VARIABLE, 'g');

function checkVariables(text: string, place: Place): void {
  if (hasVariable(text.replaceAll(REFERENCE, '')))
    place.fail(
      `A variable of the environment needs a name of letters, digits, and underscores, such as \${STAGING_TOKEN}.`,
    );
}

/** Replaces the variables of a text. Fails for one that is not set. An empty variable counts as unset. */
export function expand(
  text: string,
  place: Place,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return text.replaceAll(REFERENCE, (reference) => {
    const name = reference.slice(2, -1);
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    return value || place.fail(`The variable ${name} is not set. Set it in the environment.`);
  });
}

/** Fails for names that the catalogue or the suite doesn't have. */
export function checkNames(
  entry: Entry,
  catalogue: Catalogue,
  { areas, levels, models, rules }: ReturnType<typeof selectable>,
): void {
  const known: Readonly<Record<string, readonly [kind: string, names: readonly string[]]>> = {
    models: ['model', models],
    area: ['area', areas],
    rule: ['rule', rules],
    level: ['level', levels],
  };
  const items = [...entry.values()].flatMap(({ key: { name }, values }) =>
    values.map((value) => ({ ...value, name })),
  );
  const contract = { catalogue, references: loadReferences(catalogue), profile: DEFAULT_PROFILE };
  readAll(items, ({ name, place, text }) => {
    if (hasVariable(text)) return;
    if (name === 'pin') locally(place, () => readPins(pinsInFlags([text]), contract));
    const [kind = '', names = []] = known[name] ?? [];
    const words = kind === '' ? [] : text.split(',').map((part) => part.trim());
    for (const word of name === 'area' ? words.map((one) => one.toLowerCase()) : words)
      if (!names.includes(word)) place.fail(unexpected(kind, word, names));
  });
}

/** Adds file and line to an error. */
export function locally<Result>(place: Place, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof UsageError) place.fail(error.message);
    throw error;
  }
}
