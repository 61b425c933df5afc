import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Catalogue, loadCatalogue, type Model } from '../catalogue/catalogue.ts';
import type { Field } from '../catalogue/field.ts';
import { createProfile, DEFAULT_PROFILE, type Profile, SETTINGS } from '../profile/profile.ts';
import { WIRE_TYPES } from '../types/types.ts';
import type { Value } from '../types/wire-type.ts';
import { createRecordCodec, type RecordValues } from './record-codec.ts';

const SEED = { seed: 20251022, numRuns: 10 };
const catalogue = loadCatalogue();
const models = [...catalogue.models.values()];
const modelOf = (name: string) => catalogue.models.get(name) as Model;

/** A record with every field set; lines are records again, or ids under `types.lines: ids`. */
function sampleRecord(model: Model, number: number, profile: Profile): Record<string, Value> {
  return Object.fromEntries(model.fields.map((field) => [field.name, sampleValue(field, number, profile)]));
}

function sampleValue(field: Field, number: number, profile: Profile): Value {
  if (field.lines === undefined) return WIRE_TYPES[field.type].sample(number, { field, profile });
  const line = modelOf(field.lines);
  const records = [number, number + 1].map((each) => sampleRecord(line, each, profile));
  return profile['types.lines'] === 'ids' ? records.map((record) => record.id ?? null) : records;
}

const options = SETTINGS.filter(({ name }) => name.startsWith('types.')).flatMap((setting) =>
  setting.variants.map((option): Record<string, unknown> => ({ [setting.name]: option })),
);
const unlike = Object.assign({}, ...options, { 'response.unset': 'absent' }) as Record<string, unknown>;
const profiles = [{}, unlike].map(
  (settings) => [JSON.stringify(settings), createProfile(settings, catalogue)] as const,
);

describe.each(profiles)('under %s', (_name, profile) => {
  const codec = createRecordCodec(catalogue, profile);

  // spec/types tests the values of each type.
  test('records of each model have their fields in order, and survive a round trip', () => {
    fc.assert(
      fc.property(fc.nat(), (number) => {
        for (const model of models) {
          const wire = codec.encode(model.name, sampleRecord(model, number, profile));
          expect(Object.keys(wire)).toEqual(model.fields.map((field) => field.name));
          expect(codec.encode(model.name, codec.decode(model.name, wire))).toEqual(wire);
        }
      }),
      SEED,
    );
  });

  test('only named fields are encoded and decoded', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (number, take) => {
        for (const model of models) {
          const whole = sampleRecord(model, number, profile);
          const named = model.fields
            .filter((_, index) => (index * 7 + take) % 3 === 0)
            .map((field) => field.name);
          const values = Object.fromEntries(
            named.map((name, index) => [name, index % 4 === 1 ? null : (whole[name] ?? null)]),
          );
          const wire = codec.encodeNamed(model.name, values);
          expect(Object.keys(wire)).toEqual(named);
          const read = codec.decode(model.name, wire);
          expect(Object.keys(read)).toEqual(named);
          expect(codec.encodeNamed(model.name, read)).toEqual(wire);
        }
      }),
      SEED,
    );
  });
});

describe('a field without a value', () => {
  test.each(['null', 'absent'] as const)('is shown as the profile says: %s', (unset) => {
    const codec = createRecordCodec(catalogue, { ...DEFAULT_PROFILE, 'response.unset': unset });
    for (const record of [
      { id: 1, name: 'A' },
      { id: 1, name: 'A', comments: null },
    ]) {
      const wire = codec.encode('warehouse', record);
      expect('comments' in wire).toBe(unset === 'null');
      expect(wire.comments).toBe(unset === 'null' ? null : undefined);
    }
  });

  test('is shown in lines as the profile says', () => {
    const lines = [{ id: 4, units: 2 }];
    const shown = (unset: 'null' | 'absent') =>
      createRecordCodec(catalogue, { ...DEFAULT_PROFILE, 'response.unset': unset }).encode('stockInvoice', {
        lines,
      });
    expect(shown('absent')).toEqual({ lines });
    expect(shown('null')).toMatchObject({ number: null, lines: [{ id: 4, units: 2, description: null }] });
  });

  test('is sent as null if named, under each profile', () => {
    const codec = createRecordCodec(catalogue, { ...DEFAULT_PROFILE, 'response.unset': 'absent' });
    expect(codec.encodeNamed('warehouse', { comments: null })).toEqual({ comments: null });
    expect(codec.decode('warehouse', { comments: null })).toEqual({ comments: null });
  });
});

test('lines by IDs are encoded and decoded as IDs', () => {
  const byIds = createRecordCodec(catalogue, createProfile({ 'types.lines': 'ids' }, catalogue));
  expect(byIds.encodeNamed('stockOrder', { lines: [{ id: 3, amount: 1 }, { id: 5 }] })).toEqual({
    lines: [3, 5],
  });
  expect(byIds.decode('stockOrder', { lines: [3, 5] })).toEqual({ lines: [3, 5] });
});

const codec = createRecordCodec(catalogue, DEFAULT_PROFILE);

test('unknown field names are omitted', () => {
  const wire = JSON.parse(
    '{"name":"A","nope":1,"__proto__":{"comments":"x"},"constructor":1}',
  ) as RecordValues;
  expect(codec.decode('warehouse', wire)).toEqual({ name: 'A' });
  expect(codec.encodeNamed('warehouse', wire)).toEqual({ name: 'A' });
});

test('an unknown model gives an empty record', () => {
  for (const name of ['nope', '__proto__', 'constructor']) {
    expect(codec.encode(name, { name: 'A' })).toEqual({});
    expect(codec.decode(name, { name: 'A' })).toEqual({});
  }
});

test('a model can have fields with names of object members, such as constructor', () => {
  const [comments] = modelOf('warehouse').fields.filter(({ name }) => name === 'comments');
  const field = { ...(comments as Field), name: 'constructor', key: 'odd.constructor' };
  const odd: Model = { ...modelOf('warehouse'), name: 'odd', fields: [field] };
  const strange: Catalogue = { ...catalogue, models: new Map([['odd', odd]]) };
  const { encode, encodeNamed, decode } = createRecordCodec(strange, DEFAULT_PROFILE);
  expect(encode('odd', {})).toEqual({ constructor: null });
  expect(encodeNamed('odd', {})).toEqual({});
  expect(Object.keys(decode('odd', {}))).toEqual([]);
  expect(encode('odd', { constructor: 'x' } as RecordValues)).toEqual({ constructor: 'x' });
});
