import { isDeepStrictEqual } from 'node:util';
import { valueAt } from '../../spec/wire/json-pointer.ts';

/** Words for people, and names of a document's own: no client fails over them. */
const HARMLESS =
  /^(x-.*|description|summary|title|tags|examples?|externalDocs|\$(id|schema|comment|anchor|defs))$/;
/** Keywords whose changes are reported, but never break a client. */
const TOLD = ['default', 'deprecated', 'links', 'jsonSchemaDialect'];
/** Whose members are names, not words. */
const NAMES = ['properties', 'patternProperties', 'dependentSchemas', 'headers', 'schemas'];
/** Whose value is data, in which every word counts. */
const DATA = ['enum', 'const', 'default', 'required', 'scopes', 'mapping'];

/**
 * Compares each keyword as a whole, except the `known` ones, which the caller compares in detail. A change of an
 * unknown keyword can break a client.
 */
export function compareRest(before: Json, after: Json, known: readonly string[], note: Note, place: string) {
  for (const word of namesOf(before, after)) {
    if (known.includes(word) || HARMLESS.test(word)) continue;
    const [was, is] = [before[word], after[word]];
    if (!isSame({ [word]: was }, { [word]: is }))
      note(place, `${word} ${shown(was)} → ${shown(is)}`, !TOLD.includes(word));
  }
}

/** Whether a list has a value. */
export function includes(values: readonly unknown[], value: unknown): boolean {
  return values.some((one) => isDeepStrictEqual(one, value));
}

/** Whether two values say the same, but for harmless words. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(bare(one), bare(other));
}

/** A value without its harmless words. */
export function bare(value: unknown, areNames = false): unknown {
  if (Array.isArray(value)) return value.map((one) => bare(one));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(members(value))
      .filter(([word]) => areNames || !HARMLESS.test(word))
      .map(([word, inner]) => [
        word,
        !areNames && DATA.includes(word) ? inner : bare(inner, !areNames && NAMES.includes(word)),
      ]),
  );
}

/** One difference of two documents. */
export type DocumentChange = {
  /** The place of the difference: a setting, an operation, a part of it, or a field of a schema. */
  readonly place: string;
  /** The difference in words. */
  readonly what: string;
  /** Whether a client that follows the old document can fail with the new one. */
  readonly breaking: boolean;
  /** Whether it is a setting of the profile; other changes can follow from it. */
  readonly isSetting?: true;
};

/** Notes a difference once. */
export type Note = (place: string, what: string, breaking: boolean, isSetting?: true) => void;

/** Calls `gone` or `fresh` for a member that only one side has. Returns false if both have it. */
export function moved(before: Json, after: Json, name: string, gone: () => void, fresh: () => void): boolean {
  const [was, is] = [Object.hasOwn(before, name), Object.hasOwn(after, name)];
  if (!is) gone();
  else if (!was) fresh();
  return !was || !is;
}

/** A part of a document that somebody else may have written: nothing of its shape is known. */
export type Json = { readonly [key: string]: unknown };

/** The members of an object; none if the value is not an object. */
export function members(value: unknown): Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value as a message shows it. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Both names of two objects, each once. */
export function namesOf(before: Json, after: Json): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

/** Returns the target of a reference inside the document, or the value itself. An endless chain has no target. */
export function resolve(value: unknown, document: Json, most = 20): Json {
  const found = members(value);
  const { $ref } = found;
  if (typeof $ref !== 'string') return found;
  if (!$ref.startsWith('#/') || most === 0) return {};
  return resolve(valueAt(document, $ref.slice(1)), document, most - 1);
}
