import { expect, test } from 'vitest';
import { catalogue } from '../../testing/checks.ts';
import { hideInText, hideOthers, isAccepted, noteHidden, readAnswer, readJson } from './answer.ts';

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
  ['text that is not JSON is undefined', '{', undefined],
  ['an ID above 2^53 keeps all digits', '{"id":9007199254740993}', { id: '9007199254740993' }],
  [
    'brackets inside a string do not count as nesting',
    JSON.stringify([nested(1000), '\\"', '[']),
    [nested(1000), '\\"', '['],
  ],
  [
    '2000 lists next to each other are not nested',
    `[${Array(2000).fill('[]').join()}]`,
    Array(2000).fill([]),
  ],
  ['an object with 1000 levels is undefined', `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`, undefined],
  ['a list with a million levels is undefined', nested(1_000_000), undefined],
  ['a string without an end is undefined', `"${'['.repeat(2000)}`, undefined],
])('%s', (_, text, expected) => {
  expect(readJson(text).json).toEqual(expected);
});

test('a member named __proto__ is read like any other', () => {
  expect(Object.hasOwn(readJson('{"__proto__":{"id":1}}').json as object, '__proto__')).toBe(true);
});

/** Hides the values of the records of others in a list, and in a message about it. */
function hide(records: readonly object[], isOwn: (id: unknown) => boolean) {
  const response = { status: 200, headers: {}, body: JSON.stringify(records), ms: 1 };
  const asked = { model: 'deposit', operation: 'list' };
  const hidden = hideOthers(asked, response, records, catalogue, (_, id) => isOwn(id));
  const request = { method: 'GET', url: 'http://localhost/api/model/deposit', headers: {} };
  const exchange = { request, response: { ...response, body: hidden.body } };
  noteHidden(exchange, hidden);
  return { body: hidden.body, told: (message: string) => hideInText(message, [exchange]) };
}

test('a redacted message keeps the URLs of requests, even if a hidden record contains a similar link', () => {
  const { body, told } = hide([{ id: 1, name: 'Confidential', link: '/api/model/deposit/1' }], () => false);
  expect(body).toBe('[{"id":1,"name":"[redacted]","link":"[redacted]"}]');
  const url = 'GET /api/model/deposit/18';
  expect(told(`${url} shows Confidential`)).toBe(`${url} shows [redacted]`);
});

test('a redacted message keeps a value that a record of the run also has', () => {
  const theirs = { id: 1, name: 'Confidential', endDate: '0001-01-01' };
  const { told } = hide([theirs, { ...theirs, id: 2, name: 'own' }], (id) => id === 2);
  expect(told('found "0001-01-01" next to "Confidential"')).toBe('found "0001-01-01" next to "[redacted]"');
});
