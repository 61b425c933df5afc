import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { type Choice, type Field, TYPE_NAMES, type TypeName } from '../catalogue/field.ts';
import { createProfile, SETTINGS, workingValues } from '../profile/profile.ts';
import { parseForm, stringifyForm } from '../wire/form.ts';
import { isText, WIRE_TYPES } from './types.ts';
import type { Context, TypeSchema, Value } from './wire-type.ts';

const SEED = { seed: 20251022 };
const catalogue = loadCatalogue();

/** Fields of a type: with and without a value list, with numbers, texts, gaps and fractions in it. */
function fieldsOf(type: TypeName): Field[] {
  const field = { name: 'part', key: 'thing.part', type, required: false, readonly: false, common: false };
  if (type === 'lines') return [{ ...field, lines: 'stockInvoiceLine' }];
  if (type !== 'select') return [field];
  const lists = [[0, 1, 2], [7, 1, 120], [5], ['es', 'en'], ['es', 'ES'], ['1', '2'], ['zz', 'ZZ'], [0.5, 1]];
  const choices = lists.map((list): Choice[] => list.map((value) => ({ value, name: `name of ${value}` })));
  return [field, ...choices.map((list) => ({ ...field, choices: list }))];
}

const typeOf = ({ field }: Context) => WIRE_TYPES[field.type];
const send = (value: Value, context: Context) => typeOf(context).encode(value, context);
const read = (wire: Value, context: Context) => typeOf(context).decode(wire, context);

/** Says whether an object obeys, whose one member `part` has the schema. */
function compile(schema: TypeSchema, coerceTypes: boolean) {
  const ajv = new Ajv2020({ strict: true, coerceTypes });
  formats.default(ajv);
  return ajv.compile({ type: 'object', properties: { part: schema }, required: ['part'] });
}

type Named = readonly [name: string, context: Context];

/** Other settings that affect the values of a type. */
function besidesOf(type: TypeName): Readonly<Record<string, unknown>>[] {
  if (isText({ type })) return [{}, ...[1, 2, 3, 8, 255].map((longest) => ({ 'limits.text': longest }))];
  if (type === 'fkModel') return [{}, { values: { fkModel: ['customer', 'voucher'] } }];
  return [{}];
}

const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Every type under every option of its setting. */
const contexts = TYPE_NAMES.flatMap((type): Named[] => {
  const setting = SETTINGS.find(({ name }) => name === `types.${type}`);
  const options = setting ? setting.variants.map((option) => ({ [setting.name]: option })) : [{}];
  return options.flatMap((option) =>
    besidesOf(type).flatMap((beside) => {
      const profile = createProfile({ ...option, ...beside }, catalogue);
      return fieldsOf(type).map((field): Named => {
        const list = field.choices?.map((choice) => choice.value);
        return [
          [type, ...Object.values({ ...option, ...beside }), list ?? ''].map(show).join(' '),
          { field, profile },
        ];
      });
    }),
  );
});

test('the types of plain strings are string, text, and markdown', () => {
  expect(TYPE_NAMES.filter((type) => isText({ type }))).toEqual(['string', 'text', 'markdown']);
});

/** Gives the wire value as it arrives in a form and is read by the schema; undefined when the schema refuses it. */
function createFormReader(context: Context): (wire: Value) => Value | undefined {
  const valid = compile(typeOf(context).schema(context), true);
  return (wire) => {
    // The mock reads it this way: a comparison of objects expects their usual methods.
    const fields = structuredClone(parseForm(stringifyForm({ part: wire })));
    return valid(fields) ? (fields.part as Value) : undefined;
  };
}

/** How many values the type has that samples can show: a list's members, or two and more. */
function variety(context: Context): number {
  // Samples of lines are for those who know the line's model.
  if (context.field.type === 'lines') return 1;
  // Without a list, the one model that surely exists is the field's own.
  if (context.field.type === 'fkModel') return workingValues(context.profile.values, 'fkModel')?.length ?? 1;
  return context.field.choices?.length ?? 2;
}

const numbers = fc.oneof(fc.nat({ max: 2000 }), fc.nat({ max: Number.MAX_SAFE_INTEGER - 1 }));

