import type { Note } from './change.ts';
import { isEqual, type Json, list, members, namesOf, resolve, shown } from './json.ts';

/** Who is to understand the values: the service those of a request, the client those of an answer. */
export type Direction = 'request' | 'answer';

export type Documents = { readonly before: Json; readonly after: Json };

type Pair = { readonly before: unknown; readonly after: unknown };

/**
 * Compares two schemas and notes what is different. Named schemas are compared once for each direction, under their
 * own name. What a service takes may grow, and what it answers may shrink, without breaking a client.
 */
export function createSchemaDiff(documents: Documents, note: Note) {
  const compared = new Set<string>();
  return compare;

  function compare(pair: Pair, direction: Direction, place: string): void {
    const [was, is] = [nameIn(pair.before), nameIn(pair.after)];
    const own = is !== undefined ? `${is} (${direction})` : place;
    if (was !== undefined && is !== undefined) {
      const key = `${was} ${is} ${direction}`;
      if (compared.has(key)) return;
      compared.add(key);
    }
    const before = unwrap(resolve(pair.before, documents.before), documents.before);
    const after = unwrap(resolve(pair.after, documents.after), documents.after);
    const say = (what: string, isNarrower: boolean, isWider: boolean) =>
      note(own, what, direction === 'request' ? isNarrower : isWider);
    compareTypes(before, after, say);
    compareValues(before, after, say);
    compareLimits(before, after, say);
    compareProperties(before, after, direction, own);
    if (before.items !== undefined && after.items !== undefined)
      compare({ before: before.items, after: after.items }, direction, `${own}/items`);
  }

  function compareProperties(before: Json, after: Json, direction: Direction, place: string): void {
    const [were, are] = [members(before.properties), members(after.properties)];
    const [needed, needs] = [list(before.required), list(after.required)];
    for (const name of namesOf(were, are)) {
      const at = `${place}/${name}`;
      const isRequired = needs.includes(name);
      if (!Object.hasOwn(are, name)) note(at, 'is gone', direction === 'answer' || !accepts(after, name));
      else if (!Object.hasOwn(were, name))
        note(at, isRequired ? 'is new, and required' : 'is new', direction === 'request' && isRequired);
      else {
        if (isRequired !== needed.includes(name))
          note(
            at,
            isRequired ? 'is required now' : 'is optional now',
            isRequired === (direction === 'request'),
          );
        compare({ before: were[name], after: are[name] }, direction, at);
      }
    }
    if (direction === 'answer') return;
    const refused = [...list(members(before.propertyNames).enum)].filter(
      (name) => !Object.hasOwn(were, String(name)) && !accepts(after, String(name)),
    );
    for (const name of refused) note(`${place}/${name}`, 'is refused now', true);
    if (isOpen(before) && !isOpen(after)) note(place, 'refuses unknown fields now', true);
    if (!isOpen(before) && isOpen(after)) note(place, 'takes unknown fields now', false);
  }
}

type Say = (what: string, isNarrower: boolean, isWider: boolean) => void;

function compareTypes(before: Json, after: Json, say: Say): void {
  const [were, are] = [typesOf(before), typesOf(after)];
  if (were.length === 0 && are.length === 0) return;
  const holds = (types: readonly string[], type: string) =>
    types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'));
  const isNarrower = were.length === 0 || were.some((type) => !holds(are, type));
  const isWider = are.length === 0 || are.some((type) => !holds(were, type));
  if (isNarrower || isWider)
    say(`type ${shown(were.join(' or '))} → ${are.join(' or ')}`, isNarrower, isWider);
  if (before.format !== after.format)
    say(`format ${shown(before.format)} → ${shown(after.format)}`, true, true);
  if (before['x-type'] !== after['x-type'])
    say(`source type ${shown(before['x-type'])} → ${shown(after['x-type'])}`, false, false);
}

function compareValues(before: Json, after: Json, say: Say): void {
  if (before.enum === undefined && after.enum === undefined) return;
  // Whether null is among them, the type says.
  const [were, are] = [before.enum, after.enum].map((values) =>
    list(values).filter((value) => value !== null),
  );
  if (before.enum === undefined || after.enum === undefined) {
    const isListed = after.enum !== undefined;
    say(
      isListed ? `values are listed now: ${shown(are)}` : 'values are no longer listed',
      isListed,
      !isListed,
    );
    return;
  }
  const gone = (were ?? []).filter((value) => !are?.includes(value));
  const more = (are ?? []).filter((value) => !were?.includes(value));
  if (gone.length > 0) say(`values gone: ${gone.map(shown).join(', ')}`, true, false);
  if (more.length > 0) say(`new values: ${more.map(shown).join(', ')}`, false, true);
}

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];

function compareLimits(before: Json, after: Json, say: Say): void {
  for (const word of [...UPPER, ...LOWER, 'pattern', 'uniqueItems', 'multipleOf']) {
    const [was, is] = [before[word], after[word]];
    if (isEqual(was, is)) continue;
    const isUpper = UPPER.includes(word);
    const isLooser =
      is === undefined ||
      is === false ||
      (typeof was === 'number' &&
        typeof is === 'number' &&
        word !== 'multipleOf' &&
        (isUpper ? is > was : is < was));
    // A client that reads a longer text is no broken client.
    say(`${word} ${shown(was)} → ${shown(is)}`, !isLooser, false);
  }
}

function typesOf(schema: Json): string[] {
  const types = [schema.type ?? []].flat().map(String);
  return schema.nullable === true && !types.includes('null') ? [...types, 'null'] : types;
}

function isOpen(schema: Json): boolean {
  return schema.additionalProperties !== false && members(schema.propertyNames).enum === undefined;
}

function accepts(schema: Json, name: string): boolean {
  if (schema.additionalProperties === false) return Object.hasOwn(members(schema.properties), name);
  const names = members(schema.propertyNames).enum;
  return names === undefined || list(names).includes(name);
}

/** OpenAPI 3.0 wraps a reference that has other words beside it. */
function unwrap(schema: Json, document: Json): Json {
  const all = list(schema.allOf);
  if (all.length !== 1) return schema;
  const { allOf: _, ...beside } = schema;
  return { ...resolve(all[0], document), ...beside };
}

function nameIn(schema: unknown): string | undefined {
  const { $ref } = members(schema);
  return typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
}
