import { isObject } from './check-options.ts';
import { UsageError } from './usage-error.ts';

/** A key of a mapping. */
export type MappingKey = string | number | boolean;

/** A value of a file that knows its line, so that every complaint can name file and line. */
export type Place = {
  /** Plain JavaScript value. */
  readonly value: unknown;
  /** It was read and checked when the package was built. */
  readonly isBuilt?: true;
  /** The first line of the value, from 1. */
  readonly line: number;
  /** Throws a UsageError that begins with file and line. */
  fail(message: string): never;
  /** Fails because something else was expected, such as `a list`. Names the key of the value, or of its list. */
  refuse(expected: string): never;
  /** The entries of a mapping, in order; fails when this is something else. */
  entries(): [key: MappingKey, value: Place][];
  /** The items of a sequence, in order; fails when this is something else. */
  items(): Place[];
  /** The text of a scalar; fails when this is something else. */
  text(): string;
};

/** Returns the place of a value, with mappings as objects or as `Map`. Without `lineOf`, all of it is on the first line. */
export function placeOf(
  written: unknown,
  name: string,
  lineOf: (path: readonly unknown[]) => number = () => 1,
  path: readonly unknown[] = [],
): Place {
  const value = toPlain(written);
  const fail = (message: string): never => {
    throw new UsageError(`${name}:${lineOf(path)}: ${message}`);
  };
  const key = path.findLast((step) => typeof step !== 'number');
  const called = key === undefined ? '' : ` for ${key === path.at(-1) ? '' : 'an item of '}${key}`;
  const refuse = (expected: string) => fail(`Expected ${expected}${called}, but found ${describe(value)}.`);
  const inside = (step: unknown, member: unknown) => placeOf(member, name, lineOf, [...path, step]);
  return {
    value,
    get line() {
      return lineOf(path);
    },
    fail,
    refuse,
    entries: () =>
      membersOf(written)?.map(([key, member]) => [key, inside(key, member)]) ?? refuse('a mapping'),
    items: () =>
      Array.isArray(written) ? written.map((item, index) => inside(index, item)) : refuse('a list'),
    text: () => (typeof value === 'string' ? value : refuse('a string')),
  };
}

function membersOf(value: unknown): [MappingKey, unknown][] | undefined {
  if (value instanceof Map) return [...value];
  return isObject(value) ? Object.entries(value) : undefined;
}

function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  const members = membersOf(value);
  return members ? Object.fromEntries(members.map(([key, member]) => [key, toPlain(member)])) : value;
}

/** Describes a value, for a message about a mistake. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (isObject(value)) return Object.keys(value).length === 0 ? 'an empty mapping' : 'a mapping';
  return value === null || value === undefined ? 'nothing' : JSON.stringify(value);
}
