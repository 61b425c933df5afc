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

type Named = readonly [name: string, context: Context];

/** Fields of a type: with and without a value list, with numbers, texts, gaps and fractions in it. */
function fieldsOf(type: TypeName): Field[] {
  const field = { name: 'part', key: 'thing.part', type, required: false, readonly: false, common: false };
  if (type === 'lines') return [{ ...field, lines: 'stockInvoiceLine' }];
  if (type !== 'select') return [field];
  const lists = [[0, 1, 2], [7, 1, 120], [5], ['es', 'en'], ['es', 'ES'], ['1', '2'], ['zz', 'ZZ'], [0.5, 1]];
  const choices = lists.map((list): Choice[] => list.map((value) => ({ value, name: `name of ${value}` })));
  return [field, ...choices.map((list) => ({ ...field, choices: list }))];
}

/** Settings beside that of a type which say something about its values. */
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

test('the types of texts are those whose values are nothing but a text', () => {
  expect(TYPE_NAMES.filter((type) => isText({ type }))).toEqual(['string', 'text', 'markdown']);
});

const typeOf = ({ field }: Context) => WIRE_TYPES[field.type];
const send = (value: Value, context: Context) => typeOf(context).encode(value, context);
const read = (wire: Value, context: Context) => typeOf(context).decode(wire, context);

function compile(schema: TypeSchema, coerceTypes: boolean) {
  const ajv = new Ajv2020({ strict: true, coerceTypes });
  formats.default(ajv);
  return ajv.compile({ type: 'object', properties: { part: schema }, required: ['part'] });
}

