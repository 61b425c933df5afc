import type { Catalogue } from '../catalogue/catalogue.ts';
import { UsageError, unexpected } from '../files/usage-error.ts';
import type { Place } from '../files/yaml-file.ts';

export type SettingValue = string | number | boolean;

/** A question the source leaves open: its possible answers, and where the source leaves it open. */
export type Setting = {
  readonly name: string;
  /** The section of the source that leaves it open. */
  readonly section: string;
  readonly about: string;
  readonly default: unknown;
  /** The default and the other answers: all of them for a closed set, examples for an open one. */
  readonly variants: readonly unknown[];
  /** The settings, with their values, beside which this one means something; all must hold. */
  readonly when: readonly (readonly [name: string, values: readonly SettingValue[]])[];
  /** Takes the value of a profile file; throws UsageError with the way out. */
  read(place: Place, catalogue: Catalogue): unknown;
};

type Read = (name: string, place: Place, catalogue: Catalogue) => unknown;

/** The open sets of answers, by the word in `kind`. */
const KINDS: Readonly<Record<string, Read>> = {
  pointer: (name, place) =>
    matching(name, place, /^(\/[A-Za-z][A-Za-z0-9_-]*){0,8}$/, 'a JSON pointer such as /data, or ""'),
  name: (name, place) =>
    matching(name, place, /^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'a name of letters, digits, - and _'),
  success: (name, place) => whole(name, place, 200, 299),
  refusal: readRefusal,
  // 501 is an answer to a method that does not exist; no other 5xx ever says no.
  absence: (name, place) => (place.value === 501 ? 501 : readRefusal(name, place)),
  count: (name, place) => whole(name, place, 1, 100_000),
  limit: (name, place) => (place.value === 'none' ? 'none' : whole(name, place, 1, 1_000_000, 'none or ')),
  transitions: readTransitions,
  values: readValueLists,
};

/** Reads the ledger of settings, `profile.default.yaml`. */
export function readSettings(file: Place): Setting[] {
  return file.entries().map(([key, place]) => {
    const row = place.value as {
      options?: SettingValue[];
      kind?: string;
      default?: unknown;
      examples?: unknown[];
      when?: Record<string, SettingValue | SettingValue[]>;
      section?: string | number;
      about?: string;
    };
    const name = String(key);
    if (!row?.about || row.section === undefined)
      place.fail(`${name} has no section or about; expected both`);
    const kind = row.kind ?? '';
    const read = row.options ? oneOf(row.options) : Object.hasOwn(KINDS, kind) && KINDS[kind];
    if (!read) return place.fail(unexpected(`the kind of ${name}`, row.kind, Object.keys(KINDS)));
    const variants = row.options ?? [row.default, ...(row.examples ?? [])];
    return {
      name,
      section: String(row.section),
      about: row.about as string,
      default: variants[0],
      variants,
      when: Object.entries(row.when ?? {}).map(([other, values]) => [other, [values].flat()] as const),
      read: (value, catalogue) => read(name, value, catalogue),
    };
  });
}

function oneOf(options: readonly SettingValue[]): Read {
  return (name, place) => {
    // `unset: null` is what a person writes for the option called null.
    const value = place.value === null && options.includes('null') ? 'null' : place.value;
    return options.includes(value as SettingValue) ? value : place.fail(unexpected(name, value, options));
  };
}

function matching(name: string, place: Place, form: RegExp, expected: string): string {
  if (typeof place.value === 'string' && form.test(place.value)) return place.value;
  return place.fail(`${name} is ${JSON.stringify(place.value)}; expected ${expected}`);
}

function whole(name: string, place: Place, least: number, most: number, or = ''): number {
  const { value } = place;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  return place.fail(
    `${name} is ${JSON.stringify(value)}; expected ${or}a whole number from ${least} to ${most}`,
  );
}

/** A status that speaks of who asks, or how often, says nothing of what was asked. */
function readRefusal(name: string, place: Place): number {
  const status = whole(name, place, 400, 499);
  if (![401, 403, 429].includes(status)) return status;
  return place.fail(
    `${name} is ${status}, which speaks of who asks, or how often; expected another status from 400 to 499`,
  );
}

function readTransitions(name: string, place: Place, catalogue: Catalogue): unknown {
  if (place.value === 'any') return 'any';
  if (!isMapping(place.value))
    return place.fail(
      `${name} is ${JSON.stringify(place.value)}; expected any, or for a status field the values each value may move to`,
    );
  for (const [key, moves] of place.entries()) {
    const members = selectField(name, key, moves, catalogue)?.map((choice) => String(choice.value));
    if (!members) return moves.fail(`${name} names ${key}, which has no value list; expected a status field`);
    for (const [from, targets] of moves.entries())
      for (const value of [from, ...targets.items().map((item) => item.value)])
        if (!members.includes(String(value))) moves.fail(unexpected(`a state of ${key}`, value, members));
  }
  return place.value;
}

function readValueLists(name: string, place: Place, catalogue: Catalogue): unknown {
  if (!isMapping(place.value))
    return place.fail(
      `${name} is ${JSON.stringify(place.value)}; expected lists of values by model.field, or under fkModel`,
    );
  for (const [key, list] of place.entries()) {
    const items = list.items().map((item) => item.value);
    if (items.length === 0) list.fail(`${name} of ${key} are empty; expected at least one`);
    if (new Set(items).size < items.length)
      list.fail(`${name} of ${key} name a value twice; expected each once`);
    if (key === 'fkModel') {
      const models = [...catalogue.models.keys()];
      for (const item of items)
        if (!models.includes(item as string)) list.fail(unexpected(`${name} of fkModel`, item, models));
      continue;
    }
    if (selectField(name, key, list, catalogue))
      list.fail(
        `${name} of ${key} are stated by the catalogue; expected a select field without a list there`,
      );
    const kinds = new Set(items.map((item) => typeof item));
    if (kinds.size !== 1 || !items.every((item) => typeof item === 'string' || Number.isFinite(item)))
      list.fail(`${name} of ${key} are ${JSON.stringify(items)}; expected numbers, or texts`);
  }
  return place.value;
}

function isMapping(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The value list of a select field, or undefined where the catalogue has none; fails when it is no select field. */
function selectField(name: string, key: unknown, place: Place, catalogue: Catalogue) {
  const [model = ''] = String(key).split('.');
  const found = catalogue.models.get(model)?.fields.find((candidate) => candidate.key === key);
  if (found?.type === 'select') return found.choices;
  const selects = [...catalogue.models.values()].flatMap((owner) =>
    owner.fields
      .filter((candidate) => candidate.type === 'select')
      .map((candidate) => `${owner.name}.${candidate.name}`),
  );
  if (selects.length === 0)
    throw new UsageError(`${place.at}: ${name} names ${key}; the catalogue has no select field`);
  return place.fail(unexpected(`a field of ${name}`, key, selects));
}
