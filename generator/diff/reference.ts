import { type Json, list, members, resolve } from './json.ts';
import { isSame } from './words.ts';

/** A schema with what it refers to, and what stands beside the reference. OpenAPI 3.0 wraps such a reference. */
export function plain(schema: unknown, document: Json): Json {
  const { $ref, ...beside } = members(schema);
  // What is in another document can only be told apart by its address.
  const isFar = typeof $ref === 'string' && !$ref.startsWith('#/');
  const { allOf, ...whole }: Json = { ...resolve(schema, document), ...beside, ...(isFar && { $ref }) };
  if (allOf === undefined) return whole;
  return list(allOf).length === 1 ? { ...resolve(list(allOf)[0], document), ...whole } : { ...whole, allOf };
}

/** Whether a schema may lead back to itself. */
export function leads(schema: unknown): boolean {
  const { $ref, allOf } = members(schema);
  return $ref !== undefined || allOf !== undefined;
}

/** The name of a schema that is but a reference. */
export function nameIn(schema: unknown): string | undefined {
  const { $ref, ...beside } = members(schema);
  if (typeof $ref !== 'string' || !isSame(beside, {})) return undefined;
  return $ref.split('/').at(-1);
}
