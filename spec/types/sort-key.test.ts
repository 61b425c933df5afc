// cspell:ignore espan straße STRASS ΟΔΟΣ οδος ΑΘΗΝΑ İstanbul pingüino Aáänñ
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TypeName } from '../catalogue/field.ts';
import { compareKeys, foldedIn, foldText, itemKeys, sortKey } from './sort-key.ts';
import type { Value } from './wire-type.ts';

const SEED = { seed: 20251022, numRuns: 500 };

/** Characters whose order, case, or storage differs between systems. */
const CHARACTERS = [
  ...'aAáänñÑzßSςΣİıﬁ\u0345 日₧\u0000\u0001\u0002\u0003\u007f\ue000\uffee\ufffd\ufffe\uffff',
  ...['a\u0308', 'n\u0303', '\u0301\u0323'],
  ...['\ud83d', '\ude00', '\ud83d\ude00', '\u{10000}', '\u{10ffff}', '\u{1d157}'],
];
const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
);
const keyOf = (text: string) => String(sortKey('string', text));
const sorted = (type: TypeName, values: readonly Value[]) =>
  values.toSorted((one, other) => compareKeys(sortKey(type, one), sortKey(type, other)));
const sign = (order: number) => Math.sign(order) + 0;

test('two strings have the same key only if they are equal', () => {
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      expect(keyOf(one) === keyOf(other)).toBe(one === other);
      expect(keyOf(`${one}`)).toBe(keyOf(one));
    }),
    SEED,
  );
});

test('keys have the same order by code unit and by byte', () => {
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const [key, next] = [keyOf(one), keyOf(other)];
      const bytes = Buffer.compare(Buffer.from(key), Buffer.from(next));
      expect(sign(compareKeys(key, next))).toBe(bytes);
      expect(sign(compareKeys(foldedIn(key), foldedIn(next)))).toBe(
        Buffer.compare(Buffer.from(foldedIn(key)), Buffer.from(foldedIn(next))),
      );
    }),
    SEED,
  );
});

test('each key can be stored in a database', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(keyOf(text).isWellFormed()).toBe(true);
      expect(keyOf(text)).not.toContain('\u0000');
      expect(keyOf(text).split('\u0001')).toHaveLength(2);
    }),
    SEED,
  );
});

test('strings are sorted without case and accents first, then exactly', () => {
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const [folded, next] = [foldText(one), foldText(other)];
      const expected = folded === next ? sign(compareKeys(keyOf(one), keyOf(other))) : folded < next ? -1 : 1;
      expect(sign(compareKeys(keyOf(one), keyOf(other)))).toBe(expected);
      expect(foldedIn(keyOf(one))).toBe(folded);
    }),
    SEED,
  );
  expect(
    sorted('text', ['nz', 'Ñu', 'o', 'ñandú', 'Na', 'na', '', 'lucía', 'Lucia', 'LUCIO', '😀', '\uffee']),
  ).toEqual(['', 'Lucia', 'lucía', 'LUCIO', 'Na', 'na', 'ñandú', 'Ñu', 'nz', 'o', '\uffee', '😀']);
});

test.each([
  ['Lucía', 'lucia'],
  ['LUCIA', 'Lucía'],
  ['pingüino', 'GUI'],
  ['ESPAÑA', 'espan'],
  ['straße', 'STRASS'],
  ['ΟΔΟΣ', 'οδος'],
  ['ΟΔΟΣ ΑΘΗΝΑ', 'Σ'],
  ['İstanbul', 'ist'],
  ['a\u0000b\ud83d', '\u0000b'],
])('%j contains %j', (text, part) => {
  expect(foldedIn(keyOf(text))).toContain(foldText(part));
});

test('half of a surrogate pair does not match its character', () => {
  expect(foldedIn(keyOf('\ud83d\ude00'))).not.toContain(foldText('\ud83d'));
});

test.each<readonly [TypeName, readonly Value[]]>([
  ['int', [-9007199254740991, -1, 0, 9, 10, 1e21, null]],
  ['float', [-1e308, -0.1, 0, 5e-324, 0.1, 0.30000000000000004, 1e308, null]],
  ['currency', [-2.5, 0, 0.01, 10, null]],
  ['percent', [0, 4.125, 21, 100, null]],
  ['bool', [false, true, null]],
  ['date', ['0001-01-01', '2024-02-29', '2025-10-22', null]],
  ['time', ['00:00:00', '09:30:00', '23:59:59', null]],
  ['duration', ['PT0S', 'PT1S', 'P1D', 'PT36H', 'P1W', 'P30D', 'P1Y', null]],
  ['select', [3, 9, 10, null]],
  ['select', ['10', '9', 'ä', 'B', null]],
  ['select', [10, '10', null]],
  [
    'datetime',
    [
      '0000-01-01T00:00:00Z',
      '2025-10-22T09:30:00Z',
      '2025-10-22T09:30:00.001Z',
      '2025-10-22T09:30:00.5Z',
      '2025-10-22T09:30:01Z',
      null,
    ],
  ],
])('values of type %s are sorted as: %j', (type, values) => {
  expect(sorted(type, values.toReversed())).toEqual(values);
  const keys = values.map((value) => sortKey(type, value));
  expect(new Set(keys).size).toBe(values.length);
});

test('durations of the same length have the same key', () => {
  expect(sortKey('duration', 'PT24H')).toBe(sortKey('duration', 'P1D'));
});

test('a list has the keys of its items', () => {
  expect(itemKeys('manyToMany', [1, 12])).toEqual([1, 12]);
  expect(itemKeys('daysOfWeek', [])).toEqual([]);
  expect(itemKeys('manyToMany', null)).toEqual([]);
  expect(sortKey('manyToMany', [])).not.toBe(null);
});
