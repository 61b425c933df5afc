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

export function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

/** What a reference inside the document leads to; other values as they are. A chain that does not end leads nowhere. */
export function resolve(value: unknown, document: Json, most = 20): Json {
  const found = members(value);
  const { $ref } = found;
  if (typeof $ref !== 'string') return found;
  if (!$ref.startsWith('#/') || most === 0) return {};
  const steps = $ref.slice(2).split('/');
  const target = steps.reduce<unknown>((at, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return Object.hasOwn(members(at), name) ? members(at)[name] : undefined;
  }, document);
  return resolve(target, document, most - 1);
}