/** Gives the wire value as it arrives in a form and is read by the schema; undefined when the schema refuses it. */
function createFormReader(context: Context): (wire: Value) => Value | undefined {
  const valid = compile(typeOf(context).schema(context), true);
  return (wire) => {
    // As the mock reads it: what compares objects expects them to have the methods of all.
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

test('there is a type for every name of section 2, and a setting only for types that are there', () => {
  expect(Object.keys(WIRE_TYPES).sort()).toEqual([...TYPE_NAMES].sort());
  const settings = SETTINGS.filter(({ name }) => name.startsWith('types.')).map(({ name }) => name.slice(6));
  expect(settings.filter((name) => !TYPE_NAMES.some((type) => type === name))).toEqual([]);
});

describe.each(contexts)('%s', (_name, context) => {
  const type = typeOf(context);
  const obeys = compile(type.schema(context), false);
  const valid = (wire: Value) => obeys({ part: wire });

  test('patterns have nothing that the engines of other languages lack', () => {
    const { pattern = '' } = WIRE_TYPES[context.field.type].schema(context) as { pattern?: string };
    // RE2, of Go and Rust, has no look-around and no back reference.
    expect(pattern).not.toMatch(/\(\?[=!<]|\\[1-9]/);
  });

  test('samples obey the schema and come back', () => {
    fc.assert(
      fc.property(numbers, (number) => {
        const wire = send(type.sample(number, context), context);
        expect([wire, valid(wire)]).toEqual([wire, true]);
        expect(send(read(wire, context), context)).toEqual(wire);
      }),
      SEED,
    );
  });

  test('samples are the same for the same number, and neighbours differ', () => {
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

  test('edges obey the schema and come back', () => {
    for (const edge of type.edges(context)) {
      const wire = send(edge, context);
      expect([wire, valid(wire)]).toEqual([wire, true]);
      expect(send(read(wire, context), context)).toEqual(wire);
    }
  });

  test('counter samples do not obey the schema', () => {
    const samples = type.counterSamples(context);
    expect(samples.length).toBeGreaterThan(0);
    expect(samples.filter(valid)).toEqual([]);
  });

  test('in a form, samples and edges arrive as they were, and counter samples do not pass', () => {
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

describe('limits.text', () => {
  test.each(contexts.filter(([, { profile }]) => profile['limits.text'] !== 'none'))(
    '%s holds',
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
});

/** A decimal number as text, without zeros that say nothing. */
function plain(text: string): string {
  const [, sign = '', digits = ''] =
    /^(-?)0*(.*?)(?:\.?0*)$/.exec(text.includes('.') ? text : `${text}.`) ?? [];
  const number = digits.startsWith('.') || digits === '' ? `0${digits}` : digits;
  return number === '0' ? number : sign + number;
}

/** What a service may send: every wire value that obeys the schema, made from the schema's own words. */
describe('any wire value that obeys the schema comes back the same', () => {
  const contextOf = (type: TypeName, settings: Readonly<Record<string, unknown>>): Context => ({
    field: fieldsOf(type)[0] as Field,
    profile: createProfile(settings, catalogue),
  });
  const days = fc.uniqueArray(fc.integer({ min: 1, max: 7 })).map((list) => list.toSorted((a, b) => a - b));
  const ids = fc.uniqueArray(fc.nat()).map((list) => list.toSorted((a, b) => a - b));
  const part = fc.option(fc.nat({ max: 999_999 }), { nil: undefined });

  const cases: readonly (readonly [TypeName, string, fc.Arbitrary<Value>])[] = [
    ['currency', 'number', fc.double({ noNaN: true, noDefaultInfinity: true })],
    ['currency', 'minor', fc.integer({ min: -99_999_999_999_999, max: 99_999_999_999_999 })],
    ['percent', 'number', fc.double({ noNaN: true, noDefaultInfinity: true })],
    ['bool', 'bool', fc.boolean()],
    ['bool', 'int', fc.constantFrom(0, 1)],
    ['duration', 'seconds', fc.nat({ max: 999_999_999_999 })],
    ['daysOfWeek', 'array', days],
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

  test('duration seconds, of which more than the text form can name are refused', () => {
    const context = contextOf('duration', { 'types.duration': 'seconds' });
    const obeys = compile(typeOf(context).schema(context), false);
    expect([999_999_999_999, 1_000_000_000_000, 1e21].map((part) => obeys({ part }))).toEqual([
      true,
      false,
      false,
    ]);
  });

  const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));

  test('percent string, as a number', () => {
    const context = contextOf('percent', { 'types.percent': 'string' });
    const obeys = compile(typeOf(context).schema(context), false);
    fc.assert(
      fc.property(digits(12), digits(12), fc.boolean(), (whole, decimals, minus) => {
        const fraction = whole.length > 3 ? decimals.slice(0, 3) : decimals;
        const wire = `${minus ? '-' : ''}${whole}.${fraction}`;
        expect([wire, obeys({ part: wire })]).toEqual([wire, true]);
        const shown = send(read(wire, context), context);
        expect([wire, shown, obeys({ part: shown })]).toEqual([wire, shown, true]);
        expect(plain(String(shown))).toBe(plain(wire));
      }),
      {
        ...SEED,
        examples: [
          ['0', '0000001', false],
          ['0', '000000000001', true],
        ],
      },
    );
  });

  test('percent string, as no number where it has more digits than one keeps', () => {
    const context = contextOf('percent', { 'types.percent': 'string' });
    const obeys = compile(typeOf(context).schema(context), false);
    for (const part of ['123456789012.123456789012', '1234.1234', '1.1234567890123', '1234567890123'])
      expect([part, obeys({ part })]).toEqual([part, false]);
  });

  test('currency minor, of which more than the text form can name are refused', () => {
    const context = contextOf('currency', { 'types.currency': 'minor' });
    const obeys = compile(typeOf(context).schema(context), false);
    const wires = [99_999_999_999_999, 100_000_000_000_000, 7_147_443_959_947_046, -1e14, 1e300];
    expect(wires.map((part) => obeys({ part }))).toEqual([true, false, false, false, false]);
  });

  test('currency string, with two decimals', () => {
    const context = contextOf('currency', { 'types.currency': 'string' });
    fc.assert(
      fc.property(digits(12), digits(2), (whole, fraction) => {
        const shown = send(read(`${whole}.${fraction}`, context), context);
        expect(shown).toBe(`${BigInt(whole)}.${fraction.padEnd(2, '0')}`);
      }),
      SEED,
    );
  });

  test('duration iso8601 as seconds, when its units have a fixed length', () => {
    const iso = contextOf('duration', {});
    const seconds = contextOf('duration', { 'types.duration': 'seconds' });
    const obeys = compile(typeOf(iso).schema(iso), false);
    fc.assert(
      fc.property(part, part, part, part, (day, hour, minute, second) => {
        const time = [
          [hour, 'H'],
          [minute, 'M'],
          [second, 'S'],
        ].flatMap(([n, unit]) => (n === undefined ? [] : [`${n}${unit}`]));
        const wire = `P${day === undefined ? '' : `${day}D`}${time.length === 0 ? '' : `T${time.join('')}`}`;
        expect([wire, obeys({ part: wire })]).toEqual([wire, wire !== 'P']);
        if (wire === 'P') return;
        const total = (day ?? 0) * 86_400 + (hour ?? 0) * 3600 + (minute ?? 0) * 60 + (second ?? 0);
        expect(send(wire, seconds)).toBe(total);
      }),
      SEED,
    );
  });
});

describe('equal values in other forms', () => {
  const field = fieldsOf('datetime')[0] as Field;
  const iso: Context = { field, profile: createProfile({}, catalogue) };
  const space: Context = { field, profile: createProfile({ 'types.datetime': 'space' }, catalogue) };

  test('are one datetime', () => {
    const point = '2025-10-22T09:30:00Z';
    for (const wire of [point, '2025-10-22T11:30:00+02:00', '2025-10-22T09:30:00.000Z'])
      expect(read(wire, iso)).toBe(point);
    expect(read('2025-10-22 09:30:00', space)).toBe(point);
    expect(send('2025-10-22T09:30:00.123Z', space)).toBe('2025-10-22 09:30:00');
  });

  test.each(['2025-02-30 09:30:00', '2025-13-01 09:30:00', '2025-01-01 24:00:00', '2025-01-01 29:00:00'])(
    'are none for %s, which is no point in time',
    (wire) => {
      expect(() => read(wire, space)).toThrow(TypeError);
    },
  );

  test('are one set of days and one set of links', () => {
    const [days, links] = [fieldsOf('daysOfWeek')[0], fieldsOf('manyToMany')[0]] as [Field, Field];
    expect(read([7, 1, 3], { ...iso, field: days })).toEqual([1, 3, 7]);
    expect(read([20, 3, 100], { ...iso, field: links })).toEqual([3, 20, 100]);
    const objects = createProfile({ 'types.manyToMany': 'objects' }, catalogue);
    expect(
      read([{ id: 2, name: 'b' }, { id: 2, name: 'c' }, { id: 1 }], { field: links, profile: objects }),
    ).toEqual([1, 2]);
  });

  test('are one member of a list, as a number or as a text', () => {
    const withList = { ...fieldsOf('select')[1], key: 'thing.part' } as Field;
    expect(read('2', { ...iso, field: withList })).toBe(2);
    expect(read({ value: 2, name: 'another' }, { ...iso, field: withList })).toBe(2);
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

test('lines by ids are the ids of the lines', () => {
  const profile = createProfile({ 'types.lines': 'ids' }, catalogue);
  const field = fieldsOf('lines')[0] as Field;
  expect(send([{ id: 3, units: 1 }, 4], { field, profile })).toEqual([3, 4]);
});

test('no value, sent in a form, is read as none', () => {
  for (const [name, context] of contexts.filter(([, { field }]) =>
    ['int', 'bool', 'currency'].includes(field.type),
  )) {
    const schema = typeOf(context).schema(context);
    // An enum of the type would keep null out.
    if (schema.type === 'string' || schema.enum) continue;
    const fields = parseForm(stringifyForm({ part: null }));
    const ajv = new Ajv2020({ coerceTypes: true, allowUnionTypes: true });
    formats.default(ajv);
    const validate = ajv.compile({
      type: 'object',
      properties: { part: { ...schema, type: [schema.type, 'null'] } },
    });
    expect([name, validate(fields), fields.part]).toEqual([name, true, null]);
  }
});
