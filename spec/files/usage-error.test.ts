import { expect, test } from 'vitest';
import { complaintOf } from '../../testing/input-files/complaint.ts';
import { readAll, UsageError, unexpected } from './usage-error.ts';

test.each([
  [['a'], 'Unknown x 1. Use "a".'],
  [['a', 'b'], 'Unknown x 1. Use "a" or "b".'],
  [['a', 2, true], 'Unknown x 1. Use "a", 2, or true.'],
  [
    Array.from({ length: 13 }, (_, index) => index),
    'Unknown x 1. Use one of 13 names, such as 1, 0, 2, 3, or 4.',
  ],
])('the expected values %j are listed', (expected, message) => {
  expect(unexpected('x', 1, expected)).toBe(message);
});

test('a similar word is suggested, even if the list is cut', () => {
  const words = [...'abcdefghijklm'].map((letter) => letter.repeat(8));
  expect(unexpected('x', 'mmmmmmm', words)).toMatch(/Unknown x "mmmmmmm"\. Did you mean "mmmmmmmm"\?$/);
  expect(unexpected('x', 'tree', ['true', 'false'])).toBe('Unknown x "tree". Did you mean "true"?');
  for (const far of ['xyz', 'x', 'a'.repeat(101)])
    expect(unexpected('x', far, ['int', 'date'])).toMatch(/Use "int" or "date"\.$/);
});

test('the invalid value is shown as JSON, to distinguish strings from numbers', () => {
  expect(unexpected('x', '1', [2])).toBe('Unknown x "1". Use 2.');
  expect(unexpected('x', '2', [1, 2])).toBe('Unknown x "2". Did you mean 2?');
  expect(unexpected('x', null, [2])).toBe('Unknown x null. Use 2.');
});

test.each([
  [20, 20, /^1\n2\n.*\n20$/s],
  [49, 49, /\n20\nThere are 29 more mistakes\.$/],
  [20_000, 50, /\n20\nThere are at least 30 more mistakes\.$/],
])('of %i wrong items %i are read, and the message counts the others', (count, most, message) => {
  let reads = 0;
  const refuse = (item: number): never => {
    reads++;
    throw new UsageError(String(item + 1));
  };
  const steps = [() => readAll(Array(count).keys(), refuse), () => []];
  expect(complaintOf(() => readAll(steps, (step) => step()))).toMatch(message);
  expect(reads).toBe(most);
});
