import { type Filter, linksTo, type Query, type Sort } from '../../mock/store/store.ts';
import type { TypeName } from '../../spec/catalogue/field.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** Strings without spaces. */
const words = (text: string) => text.split(' ');

/** Values that sort, compare and are written in different ways, and are often equal. */
const TEXTS = [
  ...['', ' '],
  ...words('a A B Ä ä a\u0308 ñ n\u0303 Ñ nz o ÑA'),
  'a b',
  ...words('ab a-b 10 9 010 1e3 null true ß ss SS İ i\u0307 ı I ΑΣ ας ﬁ fi'),
  ...words('\uffee \ue000 \ud83d\ude00 \u{10ffff} \u{10ffff}a \ud83d \ude00'),
  ...words('a\u0000 a\u0001 a\u0002 a\u0002a a\ufffe a\uffff'),
  ...words('\u0301\u0323 \u0323\u0301 e\u0323\u0301 e\u0301\u0323'),
  ...words('a%_\\b % _ \\ \\u0000 \\ud83d Lucía lucia LUCÍA lucio'),
  ...words('“a "b ” “ "a 〝 ₧ " {"a":1}'),
  ...["'; drop table record; --", '\n', '\t', '日本', 'x'.repeat(3000), `${'ñ'.repeat(2500)}A`],
  // Parts of the formats of arrays, JSON, and copied rows.
  ...words('\\. \\N \\\\n {"id":1} é\u2028\ufeff\u007f'),
  ...['a\tb\nc\r\nd\be\fg\v', '\n\\.\n', 'it\'s "quoted"', 'nul \u0000 inside', 'half \ud83d of a pair'],
];

/** By name, fields of all types with values that a record can have. */
export const FIELDS: Readonly<
  Record<string, { readonly type: TypeName; readonly values: readonly Value[] }>
> = {
  name: { type: 'text', values: TEXTS },
  place: { type: 'url', values: TEXTS },
  price: {
    type: 'float',
    values: [0, -1, 2.5, 10, 1e21, 9, -0.1, 1e308, -1e308, 5e-324, 0.1, 0.30000000000000004, 1.5e-7],
  },
  tax: { type: 'percent', values: [0, 21, 4.125, 100, -5] },
  stock: { type: 'int', values: [0, 1, 9, 10, -3, 9007199254740991, -9007199254740991] },
  open: { type: 'bool', values: [true, false] },
  kind: { type: 'select', values: ['a', 'B', 'ä', '\uffee', '\ud83d\ude00', '10', '9'] },
  level: { type: 'select', values: [0, 3, 10, 9] },
  at: {
    type: 'datetime',
    values: [
      ...[
        '2025-10-22T09:30:00Z',
        '2025-10-22T09:30:00.001Z',
        '2025-10-22T09:30:00.5Z',
        '2025-10-22T09:30:01Z',
      ],
      ...['2024-02-29T00:00:00Z', '1970-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
    ],
  },
  day: { type: 'date', values: ['2025-10-22', '2024-02-29', '0001-01-01', '9999-12-31'] },
  hour: { type: 'time', values: ['00:00:00', '09:30:00', '23:59:59'] },
  span: { type: 'duration', values: ['P1D', 'PT24H', 'P30D', 'PT1S', 'P1Y'] },
  links: { type: 'manyToMany', values: [[], [1], [1, 2], [12], [2, 1]] },
};

/** The fields with one value. Lists have no order, and equal ones are not the same. */
const SCALARS: typeof FIELDS = Object.fromEntries(
  Object.entries(FIELDS).filter(([, { type }]) => type !== 'manyToMany'),
);

/** Parts to search for, of which some are in a string only in another case. */
const PARTS = [
  ...words('A ä a\u0308 % _ \\'),
  '',
  ...words('\ud83d \u0000 SS ß i İ σ ς Ñ lucia \u0301 \uffff \ud83d\ude00'),
];

const RANGES = ['gt', 'gte', 'lt', 'lte'] as const;
const LONGEST = 20;

/** Records in which each field has each of its values, unset in the last ones, some marked as deleted. */
export const HOSTILE_RECORDS: readonly RecordValues[] = Array.from(
  { length: TEXTS.length + 12 },
  (_, index): RecordValues => {
    const values = Object.entries(FIELDS).map(([name, { values }]) => [
      name,
      // An odd factor, so that the fields don't change together.
      values[(index * (values.length % 7 === 0 ? 5 : 7)) % (values.length + 2)] ?? null,
    ]);
    const { price, ...record } = Object.fromEntries(values);
    // A field that is absent is unset, too.
    return { id: index + 1, ...record, ...(price === null ? {} : { price }), deleted: index % 5 === 0 };
  },
);

/** Queries with each operator and each value, and each order in both directions. */
export function* hostileQueries(): Generator<Query> {
  let count = 0;
  const page = (): Query => {
    count += 1;
    return {
      liveOnly: count % 2 === 0,
      ...(count % 3 === 0 ? { offset: count % 7, size: 1 + (count % 11) } : {}),
    };
  };
  for (const [field, { type, values }] of Object.entries(SCALARS)) {
    const sorts = [false, true].map((descending): Sort => ({ field, type, descending }));
    for (const [index, sort] of sorts.entries()) {
      for (let times = 0; times < 6; times++) yield { ...page(), sort: [sort] };
      for (const [other, { type }] of Object.entries(SCALARS))
        yield { ...page(), sort: [sort, { field: other, type, descending: index === 1 }] };
    }
    const one = (operator: Filter['operator'], operands: readonly Value[]): Query => ({
      ...page(),
      filters: [{ field, type, operator, values: operands }],
      ...(count % 2 === 0 ? { sort: sorts } : {}),
    });
    for (const value of [...values, null]) {
      yield one('equal', [value]);
      yield one('in', [value, values[0] ?? null]);
      for (const operator of RANGES) yield one(operator, [value]);
    }
    yield one('in', []);
    yield one('in', values.slice(0, LONGEST));
  }
  for (const [field, { type }] of Object.entries(FIELDS)) {
    for (const value of [1, 2, 12, 'a', null])
      yield { ...page(), filters: [{ field, type, operator: 'has', values: [value] }] };
    for (const value of [true, false])
      yield { ...page(), filters: [{ field, type, operator: 'null', values: [value] }] };
  }
  for (const field of ['name', 'place'])
    for (const part of [...PARTS, ...TEXTS])
      yield {
        ...page(),
        filters: [{ field, type: FIELDS[field]?.type ?? 'text', operator: 'contains', values: [part] }],
      };
  // A string is never equal to a number or a boolean.
  for (const [field, value] of [
    ['level', '10'],
    ['kind', 10],
    ['kind', '10'],
    ['open', 'true'],
  ] as const)
    for (const operator of ['equal', 'in'] as const)
      yield { ...page(), filters: [{ field, type: 'select', operator, values: [value] }] };
  for (const value of [1, 5, 0, -1, 1.5, 1e300, '1', null])
    yield { ...page(), filters: [linksTo('id', value)] };
  for (const descending of [true, false])
    yield {
      ...page(),
      sort: [{ field: 'id', type: 'int', descending }],
      filters: [{ field: 'open', type: 'bool', operator: 'equal', values: [true] }],
    };
}
