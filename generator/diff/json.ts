import { valueAt } from '../../spec/wire/json-pointer.ts';

/** A part of a document that somebody else may have written: nothing of its shape is known. */
export type Json = { readonly [key: string]: unknown };

/** The members of an object, none of what is no object. */
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

/** Whether two values are the same, in whatever order their members stand. */
export { isDeepStrictEqual as isEqual } from 'node:util';

/** What a reference inside the document leads to; other values as they are. A chain that does not end leads nowhere. */
export function resolve(value: unknown, document: Json, most = 20): Json {
  const found = members(value);
  const { $ref } = found;
  if (typeof $ref !== 'string') return found;
  if (!$ref.startsWith('#/') || most === 0) return {};
  return resolve(valueAt(document, $ref.slice(1)), document, most - 1);
}
