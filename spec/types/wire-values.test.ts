import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, compile, fieldsOf, read, SEED, send, typeOf } from '../../testing/types/wire-context.ts';
import type { Field, TypeName } from '../catalogue/field.ts';
import { createProfile } from '../profile/profile.ts';
import type { Context, Value } from './wire-type.ts';

/** A service can send any wire value that obeys the schema. The values are generated from its keywords. */
describe('any wire value that obeys the schema comes back the same', () => {
  const contextOf = (type: TypeName, settings: Readonly<Record<string, unknown>>): Context => ({
    field: fieldsOf(type)[0] as Field,
    profile: createProfile(settings, catalogue),
  });
  const days = fc.uniqueArray(fc.integer({ min: 1, max: 7 })).map((list) => list.toSorted((a, b) => a - b));
  const ids = fc.uniqueArray(fc.nat()).map((list) => list.toSorted((a, b) => a - b));

  const cases: readonly (readonly [TypeName, string, fc.Arbitrary<Value>])[] = [
    ['currency', 'number', fc.double({ noNaN: true, noDefaultInfinity: true })],
    ['currency', 'minor', fc.integer({ min: -99_999_999_999_999, max: 99_999_999_999_999 })],
    ['percent', 'number', fc.double({ noNaN: true, noDefaultInfinity: true })],
    ['bool', 'bool', fc.boolean()],
    ['bool', 'int', fc.constantFrom(0, 1)],
    ['duration', 'seconds', fc.nat({ max: 999_999_999_999 })],
    ['daysOfWeek', 'array', days],
    ['daysOfWeek', 'index', days.map((list) => list.map((day) => day - 1))],
    ['daysOfWeek', 'mask', fc.nat({ max: 127 })],
    ['manyToMany', 'ids', ids],
    ['manyToMany', 'objects', ids.map((list) => list.map((id) => ({ id })))],
  ];

  test.each(cases)('%s %s', (type, option, wires) => {
    const context = contextOf(type, { [`types.${type}`]: option });
    const obeys = compile(typeOf(context).schema(context), false);
    fc.assert(
      fc.property(wires, (wire) => {
        expect([wire, obeys({ part: wire })]).toEqual([wire, true]);
        // The sign of zero has no meaning.
        expect(JSON.stringify(send(read(wire, context), context))).toBe(JSON.stringify(wire));
      }),
      SEED,
    );
  });

  test.each<[TypeName, string, fits: Value[], others: Value[]]>([
    ['duration', 'seconds', [999_999_999_999], [1_000_000_000_000, 1e21]],
    ['percent', 'string', [], ['123456789012.123456789012', '1234.1234', '1.1234567890123', '1234567890123']],
    ['currency', 'minor', [99_999_999_999_999], [100_000_000_000_000, 7_147_443_959_947_046, -1e14, 1e300]],
  ])('%s %s is refused where a text or number can not keep it', (type, option, fits, others) => {
    const context = contextOf(type, { [`types.${type}`]: option });
    const obeys = compile(typeOf(context).schema(context), false);
    expect([...fits, ...others].filter((part) => obeys({ part }))).toEqual(fits);
  });
});

test('a select shows the name of its member beside the value', () => {
  const profile = createProfile(
    { 'types.select': 'object', values: { 'customer.language': ['es'] } },
    catalogue,
  );
  const field = catalogue.models.get('crmContact')?.fields.find(({ name }) => name === 'language') as Field;
  expect(send('es', { field, profile })).toEqual({ value: 'es', name: 'Español' });
  const learned = catalogue.models.get('customer')?.fields.find(({ name }) => name === 'language') as Field;
  expect(send('es', { field: learned, profile })).toEqual({ value: 'es', name: 'es' });
  expect(send('fr', { field: learned, profile })).toEqual({ value: 'fr' });
});

test('equal values in other forms are one value', () => {
  const point = '2025-10-22T09:30:00Z';
  const [datetime, links] = [fieldsOf('datetime')[0], fieldsOf('manyToMany')[0]] as [Field, Field];
  const iso: Context = { field: datetime, profile: createProfile({}, catalogue) };
  const space: Context = { ...iso, profile: createProfile({ 'types.datetime': 'space' }, catalogue) };
  expect(read('2025-10-22T09:30:00.000Z', iso)).toBe(point);
  expect(send('2025-10-22T09:30:00.123Z', space)).toBe('2025-10-22 09:30:00');
  expect(() => read('2025-01-01 24:00:00', space)).toThrow(TypeError);
  const objects = createProfile({ 'types.manyToMany': 'objects' }, catalogue);
  const twice = [{ id: 2, name: 'b' }, { id: 2, name: 'c' }, { id: 1 }];
  expect(read(twice, { field: links, profile: objects })).toEqual([1, 2]);
  const withList = { ...fieldsOf('select')[1], key: 'thing.part' } as Field;
  expect(read('2', { ...iso, field: withList })).toBe(2);
  expect(read({ value: 2, name: 'another' }, { ...iso, field: withList })).toBe(2);
});
