import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Value } from '../types/wire-type.ts';
import { parseForm, stringifyForm } from './form.ts';

const SEED = 20251022;
const name = fc.constantFrom('name', 'lines', 'a', 'constructor', 'toString', 'hasOwnProperty', 'length');
const text = fc.string({ unit: 'grapheme' });

/** Values that a form can hold: texts, lists, objects with members. */
const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.array(text, { maxLength: 4 }),
    fc.array(fc.dictionary(name, tie('value'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }), {
      maxLength: 3,
    }),
    fc.dictionary(name, tie('value'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
}));

const depthOf = (of: unknown): number =>
  of !== null && typeof of === 'object' ? 1 + Math.max(0, ...Object.values(of).map(depthOf)) : 0;

describe('a form', () => {
  test('preserves strings, lists, and objects in a round trip', () => {
    const within = value.filter((candidate) => depthOf(candidate) <= 5);
    fc.assert(
      fc.property(fc.dictionary(name, within, { noNullPrototype: true }), (fields) => {
        expect(parseForm(stringifyForm(fields))).toEqual(fields);
      }),
      { seed: SEED },
    );
  });

  test('uses brackets for nested values', () => {
    expect(stringifyForm({ lines: [{ units: 2, note: 'a b&c' }], tags: [], on: true })).toBe(
      'lines[0][units]=2&lines[0][note]=a%20b%26c&tags[]&on=true',
    );
    expect(stringifyForm({ tags: [4, 6], lines: [{ days: ['[0]=1'] }] })).toBe(
      'tags[]=4&tags[]=6&lines[0][days][]=%5B0%5D%3D1',
    );
  });

  test('encodes numbers and booleans as strings, and null as an empty string', () => {
    expect(parseForm(stringifyForm({ a: 1.5, b: -2, c: true, d: false, e: null }))).toEqual({
      a: '1.5',
      b: '-2',
      c: 'true',
      d: 'false',
      e: '',
    });
  });

  test('is parsed in each common notation', () => {
    expect(parseForm('a[]=1&a[]=2&b=1&b=2&c=x+y&d&%65=%E2%82%AC&f%5Bg%5D=1')).toEqual({
      a: ['1', '2'],
      b: ['1', '2'],
      c: 'x y',
      d: '',
      e: '€',
      f: { g: '1' },
    });
    expect(parseForm('')).toEqual({});
    expect(parseForm('a=%ZZ&=1&&')).toEqual({ a: '%ZZ' });
    expect(parseForm('a=100%&b=50%+%41%')).toEqual({ a: '100%', b: '50% A%' });
  });

  test('does not change the prototype of objects', () => {
    const fields = parseForm(
      '__proto__[admin]=1&a[__proto__][admin]=1&a[b]=1&constructor[prototype][admin]=1&__proto__=1',
    );
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
    expect(fields.admin).toBeUndefined();
    expect((fields.a as { admin?: unknown }).admin).toBeUndefined();
    expect(Object.getPrototypeOf(fields)).toBeNull();
    expect(Object.keys(fields)).toEqual(['__proto__', 'a', 'constructor']);
    expect(Object.keys(fields.a as object)).toEqual(['__proto__', 'b']);
    expect(Object.hasOwn(fields, '__proto__')).toBe(true);
  });
});

test.each([
  ['if it is nested too deeply', `a${'[b]'.repeat(7)}=1`],
  ['if a list is too long', Array.from({ length: 2001 }, (_, index) => `a[${index}]=1`).join('&')],
  ['if a list in another notation is too long', 'a[]=1&'.repeat(2001)],
  ['if a name is repeated too often', 'a=1&'.repeat(2001)],
  ['if an index is excessive', 'a[4294967295]=1'],
  ['if an escape is not UTF-8', 'a=%C3%A9&name=%ff'],
  ['if an escape in a name is not UTF-8', '%C3=1'],
  ['if it has too many values', Array.from({ length: 20_001 }, (_, index) => `a${index}=1`).join('&')],
])('a form is rejected with a RangeError %s', (_name, body) => {
  expect(() => parseForm(body)).toThrow(RangeError);
});

test('a form at the limits is accepted', () => {
  expect(depthOf(parseForm(`a${'[b]'.repeat(6)}=1`))).toBe(7);
  const list = Array.from({ length: 2000 }, (_, index) => String(index));
  expect(parseForm(stringifyForm({ list }))).toEqual({ list });
});
