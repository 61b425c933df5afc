import { isDeepStrictEqual } from 'node:util';
import {
  compareRest,
  includes,
  isSame,
  type Json,
  list,
  members,
  moved,
  type Note,
  namesOf,
  resolve,
  shown,
} from './words.ts';

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];

const LIMITS = [...UPPER, ...LOWER, 'pattern', 'uniqueItems', 'multipleOf'];

const SHAPE = ['type', 'nullable', 'format', 'enum', 'const', 'items'];

const MEMBERS = ['properties', 'required', 'additionalProperties', 'propertyNames'];

/** The keywords of a schema that are compared one by one. All others are compared as a whole. */
const UNDERSTOOD = [...LIMITS, ...SHAPE, ...MEMBERS];

/** Values, which hold no schemas. */
const DATA = ['default', 'example', 'examples'];

/** The members of a parameter that are compared one by one. All others are compared as a whole. */
const PARAMETER = ['name', 'in', 'required', 'schema', 'content'];

/** Compares what two operations take and answer: parameters, body, answers with their headers. */
export function createMessageDiff({ before, after }: Documents, note: Note) {
  const compareSchema = createSchemaDiff({ before, after }, note);
  return (was: Json, is: Json, place: string): void => {
    compareParameters(was, is, place);
    compareBody(resolve(was.requestBody, before), resolve(is.requestBody, after), place);
    compareAnswers(members(was.responses), members(is.responses), place);
  };

  function compareParameters(was: Json, is: Json, place: string): void {
    const [had, has] = [parametersOf(was, before), parametersOf(is, after)];
    for (const name of namesOf(had, has)) {
      const [old, now] = [members(had[name]), members(has[name])];
      const at = `${place} ${now.in ?? old.in} ${now.name ?? old.name}`;
      const isNeeded = now.required === true;
      const isNew = isNeeded ? 'is new and required' : 'is new';
      const tell = (what: string, breaks: boolean) => () => note(at, what, breaks);
      if (moved(had, has, name, tell('is removed', true), tell(isNew, isNeeded))) continue;
      compareRequired(old, now, at);
      // Clients fill in a path by its places.
      if (old.name !== now.name) note(at, `was called ${shown(old.name)}`, false);
      compareRest(old, now, PARAMETER, note, at);
      compareContent(members(old.content), members(now.content), 'request', at);
      compareSchema({ before: old.schema ?? {}, after: now.schema ?? {} }, 'request', at);
    }
  }

  function compareRequired(was: Json, is: Json, at: string): void {
    const isNeeded = is.required === true;
    if ((was.required === true) !== isNeeded)
      note(at, isNeeded ? 'is required now' : 'is optional now', isNeeded);
  }

  function compareBody(was: Json, is: Json, place: string): void {
    if (was.content === undefined && is.content === undefined) return;
    const at = `${place} body`;
    compareRequired(was, is, at);
    compareRest(was, is, ['required', 'content'], note, at);
    compareContent(members(was.content), members(is.content), 'request', at);
  }

  function compareAnswers(was: Json, is: Json, place: string): void {
    for (const status of namesOf(was, is)) {
      const at = `${place} ${status}`;
      const isSuccess = status.startsWith('2');
      const tell = (what: string) => () => note(at, what, isSuccess);
      if (moved(was, is, status, tell('is no longer returned'), tell('is also returned now'))) continue;
      const [old, now] = [resolve(was[status], before), resolve(is[status], after)];
      compareRest(old, now, ['content', 'headers'], note, at);
      compareHeaders(members(old.headers), members(now.headers), at);
      compareContent(members(old.content), members(now.content), 'response', at);
    }
  }

  function compareHeaders(was: Json, is: Json, place: string): void {
    const [had, has] = [lowerCased(was), lowerCased(is)];
    for (const name of namesOf(had, has)) {
      const at = `${place} header ${name}`;
      const tell = (what: string, breaks: boolean) => () => note(at, what, breaks);
      if (moved(had, has, name, tell('is removed', true), tell('is new', false))) continue;
      const [old, now] = [resolve(had[name], before), resolve(has[name], after)];
      const isSure = now.required === true;
      if ((old.required === true) !== isSure)
        note(at, isSure ? 'is always present now' : 'might be missing now', !isSure);
      compareRest(old, now, ['required', 'schema'], note, at);
      compareSchema({ before: old.schema ?? {}, after: now.schema ?? {} }, 'response', at);
    }
  }

  function compareContent(was: Json, is: Json, direction: Direction, at: string): void {
    for (const type of namesOf(was, is)) {
      const tell = (what: string, breaks: boolean) => () => note(at, `${type} is ${what}`, breaks);
      if (moved(was, is, type, tell('removed', true), tell('new', false))) continue;
      const [old, now] = [members(was[type]), members(is[type])];
      compareRest(old, now, ['schema'], note, `${at} ${type}`);
      compareSchema({ before: old.schema ?? {}, after: now.schema ?? {} }, direction, `${at} ${direction}`);
    }
  }
}

