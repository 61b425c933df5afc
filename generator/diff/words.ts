import type { Note } from './change.ts';
import { isEqual, type Json, members, namesOf, shown } from './json.ts';

/** Words for people, and names of a document's own: no client fails over them. */
const HARMLESS =
  /^(x-.*|description|summary|title|tags|examples?|externalDocs|\$(id|schema|comment|anchor|defs))$/;
/** Words that are worth telling, and break nobody. */
const TOLD = ['default', 'deprecated', 'links', 'jsonSchemaDialect'];
/** Whose members are names, not words. */
const NAMES = ['properties', 'patternProperties', 'dependentSchemas', 'headers', 'schemas'];
/** Whose value is data, in which every word counts. */
const DATA = ['enum', 'const', 'default', 'required', 'scopes', 'mapping'];

/**
 * Compares as a whole every word that is not among the `known`, which the caller compares better. What nobody here
 * understands may break a client.
 */
export function compareRest(before: Json, after: Json, known: readonly string[], note: Note, place: string) {
  for (const word of namesOf(before, after)) {
    if (known.includes(word) || HARMLESS.test(word)) continue;
    const [was, is] = [before[word], after[word]];
    if (!isSame({ [word]: was }, { [word]: is }))
      note(place, `${word} ${shown(was)} → ${shown(is)}`, !TOLD.includes(word));
  }
}

/** Whether two values say the same, but for harmless words. */
export function isSame(one: unknown, other: unknown): boolean {
  return isEqual(bare(one), bare(other));
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