describe.each(contexts)('%s', (_name, context) => {
  const type = typeOf(context);
  const obeys = compile(type.schema(context), false);
  const valid = (wire: Value) => obeys({ part: wire });

  test('its pattern has no syntax that other regex engines lack', () => {
    const { pattern = '' } = WIRE_TYPES[context.field.type].schema(context) as { pattern?: string };
    // RE2, of Go and Rust, has no look-around and no back reference.
    expect(pattern).not.toMatch(/\(\?[=!<]|\\[1-9]/);
  });

  test('samples match the schema and survive a round trip', () => {
    fc.assert(
      fc.property(numbers, (number) => {
        const sample = type.sample(number, context);
        if (context.field.type === 'daysOfWeek') expect(sample).not.toEqual([]);
        const wire = send(sample, context);
        expect([wire, valid(wire)]).toEqual([wire, true]);
        expect(send(read(wire, context), context)).toEqual(wire);
      }),
      SEED,
    );
  });

  test('samples are deterministic, and consecutive ones differ', () => {
    fc.assert(
      fc.property(numbers, (number) => {
        const [one, same, next] = [number, number, number + 1].map((each) =>
          send(type.sample(each, context), context),
        );
        expect(same).toEqual(one);
        if (variety(context) > 1) expect(next).not.toEqual(one);
      }),
      SEED,
    );
  });

  test('edge values match the schema and survive a round trip', () => {
    for (const edge of type.edges(context)) {
      const wire = send(edge, context);
      expect([wire, valid(wire)]).toEqual([wire, true]);
      expect(send(read(wire, context), context)).toEqual(wire);
    }
  });

  test('counter samples do not match the schema', () => {
    const samples = type.counterSamples(context);
    expect(samples.length).toBeGreaterThan(0);
    expect(samples.filter(valid)).toEqual([]);
  });

  test('samples and edge values survive a form, and counter samples are rejected', () => {
    const throughForm = createFormReader(context);
    const check = (value: Value) => {
      const wire = send(value, context);
      expect(throughForm(wire)).toEqual(wire);
    };
    for (const edge of type.edges(context)) check(edge);
    fc.assert(
      fc.property(numbers, (number) => check(type.sample(number, context))),
      { ...SEED, numRuns: 20 },
    );
    const passed = type.counterSamples(context).filter((sample) => throughForm(sample) !== undefined);
    expect(passed).toEqual([]);
  });
});

test.each(contexts.filter(([, { profile }]) => profile['limits.text'] !== 'none'))(
  'the maximum length limits.text applies to samples and edge values: %s',
  (_name, context) => {
    const longest = Number(context.profile['limits.text']);
    const values = [
      ...typeOf(context).edges(context),
      ...Array.from({ length: 2000 }, (_, n) => typeOf(context).sample(n, context)),
    ];
    for (const value of values) {
      expect(String(value).length).toBeLessThanOrEqual(longest);
      expect(String(value).trim()).toBe(value);
      expect(value).not.toBe('');
    }
  },
);

/** A service can send any wire value that obeys the schema. The values are generated from its keywords. */
describe('any wire value that matches the schema survives a round trip', () => {
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
  ])("%s %s is rejected if a string or number can't represent it", (type, option, fits, others) => {
    const context = contextOf(type, { [`types.${type}`]: option });
    const obeys = compile(typeOf(context).schema(context), false);
    expect([...fits, ...others].filter((part) => obeys({ part }))).toEqual(fits);
  });
});

test('a select object shows the name next to the value', () => {
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

test('a member of a value list is decoded from each form', () => {
  const context = { field: fieldsOf('select')[1] as Field, profile: createProfile({}, catalogue) };
  for (const wire of ['2', { value: 2, name: 'another' }]) expect(read(wire, context)).toBe(2);
});

test('the end of a day as 24:00:00 is rejected', () => {
  const profile = createProfile({ 'types.datetime': 'space' }, catalogue);
  const context = { field: fieldsOf('datetime')[0] as Field, profile };
  expect(() => read('2025-01-01 24:00:00', context)).toThrow(TypeError);
});
