import { expect, test } from 'vitest';
import { problem } from '../../testing/mocks/control.ts';
import { startMock, violationsOf } from '../../testing/mocks/mocks.ts';

const names = ['d', 'a', 'c', 'b', 'a'];
const fixtures = {
  warehouse: names.map((name, index) => ({ id: index + 1, name, ...(index === 1 && { comments: name }) })),
  supplier: [
    { id: 1, name: 'Alba', main: true, region: 3, city: 'Burgos' },
    { id: 2, name: 'alba sur', main: false, region: 1 },
    { id: 3, name: 'Cumbre', main: true, region: 3, city: 'Ávila' },
    { id: 4, name: 'Rayo', main: false },
  ],
};
const ALL = [1, 2, 3, 4, 5];
const OPERATORS = { 'list.filter': 'brackets', 'list.sort': 'fields sort' };
/** Ranges, parts of strings, one of several, whether a field is set, and several fields to sort by. */
const FOUND_BY_OPERATORS = {
  'supplier?id[gt]=2': [3, 4],
  'supplier?id[gte]=2&id[lt]=4': [2, 3],
  'supplier?region[lte]=1': [2],
  'supplier?name[contains]=ALBA': [1, 2],
  'supplier?id[in]=4,1,9': [1, 4],
  'supplier?city[null]=true': [2, 4],
  'supplier?city[null]=false&region=3': [1, 3],
  'supplier?sort=-region,name': [1, 3, 2, 4],
  'supplier?sort=region,-name': [2, 3, 1, 4],
};

test.each<[string, Record<string, unknown>, Record<string, readonly number[] | number>]>([
  ['by offset and size', {}, { 'warehouse?offset=1&limit=2': [2, 3], 'warehouse?offset=9': [] }],
  [
    'by page and size, from 1',
    { 'list.paging': { style: 'page', size: 'perPage', from: 'p' } },
    {
      'warehouse?p=1&perPage=2': [1, 2],
      'warehouse?p=3&perPage=2': [5],
      'warehouse?p=0': 422,
      'warehouse?offset=1': 422,
    },
  ],
  [
    'by index and size, from 0',
    { 'list.paging': { style: 'index', size: 'size' } },
    { warehouse: ALL, 'warehouse?page=0&size=2': [1, 2], 'warehouse?page=2&size=2': [5] },
  ],
  [
    'with the default and maximum size of the profile',
    { 'list.paging': { style: 'offset', from: 'skip', default: 2, max: 3 } },
    { warehouse: [1, 2], 'warehouse?skip=1': [2, 3], 'warehouse?limit=4': [1, 2, 3] },
  ],
  ['without paging', { 'list.paging': 'none' }, { warehouse: ALL, 'warehouse?limit=1': 422 }],
  [
    'sorted by a field, in descending order with a minus, and by ID if equal',
    {},
    { 'warehouse?sort=name': [2, 5, 4, 3, 1], 'warehouse?sort=-name': [1, 3, 4, 2, 5] },
  ],
  [
    'but rejects sorting by a field without an order',
    {},
    { 'warehouse?sort=color': 422, 'warehouse?sort=': 422, 'stockOrder?sort=lines': 422 },
  ],
  ['but rejects sorting if the profile has none', { 'list.sort': 'none' }, { 'warehouse?sort=name': 422 }],
  [
    'with a value, or with all of several values',
    {},
    { 'warehouse?name=a': [2, 5], 'warehouse?name=a&comments=a': [2], 'warehouse?name=a&id=5': [5] },
  ],
  [
    'and treats a paging parameter as such, not as a filter of the same name',
    { 'list.paging': { style: 'offset', size: 'name' } },
    { 'warehouse?name=2': [1, 2] },
  ],
  ['but rejects filters if the profile has none', { 'list.filter': 'none' }, { 'warehouse?name=a': 422 }],
  [
    'and ignores filters if the profile has none and ignores unknown parameters',
    { 'list.filter': 'none', 'request.unknownFields': 'ignore' },
    { 'warehouse?name=a&name=b&what=1': ALL },
  ],
  ['by operators', OPERATORS, FOUND_BY_OPERATORS],
  [
    'by operators if no total is shown and deletes remove records',
    { ...OPERATORS, 'response.total': 'none', 'delete.effect': 'remove', 'list.paging': { style: 'offset' } },
    FOUND_BY_OPERATORS,
  ],
  [
    'by parts of strings under the default profile',
    {},
    { 'supplier?name[contains]=ALBA': [1, 2], 'supplier?city[contains]=avi&main=true': [3] },
  ],
])('a list shows records %s', async (_, settings, queries) => {
  const { ask } = await startMock(settings, { fixtures });
  for (const [query, expected] of Object.entries(queries)) {
    const { body, status } = await ask('GET', `/${query}`);
    const found = status === 200 ? (body as { id: number }[]).map(({ id }) => id) : status;
    expect([query, found]).toEqual([query, expected]);
  }
});

test.each(['-1', '1.5', '', '1e3'])('a list rejects the paging number %j', async (text) => {
  const { ask } = await startMock({}, { fixtures });
  expect(violationsOf(await ask('GET', `/warehouse?limit=${text}&offset=${text}`))).toEqual([
    `?limit must be an integer of at least 1, but is "${text}"`,
    `?offset must be an integer of at least 0, but is "${text}"`,
  ]);
});

