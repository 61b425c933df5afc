import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { type Field, TYPE_NAMES, type TypeName } from '../catalogue/field.ts';
import { compileWireSchema } from '../json-schema.ts';
import { createProfile, DEFAULT_PROFILE, type Profile, SETTINGS, typeSetting } from '../profile/profile.ts';
import { WIRE_TYPES } from './types.ts';
import { loadVectors, type Vectors, vectorsOf } from './vectors.ts';
import type { Context, Value, WireType } from './wire-type.ts';

const catalogue = loadCatalogue();

/** Every type under every option of its setting. */
const spoken = TYPE_NAMES.flatMap((type): [name: string, type: TypeName, profile: Profile][] => {
  const setting = SETTINGS.find(({ name }) => name === typeSetting({ type }));
  if (!setting) return [[type, type, DEFAULT_PROFILE]];
  return setting.variants.map((option) => [
    `${type} ${option}`,
    type,
    createProfile({ [setting.name]: option }, catalogue),
  ]);
});

const field = catalogue.models.get('customerToTag')?.fields.find(({ name }) => name === 'start') as Field;
const context = { field, profile: DEFAULT_PROFILE };
const read = (wire: string) => WIRE_TYPES.datetime.decode(wire, context);

describe.each(spoken)('%s', (_name, type, profile) => {
  test('is encoded and decoded as in its golden vectors', () => {
    const vectors = vectorsOf(type, profile);
    const choices = vectors.list?.map(([value, name]) => ({ value, name }));
    const lines = type === 'lines' && { lines: 'stockInvoiceLine' };
    const context = { field: { ...field, type, ...(choices && { choices }), ...lines }, profile };
    expect(faultsOf(WIRE_TYPES[type], vectors, context)).toEqual([]);
  });

  test('has vectors for several values, invalid values, and their origin', () => {
    const { from, none, pairs } = vectorsOf(type, profile);
    expect(from).toMatch(/RFC|ISO|source/);
    expect(none.length).toBeGreaterThan(2);
    expect(pairs.length).toBeGreaterThan(['image', 'bool'].includes(type) ? 0 : 1);
  });
});

test('golden vectors exist only for existing types and options', () => {
  for (const { option, types } of loadVectors())
    for (const type of types) {
      const setting = SETTINGS.find(({ name }) => name === typeSetting({ type }));
      expect([type, setting?.variants.includes(option) ?? option === undefined]).toEqual([type, true]);
    }
});

test.each(['9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:60Z'])(
  'the time %s is rejected, because its UTC year does not have four digits',
  (wire) => {
    expect(() => read(wire)).toThrow(TypeError);
  },
);

test.each([
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
  ['2017-01-01T00:59:60+01:00', '2017-01-01T00:00:00Z'],
  ['2016-12-31T23:59:60.25Z', '2017-01-01T00:00:00.250Z'],
  ['2016-12-31t23:59:60z', '2017-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
])('the time %s is decoded as %s', (wire, point) => {
  expect(read(wire)).toBe(point);
});

/** Where a codec differs from the golden vectors. */
function faultsOf(
  type: WireType,
  { none, pairs, reads = [], writes = [] }: Vectors,
  context: Context,
): string[] {
  const obeys = compileWireSchema(JSON.stringify(type.schema(context)));
  const decode = (wire: Value) => attempt(() => type.decode(wire, context));
  const written = [...pairs, ...writes];
  const read = [...pairs.map(([value, wire]) => [wire, value] as const), ...reads];
  return [
    ...written.flatMap(([value, wire]) => differs('is written', value, wire, type.encode(value, context))),
    ...read.flatMap(([wire, value]) => differs('is read', wire, value, decode(wire))),
    ...[...written.map(([, wire]) => wire), ...read.map(([wire]) => wire)]
      .filter((wire) => !obeys(wire))
      .map((wire) => `${show(wire)} is refused by the schema`),
    ...none
      .filter((wire) => obeys(wire) && decode(wire) !== undefined)
      .map((wire) => `${show(wire)} is taken, which is no value`),
  ];
}

function differs(how: string, from: Value, expected: Value, found: Value | undefined): string[] {
  if (isDeepStrictEqual(found, expected)) return [];
  return [`${show(from)} ${how} as ${show(found)}; expected ${show(expected)}`];
}

function attempt(decode: () => Value): Value | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
