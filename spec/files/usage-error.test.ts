import { expect, test } from 'vitest';
import { closest, UsageError, unexpected } from './usage-error.ts';

test.each([
  ['strng', 'string'],
  ['datetmie', 'datetime'],
  ['Int', 'int'],
  ['xyz', undefined],
  ['', undefined],
  ['x', undefined],
  ['a'.repeat(101), undefined],
])('the word nearest to %j is %j', (typo, word) => {
  expect(closest(typo, ['int', 'string', 'date', 'datetime'])).toBe(word);
});

test('a long text is not compared at all', () => {
  const long = 'a'.repeat(1_000_000);
  expect(closest(long, [long])).toBeUndefined();
});

test.each([
  [['a'], 'x is 1; expected a'],
  [['a', 'b'], 'x is 1; expected a or b'],
  [['a', 2, true], 'x is 1; expected a, 2 or true'],
  [
    Array.from({ length: 13 }, (_, index) => index),
    'x is 1; expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 …',
  ],
])('what was expected of %j is listed', (expected, message) => {
  expect(unexpected('x', 1, expected)).toBe(message);
});

test('the likely word is suggested, also when the list is cut', () => {
  const words = [...'abcdefghijklm'].map((letter) => letter.repeat(8));
  expect(unexpected('x', 'mmmmmmm', words)).toMatch(/hhhhhhhh.* … ?\. Did you mean mmmmmmmm\?$/);
  expect(unexpected('x', 'tree', ['true', 'false'])).toBe(
    'x is "tree"; expected true or false. Did you mean true?',
  );
});

test('what was found is shown as JSON, so that it can tell a text from a number', () => {
  expect(unexpected('x', '1', [2])).toBe('x is "1"; expected 2');
  expect(unexpected('x', '2', [1, 2])).toBe('x is "2"; expected 1 or 2. Did you mean 2?');
  expect(unexpected('x', null, [2])).toBe('x is null; expected 2');
});

test('a usage error says so by its name', () => {
  expect(new UsageError('no')).toMatchObject({ name: 'UsageError', message: 'no' });
});
