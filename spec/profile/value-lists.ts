import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Choice } from '../catalogue/field.ts';
import type { Place } from '../files/place.ts';
import { unexpected } from '../files/usage-error.ts';
import type { OptionSchema } from './kinds.ts';

/**
 * The allowed moves of status fields: `model.field` → value → the values it may move to; under `new` those that a new
 * record may have.
 */
export type Transitions =
  | 'any'
  | Readonly<Record<string, Readonly<Record<string, readonly (string | number)[]>>>>;

type Members = readonly (string | number)[];

/**
 * The values of selects whose list the source does not show, by `model.field`, and under `fkModel` the models an
 * fkModel may name: the complete list, or values that work where there may be others.
 */
export type ValueLists = Readonly<Record<string, Members | { readonly works: Members }>>;

const MEMBERS = {
  type: 'array',
  items: { type: ['string', 'number'], 'x-expected': 'a number or a string' },
  minItems: 1,
  uniqueItems: true,
  'x-expected': 'a list of at least one value, and of each value once',
};
const WORKS = {
  type: 'object',
  required: ['works'],
  properties: { works: MEMBERS },
  additionalProperties: false,
};

const MOVES = { ...MEMBERS, minItems: 0, 'x-expected': 'a list of different values' };
const BY_VALUE = { type: 'object', additionalProperties: MOVES };

export const TRANSITIONS: OptionSchema = {
  anyOf: [{ const: 'any' }, { type: 'object', additionalProperties: BY_VALUE }],
  'x-expected': 'any, or a mapping from status fields to the moves of each value',
};

export const VALUE_LISTS: OptionSchema = {
  type: 'object',
  additionalProperties: { anyOf: [MEMBERS, WORKS] },
  'x-expected': 'a mapping from model.field, or fkModel, to lists of values',
};

/** Returns the complete list of values under a key; undefined if it is not known. */
export function completeList(lists: ValueLists, key: string): Members | undefined {
  const list = Object.hasOwn(lists, key) ? lists[key] : undefined;
  return list !== undefined && 'works' in list ? undefined : list;
}

/** Values under a key that work, be they all of them or not; undefined where none is known. */
export function workingValues(lists: ValueLists, key: string): Members | undefined {
  const list = Object.hasOwn(lists, key) ? lists[key] : undefined;
  return list !== undefined && 'works' in list ? list.works : list;
}

/** Reads the allowed moves. Throws UsageError for a field without a value list, and for a value that is not in it. */
export function readTransitions(place: Place, name: string, catalogue: Catalogue): Transitions {
  if (place.value === 'any') return 'any';
  for (const [key, moves] of place.entries()) {
    const members = selectField(name, key, moves, catalogue)?.map((choice) => choice.value);
    if (!members)
      return moves.fail(
        `${name} can't name ${key} because that field has no value list. Use a field with states, such as a status.`,
      );
    for (const [from, { value: targets }] of moves.entries())
      for (const value of [...(from === 'new' ? [] : [from]), ...(targets as Members)])
        if (!members.some((member) => String(member) === String(value)))
          moves.fail(unexpected('state', value, members, `for ${key}`));
  }
  return place.value as Transitions;
}

/** Reads value lists. Throws UsageError for a field that can't have one here, and for an unknown model. */
export function readValueLists(place: Place, name: string, catalogue: Catalogue): ValueLists {
  const lists = place.value as ValueLists;
  for (const [key, at] of place.entries()) {
    const items = workingValues(lists, String(key)) ?? [];
    if (key === 'fkModel') {
      const models = [...catalogue.models.keys()];
      for (const item of items)
        if (!models.includes(String(item)))
          at.fail(unexpected('model', item, models, `in ${name} for fkModel`));
    } else if (selectField(name, key, at, catalogue)) {
      at.fail(`${name} can't name ${key} because the catalogue lists its values. Remove this entry.`);
    } else if (new Set(items.map((item) => typeof item)).size > 1) {
      at.fail(`${name} for ${key} must be all numbers or all strings, but is ${JSON.stringify(items)}.`);
    }
  }
  return lists;
}

/** The value list of a select field, or undefined where the catalogue has none; fails when it is no select field. */
function selectField(
  name: string,
  key: unknown,
  place: Place,
  catalogue: Catalogue,
): readonly Choice[] | undefined {
  const fields = [...catalogue.models.values()].flatMap((model) => model.fields);
  const selects = fields.filter(({ type }) => type === 'select');
  const found = selects.find((field) => field.key === key);
  if (found) return found.choices;
  const keys = selects.map((field) => field.key);
  return place.fail(unexpected('select field', key, keys, `in ${name}`));
}
