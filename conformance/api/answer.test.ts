import { expect, test } from 'vitest';
import { isAccepted, readAnswer } from './answer.ts';

const read = (body: unknown) =>
  readAnswer({ status: 200, headers: {}, body: JSON.stringify(body) }, 'GET /api/model/brand', {} as never);

test.each([
  { error: { code: 0, message: 'ok' }, data: [{ id: 1 }] },
  { error: { code: 0, message: 'ok' }, data: { id: 1 } },
  { error: 'none', result: { items: [{ id: 1 }, { id: 2 }] } },
])('an answer that shows records beside its error is accepted: %j', (body) => {
  expect(isAccepted(read(body))).toBe(true);
});

test.each([
  { error: 'not found' },
  { error: { code: 1 }, data: [] },
  { success: false, data: [{ name: 'without an id' }] },
  { errors: [{ id: 'E1' }] },
])('an answer of 200 that shows an error and no record is a refusal: %j', (body) => {
  expect(isAccepted(read(body))).toBe(false);
});
