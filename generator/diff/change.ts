import type { Json } from './json.ts';

/** One difference of two documents. */
export type Change = {
  /** What is different: an operation, a part of it, or a field of a schema. */
  readonly place: string;
  /** In words. */
  readonly what: string;
  /** Whether a client that kept to the old document can fail under the new one. */
  readonly breaking: boolean;
};

/** Notes a difference; the same one counts once. */
export type Note = (place: string, what: string, breaking: boolean) => void;

/** Tells of a member that only one side has; false where both have it, and the caller compares them. */
export function moved(before: Json, after: Json, name: string, gone: () => void, fresh: () => void): boolean {
  const [was, is] = [Object.hasOwn(before, name), Object.hasOwn(after, name)];
  if (!is) gone();
  else if (!was) fresh();
  return !was || !is;
}
