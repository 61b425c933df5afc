/** A response, the journal, and the log show at most 100 violations, whatever a client sends. */
import { describe, expect, test } from 'vitest';
import { startMock, violationsOf } from '../../testing/mocks/mocks.ts';

const many = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, value]));
const lines = Array.from({ length: 200 }, () => ({ units: 'many', unknown: 1 }));
const query = Array.from({ length: 300 }, (_, index) => `name${index}=1`).join('&');

describe.each<Record<string, unknown>>([
  {},
  { 'errors.form': 'simple' },
  { 'request.unknownFields': 'reject' },
  { 'request.references': 'reject' },
])('under %j', (settings) => {
  test.each([
    ['unknown fields', 'POST', '/warehouse', many(90_000)],
    ['unknown fields of an update', 'POST', '/warehouse/1', many(50_000)],
    ['unknown parameters', 'GET', `/warehouse?${query}`, undefined],
    ['lines', 'POST', '/stockOrder', { lines }],
    ['unknown parameters and fields', 'POST', `/warehouse?${query}`, many(300)],
  ])('%s have at most 100 violations', async (_, method, path, sent) => {
    const fixtures = { warehouse: [{ id: 1, name: 'Central' }] };
    const { ask, mock } = await startMock(settings, { bodyLimit: 4_000_000, fixtures });
    const answer = await ask(method, path, sent);
    expect(answer.status).toBe(422);
    expect(violationsOf(answer).length).toBeLessThanOrEqual(100);
    const [seen] = await mock.requests();
    expect(seen?.violations?.length).toBeLessThanOrEqual(100);
    await mock.close();
  });
});

test('fields that are ignored are noted up to 100, and the others do not change the record', async () => {
  const { ask, create, mock } = await startMock({ 'request.unknownFields': 'ignore' });
  const made = await create('warehouse', { ...many(200), name: 'a' });
  expect((await ask('GET', `/warehouse/${made.id}`)).body).toMatchObject({ name: 'a' });
  expect((await mock.requests())[0]?.ignored).toHaveLength(100);
  await mock.close();
});
