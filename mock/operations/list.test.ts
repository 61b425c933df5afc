import { describe, expect, test } from 'vitest';
import { type Asked, startMock, violationsOf } from '../../testing/mocks/mocks.ts';

const names = ['d', 'a', 'c', 'b', 'a'];
const fixtures = {
  warehouse: names.map((name, index) => ({
    id: index + 1,
    name,
    ...(index === 1 ? { comments: name } : {}),
  })),
};

async function ids({ ask }: Asked, search: string): Promise<unknown> {
  const { status, body } = await ask('GET', `/warehouse${search}`);
  return status === 200 ? (body as { id: number }[]).map(({ id }) => id) : status;
}

test.each([
  [{ 'response.total': 'header X-Total' }, [], { 'x-total': '0' }],
  [{ 'response.records': '/data', 'response.total': '/total' }, { data: [], total: 0 }, {}],
  [
    {
      'response.records': '/meta/items',
      'response.total': '/meta/count',
    },
    { meta: { items: [], count: 0 } },
    {},
  ],
  [{ 'response.total': 'none' }, [], {}],
])('a list has the envelope of %j', async (settings, body, headers) => {
  const answer = await (await startMock(settings)).ask('GET', '/warehouse');
  expect(answer.body).toEqual(body);
  expect(answer.headers).toMatchObject(headers);
  const total = 'response.total' in settings ? undefined : '0';
  expect(answer.headers['x-total-count']).toBe(total);
});

describe('paging', () => {
  test('is by offset and size', async () => {
    const asked = await startMock({}, { fixtures });
    expect(await ids(asked, '?offset=1&limit=2')).toEqual([2, 3]);
    expect(await ids(asked, '?offset=9')).toEqual([]);
  });

  test('is by page and size, from 1', async () => {
    const asked = await startMock(
      { 'list.paging': { style: 'page', size: 'perPage', from: 'p' } },
      { fixtures },
    );
    expect(await ids(asked, '?p=1&perPage=2')).toEqual([1, 2]);
    expect(await ids(asked, '?p=3&perPage=2')).toEqual([5]);
    expect(await ids(asked, '?p=0')).toBe(422);
    expect(await ids(asked, '?offset=1')).toBe(422);
  });

  test('is by index and size, from 0', async () => {
    const asked = await startMock({ 'list.paging': { style: 'index', size: 'size' } }, { fixtures });
    expect(await ids(asked, '')).toEqual([1, 2, 3, 4, 5]);
    expect(await ids(asked, '?page=0&size=2')).toEqual([1, 2]);
    expect(await ids(asked, '?page=2&size=2')).toEqual([5]);
  });

  test('has the default and greatest size of the profile', async () => {
    const asked = await startMock(
      { 'list.paging': { style: 'offset', from: 'skip', default: 2, max: 3 } },
      { fixtures },
    );
    expect(await ids(asked, '')).toEqual([1, 2]);
    expect(await ids(asked, '?skip=1')).toEqual([2, 3]);
    expect(await ids(asked, '?limit=4')).toEqual([1, 2, 3]);
  });

  test('may be none at all', async () => {
    const asked = await startMock({ 'list.paging': 'none' }, { fixtures });
    expect(await ids(asked, '')).toEqual([1, 2, 3, 4, 5]);
    expect(await ids(asked, '?limit=1')).toBe(422);
  });

  test.each(['-1', '1.5', '', '1e3'])('refuses %j as a number', async (text) => {
    const asked = await startMock({}, { fixtures });
    const answer = await asked.ask('GET', `/warehouse?limit=${text}&offset=${text}`);
    expect(violationsOf(answer)).toEqual([
      `?limit must be an integer of at least 1, but is "${text}"`,
      `?offset must be an integer of at least 0, but is "${text}"`,
    ]);
  });
});

test('sorting is by a field, turned round with a minus; equal ones by id', async () => {
  const asked = await startMock({}, { fixtures });
  expect(await ids(asked, '?sort=name')).toEqual([2, 5, 4, 3, 1]);
  expect(await ids(asked, '?sort=-name')).toEqual([1, 3, 4, 2, 5]);
});

test('sorting is refused by what is no field, and where the profile has none', async () => {
  const asked = await startMock({}, { fixtures });
  expect(await ids(asked, '?sort=color')).toBe(422);
  expect(await ids(asked, '?sort=')).toBe(422);
  expect((await asked.ask('GET', '/stockOrder?sort=lines')).status).toBe(422);
  expect(await ids(await startMock({ 'list.sort': 'none' }), '?sort=name')).toBe(422);
});

test('a filter keeps the records with a value; several all have to hold', async () => {
  const asked = await startMock({}, { fixtures });
  expect(await ids(asked, '?name=a')).toEqual([2, 5]);
  expect(await ids(asked, '?name=a&comments=a')).toEqual([2]);
  expect(await ids(asked, '?name=a&id=5')).toEqual([5]);
  expect((await asked.ask('GET', '/warehouse?name=a&limit=1')).headers['x-total-count']).toBe('2');
});

test('a filter gives way to a parameter of the list of the same name', async () => {
  const asked = await startMock({ 'list.paging': { style: 'offset', size: 'name' } }, { fixtures });
  expect(await ids(asked, '?name=2')).toEqual([1, 2]);
});

test('a filter is none where the profile has none, and ignored where it ignores what it does not know', async () => {
  const strict = await startMock({ 'list.filter': 'none' }, { fixtures });
  expect(await ids(strict, '?name=a')).toBe(422);
  const lenient = await startMock({ 'list.filter': 'none', 'request.unknownFields': 'ignore' }, { fixtures });
  expect(await ids(lenient, '?name=a&name=b&what=1')).toEqual([1, 2, 3, 4, 5]);
});

test('an operation on one record has no query parameters', async () => {
  const { ask } = await startMock({}, { fixtures });
  expect((await ask('GET', '/warehouse/1?limit=1')).status).toBe(422);
  expect((await ask('GET', '/warehouse/9?limit=1')).status).toBe(404);
  expect((await ask('DELETE', '/warehouse/1?limit=1')).status).toBe(422);
  expect((await ask('GET', '/warehouse/1')).body).toMatchObject({ deleted: false });
});

test('a list of more than 64 MiB is refused, and a part of it is not', async () => {
  const comments = 'x'.repeat(1_000_000);
  const warehouse = Array.from({ length: 68 }, () => ({ name: 'a', comments }));
  const { ask } = await startMock({}, { requestLog: 0, fixtures: { warehouse } });
  expect(await ask('GET', '/warehouse')).toMatchObject({
    status: 507,
    body: { detail: expect.stringMatching(/^The list has more than 64 MiB\. Request fewer records/) },
  });
  expect((await ask('GET', '/warehouse?limit=2')).body).toHaveLength(2);
});
