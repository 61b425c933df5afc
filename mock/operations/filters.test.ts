import { describe, expect, test } from 'vitest';
import { type Asked, startMock, violationsOf } from '../../testing/mocks/mocks.ts';

const OPERATORS = { 'list.filter': 'brackets', 'list.sort': 'fields sort' };
const suppliers = [
  { id: 1, name: 'Alba', main: true, region: 3, city: 'Burgos' },
  { id: 2, name: 'alba sur', main: false, region: 1 },
  { id: 3, name: 'Cumbre', main: true, region: 3, city: 'Ávila' },
  { id: 4, name: 'Rayo', main: false },
];
const fixtures = { supplier: suppliers };

async function ids({ ask }: Asked, query: string): Promise<number[]> {
  const { body, status } = await ask('GET', `/supplier?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return (body as { id: number }[]).map(({ id }) => id);
}

describe.each<Record<string, unknown>>([
  {},
  { 'response.total': 'none', 'delete.effect': 'remove', 'list.paging': { style: 'offset', default: 20 } },
])('under %j a filter', (settings) => {
  test('asks for ranges, parts of texts, one of several, and whether a field is set', async () => {
    const asked = await startMock({ ...OPERATORS, ...settings }, { fixtures });
    expect(await ids(asked, 'id[gt]=2')).toEqual([3, 4]);
    expect(await ids(asked, 'id[gte]=2&id[lt]=4')).toEqual([2, 3]);
    expect(await ids(asked, 'region[lte]=1')).toEqual([2]);
    expect(await ids(asked, 'name[contains]=ALBA')).toEqual([1, 2]);
    expect(await ids(asked, 'id[in]=4,1,9')).toEqual([1, 4]);
    expect(await ids(asked, 'city[null]=true')).toEqual([2, 4]);
    expect(await ids(asked, 'city[null]=false&region=3')).toEqual([1, 3]);
    expect(await ids(asked, 'sort=-region,name')).toEqual([1, 3, 2, 4]);
    expect(await ids(asked, 'sort=region,-name')).toEqual([2, 3, 1, 4]);
  });
});

test('the default profile finds parts of strings, and has no other operators', async () => {
  const asked = await startMock({}, { fixtures });
  expect(await ids(asked, 'name[contains]=ALBA')).toEqual([1, 2]);
  expect(await ids(asked, 'city[contains]=avi&main=true')).toEqual([3]);
  expect(violationsOf(await asked.ask('GET', '/supplier?id[contains]=1&region[gte]=1'))).toEqual([
    expect.stringMatching(/^\?id\[contains\] is not a known query parameter/),
    expect.stringMatching(/^\?region\[gte\] is not a known query parameter/),
  ]);
  const parameters = Object.values(asked.mock.document.components.parameters ?? {});
  const operators = parameters.flatMap((one) => ('name' in one ? (/\[.*\]/.exec(one.name) ?? []) : []));
  expect(new Set(operators)).toEqual(new Set(['[contains]']));
});

test('what is wrong with an operator is told, and what it takes is bounded', async () => {
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
  const plain = await startMock({}, { fixtures });
  expect((await plain.ask('GET', '/supplier?id[gt]=1')).status).toBe(422);
  expect((await plain.ask('GET', '/supplier?sort=id,name')).status).toBe(422);
  const list = mock.document.paths['/api/model/supplier']?.get?.parameters ?? [];
  expect(JSON.stringify(list)).toContain('NullFilter');
});

describe('a filter', () => {
  test('refuses a value the field can not have, a parameter twice, and unknown ones', async () => {
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
  ])('says how to search where %s is asked for, under %s', async (name, filter, instead) => {
    const { ask } = await startMock({ 'list.filter': filter });
    expect(violationsOf(await ask('GET', `/supplier?${name}=x`))).toEqual([
      `?${name} is not a known query parameter. To search for a part of a string, send ${instead}`,
    ]);
  });

  test('reads values as they look on the wire', async () => {
    const { ask, create } = await startMock({
      'types.bool': 'int',
      'types.select': 'string',
      'types.currency': 'minor',
      'types.datetime': 'space',
    });
    const sent = { customer: 1, customer2: 2, allowLogin: 1, allowPayVoucher: 0, status: '2' };
    await create('relationship', sent);
    const total = async (search: string) =>
      (await ask('GET', `/relationship?${search}`)).headers['x-total-count'];
    expect(await total('status=2&allowLogin=1&created=2025-10-22%2009:30:00')).toBe('1');
    expect(await total('status=1')).toBe('0');
    expect(await total('allowPayVoucher=1')).toBe('0');
  });

  test('with nothing finds the records without a value, but texts that are empty', async () => {
    const { ask, create } = await startMock({ 'request.blankStrings': 'accept' });
    await create('supplier', { name: '', main: true });
    await create('supplier', { name: 'b', main: true, region: 4 });
    expect((await ask('GET', '/supplier?region=')).body).toMatchObject([{ id: 1 }]);
    expect((await ask('GET', '/supplier?name=')).body).toMatchObject([{ id: 1 }]);
  });
});
