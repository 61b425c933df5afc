import { describe, expect, test } from 'vitest';
import { findJsonFault } from './content.ts';

/** The part of a text that is JSON still. */
const soundPart = (text: string) => text.slice(0, findJsonFault(text));

describe('the place where a text stops being JSON', () => {
  test.each([
    ['', ''],
    ['  ', '  '],
    ['x', ''],
    ['{"a":secret}', '{"a":'],
    ['{"a":1,}', '{"a":1,'],
    ['{,}', '{'],
    ['{1:2}', '{'],
    ['{"a" 1}', '{"a" '],
    ['{"a":1 "b":2}', '{"a":1 '],
    ['{"a":1', '{"a":1'],
    ['{"a":"b', '{"a":'],
    ['{"a":"b\\', '{"a":'],
    ['{"a\\"":1]', '{"a\\"":1'],
    ['[1,2', '[1,2'],
    ['[1,]', '[1,'],
    ['[1}', '[1'],
    ['[1:2]', '[1'],
    ['["a\nb"]', '['],
    ['["\\x"]', '['],
    ['[01]', '['],
    ['[tru]', '['],
    ['[]]', '[]'],
    ['1 2', '1 '],
    ['1,2', '1'],
    ['\u00a01', ''],
    ['{"a":[{"b":[]}],"c":{}:', '{"a":[{"b":[]}],"c":{}'],
  ])('of %j is after %j', (text, sound) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(soundPart(text)).toBe(sound);
  });

  test('is found in a text that is long and deep', () => {
    const text = `${'['.repeat(100_000)}"${'\\n'.repeat(1_000_000)}" x`;
    expect(findJsonFault(text)).toBe(text.length - 1);
  });
});
