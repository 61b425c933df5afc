import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinPointer, splitPointer, valueAt } from './json-pointer.ts';

const OPTIONS = { seed: 20251022 };
const names = fc.array(fc.oneof(fc.string(), fc.constantFrom('', '/', '~', '~1', '~01', '__proto__', '0')), {
  maxLength: 6,
});

test('a pointer finds the value at its names', () => {
  fc.assert(
    fc.property(names, fc.jsonValue(), (segments, value) => {
      const whole = segments.reduceRight<unknown>(
        (inner, name) => Object.fromEntries([['beside', 0] as const, [name, inner] as const]),
        value,
      );
      const pointer = joinPointer(segments);
      expect(splitPointer(pointer)).toEqual(segments);
      expect(valueAt(whole, pointer)).toEqual(value);
    }),
    OPTIONS,
  );
});

test.each([
  [{ a: [{ b: 1 }] }, '/a/0/b', 1],
  [{ a: 1 }, '', { a: 1 }],
  [{ '': 1 }, '/', 1],
  [{ 'a/b': { '~': 1 } }, '/a~1b/~0', 1],
  [{ a: null }, '/a', null],
  [{ a: null }, '/a/b', undefined],
  [{ a: 'text' }, '/a/0', undefined],
  [undefined, '/a', undefined],
  [{}, '/__proto__', undefined],
  [{}, '/constructor/name', undefined],
])('in %j, the pointer %j finds %j', (value, pointer, found) => {
  expect(valueAt(value, pointer)).toEqual(found);
});