/** The parameters of an operation, by where they stand and what they are called; those of the path by their place. */
function parametersOf(operation: Json, document: Json): Json {
  const places = [...String(operation['x-name']).matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  return Object.fromEntries(
    list(operation.parameters).map((one) => {
      const parameter = resolve(one, document);
      const { in: where, name } = parameter;
      const place = where === 'path' ? places.indexOf(String(name)) : -1;
      return [`${where} ${place < 0 ? name : `{${place}}`}`, withDefaults(parameter)];
    }),
  );
}

/** How values are written when nothing is said (OpenAPI, "Parameter Object"). */
function withDefaults(parameter: Json): Json {
  const style = ['query', 'cookie'].includes(String(parameter.in)) ? 'form' : 'simple';
  return { style, explode: (parameter.style ?? style) === 'form', ...parameter };
}

function lowerCased(headers: Json): Json {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Where the values are: in a request, which the service reads, or in a response, which the client reads. */
type Direction = 'request' | 'response';

type Documents = { readonly before: Json; readonly after: Json };

type Pair = { readonly before: unknown; readonly after: unknown };

/**
 * Compares two schemas and notes the differences. A named schema is compared once for each direction, under its name.
 * A request that allows more and a response that allows less don't break a client.
 */
function createSchemaDiff(documents: Documents, note: Note) {
  const compared = new Set<string>();
  return compare;

  function compare(pair: Pair, direction: Direction, place: string): void {
    const [was, is] = [nameIn(pair.before), nameIn(pair.after)];
    const own = is !== undefined ? `${is} (${direction})` : place;
    const key =
      leads(pair.before) && leads(pair.after) && JSON.stringify([pair.before, pair.after, direction]);
    const isKnown = key !== false && compared.has(key);
    if (isKnown && was !== undefined && is !== undefined) return;
    if (key !== false) compared.add(key);
    if ((pair.before === false) !== (pair.after === false))
      note(own, pair.after === false ? 'no longer accepts a value' : 'accepts a value now', true);
    const before = plain(pair.before, documents.before);
    const after = plain(pair.after, documents.after);
    const say = (what: string, isNarrower: boolean, isWider: boolean) =>
      note(own, what, direction === 'request' ? isNarrower : isWider);
    compareTypes(before, after, say);
    compareValues(before, after, say);
    compareLimits(before, after, say);
    const names = [before, after].map((schema) => ({ ...members(schema.propertyNames), enum: undefined }));
    compareRest(names[0] ?? {}, names[1] ?? {}, ['enum'], note, `${own} names`);
    compareRest(before, after, UNDERSTOOD, note, own);
    // The first place already has the differences inside it.
    if (isKnown) return;
    compareProperties(before, after, direction, own);
    if (before.items !== undefined || after.items !== undefined)
      compare({ before: before.items ?? {}, after: after.items ?? {} }, direction, `${own}/items`);
    for (const word of namesOf(before, after))
      if (!UNDERSTOOD.includes(word) && !DATA.includes(word) && isSame(before[word], after[word]))
        compareWithin({ before: before[word], after: after[word] }, direction, `${own}/${word}`);
  }

  /** Compares the references inside two equal values, because their targets can differ. */
  function compareWithin(pair: Pair, direction: Direction, place: string): void {
    if (typeof members(pair.before).$ref === 'string') {
      compare(pair, direction, place);
      return;
    }
    const membersOf = (value: unknown): Json => (Array.isArray(value) ? { ...value } : members(value));
    const [was, is] = [membersOf(pair.before), membersOf(pair.after)];
    for (const [name, before] of Object.entries(was))
      compareWithin({ before, after: is[name] }, direction, `${place}/${name}`);
  }

  function compareProperties(before: Json, after: Json, direction: Direction, place: string): void {
    const [were, are] = [members(before.properties), members(after.properties)];
    const [needed, needs] = [list(before.required), list(after.required)];
    for (const name of namesOf(were, are)) {
      const at = `${place}/${name}`;
      const isRequired = needs.includes(name);
      const isNew = isRequired ? 'is new and required' : 'is new';
      const gone = () => note(at, 'is removed', direction === 'response' || !accepts(after, name));
      const fresh = () => note(at, isNew, direction === 'request' && isRequired);
      if (moved(were, are, name, gone, fresh)) continue;
      const breaks = isRequired === (direction === 'request');
      if (isRequired !== needed.includes(name))
        note(at, isRequired ? 'is required now' : 'is optional now', breaks);
      compare({ before: were[name], after: are[name] }, direction, at);
    }
    const [others, other] = [before.additionalProperties ?? true, after.additionalProperties ?? true];
    const isTyped = [others, other].some((one) => typeof one === 'object');
    if (isTyped && others !== false && other !== false)
      compare({ before: others, after: other }, direction, `${place}/*`);
    if (direction === 'response') {
      if (others === false && other !== false) note(place, 'might have unknown fields now', false);
      if (others !== false && other === false) note(place, 'has no unknown fields now', false);
      return;
    }
    for (const name of list(members(before.propertyNames).enum).map(String))
      if (!Object.hasOwn(were, name) && !accepts(after, name))
        note(`${place}/${name}`, 'is rejected now', true);
    if (isOpen(before) && !isOpen(after)) note(place, 'rejects unknown fields now', true);
    if (!isOpen(before) && isOpen(after)) note(place, 'accepts unknown fields now', false);
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
  const [were, are] = [valuesOf(before), valuesOf(after)];
  if (were === undefined && are === undefined) return;
  if (were === undefined || are === undefined) {
    const what = are ? `values are listed now: ${shown(are)}` : 'values are no longer listed';
    say(what, are !== undefined, are === undefined);
    return;
  }
  const gone = were.filter((value) => !includes(are, value));
  const more = are.filter((value) => !includes(were, value));
  if (gone.length > 0) say(`values removed: ${gone.map(shown).join(', ')}`, true, false);
  if (more.length > 0) say(`values added: ${more.map(shown).join(', ')}`, false, true);
}

function compareLimits(before: Json, after: Json, say: Say): void {
  for (const word of LIMITS) {
    const [was, is] = [before[word], after[word]];
    if (isDeepStrictEqual(was, is)) continue;
    const isUpper = UPPER.includes(word);
    const isFreer = word !== 'multipleOf' && (isUpper ? Number(is) > Number(was) : Number(is) < Number(was));
    const areNumbers = typeof was === 'number' && typeof is === 'number';
    const isLooser = is === undefined || is === false || (areNumbers && isFreer);
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

/** The values that are listed; a constant is a list of one. */
function valuesOf(schema: Json): readonly unknown[] | undefined {
  const values = 'const' in schema ? [schema.const] : schema.enum;
  // Whether null is among them, the type says, where there is one.
  return values === undefined
    ? undefined
    : list(values).filter((value) => value !== null || typesOf(schema).length === 0);
}

/** Returns a schema merged with its reference. OpenAPI 3.0 wraps a reference that has other keywords next to it. */
function plain(schema: unknown, document: Json): Json {
  const { $ref, ...beside } = members(schema);
  // A schema in another document is compared by its address only.
  const isFar = typeof $ref === 'string' && !$ref.startsWith('#/');
  const { allOf, ...whole }: Json = { ...resolve(schema, document), ...beside, ...(isFar && { $ref }) };
  if (allOf === undefined) return whole;
  return list(allOf).length === 1 ? { ...resolve(list(allOf)[0], document), ...whole } : { ...whole, allOf };
}

/** Whether a schema may lead back to itself. */
function leads(schema: unknown): boolean {
  const { $ref, allOf } = members(schema);
  return $ref !== undefined || allOf !== undefined;
}

/** The name of a schema that is but a reference. */
function nameIn(schema: unknown): string | undefined {
  const { $ref, ...beside } = members(schema);
  if (typeof $ref !== 'string' || !isSame(beside, {})) return undefined;
  return $ref.split('/').at(-1);
}
