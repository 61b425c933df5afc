import type { Json } from './json.ts';

/** One difference of two documents. */
export type Change = {
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
