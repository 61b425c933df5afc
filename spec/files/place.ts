import { UsageError } from './usage-error.ts';

/** A key of a mapping. */
export type MappingKey = string | number | boolean;

/** A YAML value that knows where it stands, so that every complaint can name file and line. */
export type Place = {
  /** Plain JavaScript value. */
  readonly value: unknown;
  /** It was read and checked when the package was built. */
  readonly isBuilt?: true;
  /** `file:line`, as printed in messages. */
  readonly at: string;
  /** Throws a UsageError that begins with file and line. */
  fail(message: string): never;
  /** The entries of a mapping, in order; fails when this is something else. */
  entries(): [key: MappingKey, value: Place][];
  /** The items of a sequence, in order; fails when this is something else. */
  items(): Place[];
  /** The text of a scalar; fails when this is something else. */
  text(): string;
};

/** Returns the place of a value that no file has: JSON or a `Map`, on the first line. */
export function placeOf(written: unknown, name: string): Place {
  const at = `${name}:1`;
  const members = membersOf(written);
  const value = toPlain(written);
  const self: Place = {
    value,
    at,
    fail: (message) => {
      throw new UsageError(`${at}: ${message}`);
    },
    entries: () =>
      members?.map(([key, member]) => [key, placeOf(member, name)]) ??
      self.fail(`Expected a mapping, but found ${describe(value)}.`),
    items: () =>
      Array.isArray(written)
        ? written.map((item) => placeOf(item, name))
        : self.fail(`Expected a list, but found ${describe(value)}.`),
    text: () =>
      typeof value === 'string' ? value : self.fail(`Expected a string, but found ${describe(value)}.`),
  };
  return self;
}

function membersOf(value: unknown): [MappingKey, unknown][] | undefined {
  if (value instanceof Map) return [...value];
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value)
    : undefined;
}

function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  const members = membersOf(value);
  return members ? Object.fromEntries(members.map(([key, member]) => [key, toPlain(member)])) : value;
}

/** Describes a value, for a message about a mistake. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value !== null && typeof value === 'object') return 'a mapping';
  return value === null || value === undefined ? 'nothing' : JSON.stringify(value);
}
