import { expect, test } from 'vitest';
import { isAccepted, readAnswer, readJson } from './answer.ts';

test.each([
  [true, { error: { code: 0, message: 'ok' }, data: [{ id: 1 }] }],
  [true, { error: 'none', result: { items: [{ id: 1 }, { id: 2 }] } }],
  [false, { error: { code: 1 }, data: [] }],
  [false, { success: false, data: [{ name: 'without an id' }] }],
  [false, { errors: [{ id: 'E1' }] }],
])('a response of 200 with an error is accepted only if it shows records (%s): %j', (isOk, body) => {
  const response = { status: 200, headers: {}, body: JSON.stringify(body) };
  expect(isAccepted(readAnswer(response, 'GET /api/model/brand', {} as never))).toBe(isOk);
});

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test.each<[string, string, unknown]>([
  ['no JSON', '{', undefined],
  ['an id beyond 2^53, digit by digit', '{"id":9007199254740993}', { id: '9007199254740993' }],
  ['brackets inside a text', JSON.stringify([nested(1000), '\\"', '[']), [nested(1000), '\\"', '[']],
  ['lists side by side', `[${Array(2000).fill('[]').join()}]`, Array(2000).fill([])],
  ['an object nested without end', `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`, undefined],
  ['a list nested without end', nested(1_000_000), undefined],
  ['a text without an end', `"${'['.repeat(2000)}`, undefined],
])('%s', (_, text, expected) => {
  expect(readJson(text).json).toEqual(expected);
});

test('__proto__ is a name like others', () => {
  expect(Object.hasOwn(readJson('{"__proto__":{"id":1}}').json as object, '__proto__')).toBe(true);
});
