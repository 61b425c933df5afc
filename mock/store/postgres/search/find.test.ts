import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createProfile } from '../../../../spec/profile/profile.ts';
import { few, references } from '../../../../testing/mocks/mocks.ts';
import { HOSTILE_RECORDS, hostileQueries } from '../../../../testing/stores/hostile-values.ts';
import {
  forgetFields,
  NO_POSTGRES,
  query,
  startPostgres,
  type TestPostgres,
} from '../../../../testing/stores/postgres.ts';
import { putAll } from '../../../../testing/stores/store-steps.ts';
import { createMock } from '../../../mock.ts';
import { searchRecords } from '../../search.ts';
import type { Query } from '../../store.ts';
import { createPostgresStore } from '../postgres.ts';

const MANY = 300;

type Asked = { query(statement: { readonly text?: string }): Promise<{ readonly rows: readonly unknown[] }> };

describe.skipIf(NO_POSTGRES)('a query of PostgreSQL', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function open(url: string) {
    const store = await createPostgresStore(url);
    return { store, session: await store.open('a', '@none'), [Symbol.asyncDispose]: () => store.close() };
  }

  /** Counts the rows that the database sends to the pools. */
  function countRows(): () => number {
    let count = 0;
    const pool = pg.Pool.prototype as unknown as Asked;
    const { query } = pool;
    vi.spyOn(pool, 'query').mockImplementation(async function (this: Asked, statement) {
      const result = await query.call(this, statement);
      count += result.rows.length;
      return result;
    });
    return () => count;
  }

  test('sends a page, whatever the conditions and the order are', async () => {
    await using opened = await open(await server.database());
    const { session, store } = opened;
    expect(store.warnings).toEqual([]);
    const records = Array.from({ length: MANY }, (_, index) => ({
      id: index + 1,
      name: `n${index % 7}`,
      size: index,
    }));
    await putAll(session, 'a', records);
    const rows = countRows();
    const base = { liveOnly: true, size: 5 } as const;
    const name = { field: 'name', type: 'string', descending: true } as const;
    const queries: Query[] = [
      base,
      { ...base, offset: 200 },
      { ...base, where: [['name', 'n1']] },
      { ...base, sort: [name] },
      { ...base, offset: 90, sort: [name] },
      { ...base, filters: [{ field: 'name', type: 'string', operator: 'contains', values: ['N'] }] },
      { ...base, filters: [{ field: 'size', type: 'int', operator: 'gte', values: [10] }], sort: [name] },
      { ...base, filters: [{ field: 'name', type: 'string', operator: 'null', values: [false] }] },
    ];
    for (const one of queries) {
      const before = rows();
      expect(await session.find('a', one)).toEqual(searchRecords(records, one));
      // The page, and a row with the total.
      expect(rows() - before).toBe(6);
    }
    const before = rows();
    const span = { field: 'name', type: 'duration', descending: true } as const;
    await session.find('a', { ...base, where: [['name', 'n1']], sort: [span] });
    // Only this process sorts durations. It gets the records that the condition matches.
    expect(rows() - before).toBe(Math.ceil(MANY / 7));
  });

  test.each(['header X-Total-Count', 'none'])(
    'counts only for a profile that shows a total: %s',
    async (total) => {
      const texts: string[] = [];
      const pool = pg.Pool.prototype as unknown as Asked;
      const { query } = pool;
      await using mock = await createMock({
        catalogue: few,
        references,
        fixtures: new Map([['warehouse', [{ id: 1, name: 'a' }]]]),
        profile: createProfile({ 'response.total': total }, few),
        data: await server.database(),
      });
      vi.spyOn(pool, 'query').mockImplementation(function (this: Asked, statement) {
        texts.push(statement.text ?? '');
        return query.call(this, statement);
      });
      for (const search of ['?limit=5', '?name=a&limit=5', '?sort=name&limit=5'])
        expect(
          await mock.handle({ method: 'GET', target: `/api/model/warehouse${search}`, headers: {} }),
        ).toMatchObject({ status: 200 });
      const counting = texts.filter((text) => /tally|count\(\*\) from found/.test(text));
      expect(counting).toHaveLength(total === 'none' ? 0 : 3);
    },
  );

  test('reads all records where too many have characters that it must place itself', async () => {
    await using opened = await open(await server.database());
    const { session } = opened;
    const records = Array.from({ length: 5100 }, (_, index) => ({
      id: index + 1,
      name: `“${(index * 7919) % 5100}`,
    }));
    await putAll(session, 'a', records);
    const sort = [{ field: 'name', type: 'string', descending: true }] as const;
    const rows = countRows();
    const few = { liveOnly: true, size: 5, offset: 3, sort, where: [['id', 7]] } as const;
    expect(await session.find('a', few)).toEqual(searchRecords(records, few));
    expect(rows()).toBe(2);
    const many = { liveOnly: true, size: 5, offset: 3, sort } as const;
    expect(await session.find('a', many)).toEqual(searchRecords(records, many));
    expect(rows()).toBeGreaterThan(5100);
  });

  test.each([
    ['a collation like the one of the mock', 'drop collation record_model_mock.spanish'],
    [
      'the normalization of it',
      `drop collation record_model_mock.spanish;
       create collation record_model_mock.spanish (provider = icu, locale = 'es', deterministic = false)`,
    ],
    [
      'the letter ñ',
      `drop collation record_model_mock.spanish;
       create collation record_model_mock.spanish (provider = icu, locale = 'en-u-kk-true', deterministic = false)`,
    ],
  ])('gives the same without %s, with a warning', async (_, statement) => {
    const url = await server.database();
    await (await createPostgresStore(url)).close();
    await query(url, statement);
    await using opened = await open(url);
    const { session, store } = opened;
    expect(store.warnings).toEqual([
      expect.stringMatching(
        /^postgres:\/\/postgres@127\.0\.0\.1:\d+\/test_\d+ sorts strings in another way than the mock\. /,
      ),
    ]);
    await putAll(session, 'any', HOSTILE_RECORDS);
    const sorted = [...hostileQueries()].filter(({ sort }) => sort?.some(({ field }) => field === 'name'));
    for (const one of sorted) {
      const searched = HOSTILE_RECORDS.filter((record) => !one.liveOnly || record.deleted !== true);
      expect(await session.find('any', one)).toEqual(searchRecords(searched, one));
    }
  });

  test('finds the records that an earlier release stored', async () => {
    const url = await server.database();
    await using opened = await open(url);
    const { session } = opened;
    await putAll(session, 'a', HOSTILE_RECORDS);
    await forgetFields(url);
    await using later = await open(url);
    const one = { liveOnly: true, where: [['open', true]], size: 3 } as const;
    const live = HOSTILE_RECORDS.filter(({ deleted }) => deleted !== true);
    expect(await later.session.find('a', one)).toEqual(searchRecords(live, one));
    expect((await later.session.find('a', { liveOnly: true, size: 0 })).total).toBe(live.length);
  });
});
