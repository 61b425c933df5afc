import { expect, test } from 'vitest';
import type { TypeName } from '../../spec/catalogue/field.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { alterationOf } from './agreement.ts';
import { differing } from './ending.ts';

type Sample = readonly [type: TypeName, sent: Value, shown: Value, name: string];

const SAMPLES: Readonly<Record<string, readonly Sample[]>> = {
  stated: [
    ['int', 4_000_000_000, -294_967_296, 'another value'],
    ['float', 1.2345, 1.23, 'number rounded'],
    ['percent', 12.345, 12.3, 'number rounded'],
    ['currency', 1.25, 1, 'number rounded'],
    ['string', '000123', '123', 'another value'],
    ['string', 'x'.repeat(255), 'x'.repeat(50), 'string truncated'],
    ['text', 'Caballo Blanco', 'caballo blanco', 'another value'],
    ['datetime', '2025-10-22T09:30:00Z', '2025-10-22T07:30:00Z', 'another value'],
    ['time', '23:59:15', '23:59:45', 'another value'],
    ['string', 'one', null, 'another value'],
  ],
  advice: [
    ['currency', 1.2345, 1.23, 'number cut to 2, 3, or 4 decimals'],
    ['percent', 12.3456, 12.35, 'number cut to 2, 3, or 4 decimals'],
    ['email', 'First.Last@Example.com', 'first.last@example.com', 'format of an email address changed'],
    ['url', 'https://example.test', 'https://example.test/', 'format of a URL changed'],
    ['datetime', '1985-04-12T23:20:50.520Z', '1985-04-12T23:20:50Z', 'fraction of a second lost'],
    ['string', ' a ', 'a', 'spaces, line ends, or Unicode form changed'],
    ['text', 'a\r\nb', 'a\nb', 'spaces, line ends, or Unicode form changed'],
    ['string', 'n\u0303', 'ñ', 'spaces, line ends, or Unicode form changed'],
    ['string', '', null, 'an empty string became null'],
    ['daysOfWeek', [], null, 'an empty list became null'],
    ['int', 2 ** 60, 2 ** 60 - 1024, 'integer above 2^53 changed'],
  ],
  open: [
    ['time', '23:59:59', '23:59:00', 'seconds lost'],
    ['datetime', '2025-10-22T09:30:15Z', '2025-10-22T09:30:00Z', 'seconds lost'],
  ],
};
const rows = Object.entries(SAMPLES).flatMap(([level, samples]) =>
  samples.map((sample) => [level, ...sample] as const),
);

test.each(rows)('level %s: a %s %j that becomes %j is reported as: %s', (level, type, sent, shown, name) => {
  const field = { name: 'a', key: 'a.a', type, required: false, readonly: false, common: false };
  expect(alterationOf(field, sent, shown)).toMatchObject({ name, level });
});

test.each<[Value, Value, Value, Value]>([
  [[{ amount: 1 }, { amount: 2 }], [{ amount: 1 }], { lines: 2 }, { lines: 1 }],
  [
    [{ amount: 1, product: 2 }],
    [{ id: 5, amount: 1, product: 3 }],
    { line: 1, product: 2 },
    { line: 1, product: 3 },
  ],
  [[1, 2], [1], [1, 2], [1]],
  ['one', null, 'one', null],
  ['x'.repeat(255), 'x'.repeat(50), 'x'.repeat(255), 'x'.repeat(50)],
  [`${'x'.repeat(200)} `, 'x'.repeat(200), { 'from character 201': ' ' }, { 'from character 201': '' }],
])('for the expected %j and the found %j, a report shows %j and %j', (expected, found, ...shown) => {
  expect(differing(expected, found)).toEqual(shown);
});
