import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Choice } from '../catalogue/field.ts';
import type { Place } from '../files/place.ts';
import { unexpected } from '../files/usage-error.ts';
import { question, refuse } from './kinds.ts';
import type { Declaration, Question } from './setting.ts';

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

type Examples<Value> = Question & { readonly default: Value; readonly examples: readonly Value[] };

const MEMBERS = { type: 'array', items: { type: ['string', 'number'] }, minItems: 1, uniqueItems: true };

export function transitions(open: Examples<Transitions>): Declaration<Transitions> {
  const moves = { type: 'object', additionalProperties: { ...MEMBERS, minItems: 0 } };
  return {
    ...question(open),
    schema: { anyOf: [{ const: 'any' }, { type: 'object', additionalProperties: moves }] },
    read: readTransitions,
  };
}

export function valueLists(open: Examples<ValueLists>): Declaration<ValueLists> {
  const works = {
    type: 'object',
    required: ['works'],
    properties: { works: MEMBERS },
    additionalProperties: false,
  };
  return {
    ...question(open),
    schema: { type: 'object', additionalProperties: { anyOf: [MEMBERS, works] } },
    read: readValueLists,
  };
}

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

function readTransitions(name: string, place: Place, catalogue: Catalogue): Transitions {
  if (place.value === 'any') return 'any';
  if (!isMapping(place.value))
    return refuse(name, place, 'any, or a mapping from status fields to the moves of each value');
  for (const [key, moves] of place.entries()) {
    const members = selectField(name, key, moves, catalogue)?.map((choice) => choice.value);
    if (!members)
      return moves.fail(
        `${name} can't name ${key} because that field has no value list. Use a field with states, such as a status.`,
      );
    for (const [from, targets] of moves.entries())
      for (const value of [...(from === 'new' ? [] : [from]), ...targets.items().map((item) => item.value)])
        if (!members.some((member) => String(member) === String(value)))
          moves.fail(unexpected('state', value, members, `for ${key}`));
  }
  return place.value as Transitions;
}

function readValueLists(name: string, place: Place, catalogue: Catalogue): ValueLists {
  if (!isMapping(place.value))
    return refuse(name, place, 'a mapping from model.field, or fkModel, to lists of values');
  for (const [key, list] of place.entries()) readList(name, String(key), membersIn(list), catalogue);
  return place.value as ValueLists;
}

/** The list itself, or the one under `works`. */
function membersIn(list: Place): Place {
  if (!isMapping(list.value)) return list;
  const [[key, inner] = ['nothing', undefined], ...others] = list.entries();
  if (key === 'works' && inner && others.length === 0) return inner;
  if (!inner) return list.fail('The mapping is empty. Add the key works.');
  return list.fail(unexpected('key', others[0]?.[0] ?? key, ['works']));
}

function readList(name: string, key: string, list: Place, catalogue: Catalogue): void {
  const items = list.items().map((item) => item.value);
  if (items.length === 0) list.fail(`${name} for ${key} must have at least one value.`);
  if (new Set(items).size < items.length)
    list.fail(`${name} for ${key} lists a value twice. List each value once.`);
  if (key === 'fkModel') {
    const models = [...catalogue.models.keys()];
    for (const item of items)
      if (!models.includes(item as string))
        list.fail(unexpected('model', item, models, `in ${name} for fkModel`));
    return;
  }
  if (selectField(name, key, list, catalogue))
    list.fail(`${name} can't name ${key} because the catalogue lists its values. Remove this entry.`);
  const kinds = new Set(items.map((item) => typeof item));
  if (kinds.size !== 1 || !items.every((item) => typeof item === 'string' || Number.isFinite(item)))
    list.fail(`${name} for ${key} must be all numbers or all strings, but is ${JSON.stringify(items)}.`);
}

function isMapping(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The value list of a select field, or undefined where the catalogue has none; fails when it is no select field. */
function selectField(
  name: string,
  key: unknown,
  place: Place,
  catalogue: Catalogue,
): readonly Choice[] | undefined {
  const [model = ''] = String(key).split('.');
  const found = catalogue.models.get(model)?.fields.find((candidate) => candidate.key === key);
  if (found?.type === 'select') return found.choices;
  const selects = [...catalogue.models.values()].flatMap((owner) =>
    owner.fields
      .filter((candidate) => candidate.type === 'select')
      .map((candidate) => `${owner.name}.${candidate.name}`),
  );
  if (selects.length === 0)
    place.fail(`${name} can't name ${key} because the catalogue has no select field. Remove this entry.`);
  return place.fail(unexpected('field', key, selects, `in ${name}`));
}