test('operations on single records reject query parameters', async () => {
  const { ask } = await startMock({}, { fixtures });
  expect((await ask('GET', '/warehouse/1?limit=1')).status).toBe(422);
  expect((await ask('GET', '/warehouse/9?limit=1')).status).toBe(404);
  expect((await ask('DELETE', '/warehouse/1?limit=1')).status).toBe(422);
  expect((await ask('GET', '/warehouse/1')).body).toMatchObject({ deleted: false });
});

test('a list of more than 64 MiB is rejected, and a page of it is not', async () => {
  const comments = 'x'.repeat(1_000_000);
  const warehouse = Array.from({ length: 68 }, () => ({ name: 'a', comments }));
  const { ask } = await startMock({}, { requestLog: 0, fixtures: { warehouse } });
  expect(await ask('GET', '/warehouse')).toMatchObject(
    problem(507, /^The list has more than 64 MiB\. Request fewer records/),
  );
  const part = await ask('GET', '/warehouse?name=a&limit=2');
  expect(part).toMatchObject({ body: { length: 2 }, headers: { 'x-total-count': '68' } });
});

test('the default profile accepts only the filter operator contains', async () => {
  const { ask, mock } = await startMock({}, { fixtures });
  expect(violationsOf(await ask('GET', '/supplier?id[contains]=1&region[gte]=1'))).toEqual([
    expect.stringMatching(/^\?id\[contains\] is not a known query parameter/),
    expect.stringMatching(/^\?region\[gte\] is not a known query parameter/),
  ]);
  expect((await ask('GET', '/supplier?sort=id,name')).status).toBe(422);
  const parameters = Object.values(mock.document.components.parameters ?? {});
  const operators = parameters.flatMap((one) => ('name' in one ? (/\[.*\]/.exec(one.name) ?? []) : []));
  expect(new Set(operators)).toEqual(new Set(['[contains]']));
});

test('invalid operators are reported, and their values are limited', async () => {
  const { ask, mock } = await startMock(OPERATORS, { fixtures });
  const many = Array.from({ length: 101 }, (_, at) => at).join();
  const long = 'x'.repeat(201);
  const query = `id[in]=${many}&name[contains]=${long}&region[null]=perhaps&region[gt]=a&main[gt]=1&sort=id,id,id,id,id,id`;
  expect(violationsOf(await ask('GET', `/supplier?${query}`))).toEqual([
    expect.stringMatching(/^\?main\[gt\] is not a known query parameter/),
    '?id[in] must have at most 100 values, but has 101',
    expect.stringMatching(/^\?name\[contains\] must be a string of 1 to 200 characters, but is "x+…$/),
    '?region[null] must be true or false, but is "perhaps"',
    '?region[gt] must be an integer, but is "a"',
    expect.stringMatching(/^\?sort must be at most 5 names of sortable fields.* but is "id,id/),
  ]);
  const list = mock.document.paths['/api/model/supplier']?.get?.parameters ?? [];
  expect(JSON.stringify(list)).toContain('NullFilter');
});

test('a list rejects invalid filter values, repeated parameters, and unknown parameters', async () => {
  const { ask } = await startMock();
  expect(violationsOf(await ask('GET', '/relationship?customer=x&status=9&status=1&nam=1'))).toEqual([
    '?status must appear only once in the query',
    '?nam is not a known query parameter. Lists accept offset, limit, sort, field names (list.paging is offset, list.sort is field sort, list.filter is contains)',
    '?customer must be an integer, but is "x"',
    '?status must be one of 1, 2, 3, 4, but is 9',
  ]);
});

test.each([
  ['q', 'equality', 'name[contains], which the profile accepts with list.filter: contains'],
  ['city_like', 'equality', 'city[contains], which the profile accepts with list.filter: contains'],
  ['search', 'contains', 'name[contains]'],
  ['search', 'brackets', 'name[contains]'],
])(
  'the rejection of the unknown filter %s under %s names a search parameter',
  async (name, filter, instead) => {
    const { ask } = await startMock({ 'list.filter': filter });
    expect(violationsOf(await ask('GET', `/supplier?${name}=x`))).toEqual([
      `?${name} is not a known query parameter. To search for a part of a string, send ${instead}`,
    ]);
  },
);

test('a filter reads values in the forms of the profile', async () => {
  const { ask, create } = await startMock({
    'types.bool': 'int',
    'types.select': 'string',
    'types.datetime': 'space',
  });
  await create('relationship', { customer: 1, customer2: 2, allowLogin: 1, allowPayVoucher: 0, status: '2' });
  const total = async (search: string) =>
    (await ask('GET', `/relationship?${search}`)).headers['x-total-count'];
  expect(await total('status=2&allowLogin=1&created=2025-10-22%2009:30:00')).toBe('1');
  expect(await total('status=1')).toBe('0');
  expect(await total('allowPayVoucher=1')).toBe('0');
});

test('an empty filter finds records with unset values or empty strings', async () => {
  const { ask, create } = await startMock({ 'request.blankStrings': 'accept' });
  await create('supplier', { name: '', main: true });
  await create('supplier', { name: 'b', main: true, region: 4 });
  expect((await ask('GET', '/supplier?region=')).body).toMatchObject([{ id: 1 }]);
  expect((await ask('GET', '/supplier?name=')).body).toMatchObject([{ id: 1 }]);
});
