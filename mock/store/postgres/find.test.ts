import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { FIELDS, HOSTILE_RECORDS, hostileQueries } from '../../../testing/stores/hostile-values.ts';
import { searchPlainly } from '../../../testing/stores/plain-model.ts';
import { NO_POSTGRES, query, startPostgres, type TestPostgres } from '../../../testing/stores/postgres.ts';
import { ALL, putAll } from '../../../testing/stores/store-steps.ts';
import type { Query, SessionRecords } from '../store.ts';
import { createPostgresStore } from './postgres.ts';

const MANY = 300;
const TYPES = new Map(Object.entries(FIELDS).map(([name, { type }]) => [name, type]));
const LAYOUT = { links: new Map(), mark: 'deleted', types: new Map([['any', TYPES]]) };

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
    const store = await createPostgresStore(url, LAYOUT);
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
    const { session } = opened;
    const records = Array.from({ length: MANY }, (_, index) => ({
      id: index + 1,
      name: `n${index % 7}`,
      stock: index,
    }));
    await putAll(session, 'any', records);
    const rows = countRows();
    const base = { liveOnly: true, size: 5 } as const;
    const name = { field: 'name', type: 'text', descending: true } as const;
    const queries: Query[] = [
      base,
      { ...base, offset: 200 },
      { ...base, filters: [{ field: 'name', type: 'text', operator: 'equal', values: ['n1'] }] },
      { ...base, sort: [name] },
      { ...base, offset: 90, sort: [name] },
      { ...base, filters: [{ field: 'name', type: 'text', operator: 'contains', values: ['N'] }] },
      { ...base, filters: [{ field: 'stock', type: 'int', operator: 'gte', values: [10] }], sort: [name] },
      { ...base, filters: [{ field: 'name', type: 'text', operator: 'null', values: [false] }] },
    ];
    for (const one of queries) {
      const before = rows();
      expect(await session.find('any', one)).toEqual(searchPlainly(records, one));
      // The page, and a row with the total.
      expect(rows() - before).toBe(6);
    }
  });

  test('finds and sorts by keys, whatever the collation of the database is', async () => {
    const name = 'collated';
    const locale = `locale_provider icu icu_locale 'und-u-ks-level2' locale 'C'`;
    await query(server.admin, `create database ${name} template template0 encoding UTF8 ${locale}`);
    await using opened = await open(server.admin.replace(/postgres$/, name));
    await putAll(opened.session, 'any', HOSTILE_RECORDS);
    const ids = [true, false].map((value): Query => {
      return { liveOnly: false, filters: [{ field: 'id', type: 'int', operator: 'null', values: [value] }] };
    });
    // Eleven has no factor in common with the six queries per value.
    const some = [...hostileQueries()].filter((_, index) => index % 11 === 0);
    for (const asked of [...ids, ...some])
      expect({ asked, ...(await opened.session.find('any', asked)) }).toEqual({
        asked,
        ...searchPlainly(HOSTILE_RECORDS, asked),
      });
  });
});

describe.skipIf(NO_POSTGRES)('the number of records in PostgreSQL', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function open(url: string) {
    const store = await createPostgresStore(url);
    return { store, session: await store.open('a', '@none'), [Symbol.asyncDispose]: () => store.close() };
  }

  test('is that of the list, whatever was written at once, saved, restored, and dropped', async () => {
    const url = await server.database();
    await using one = await open(url);
    await using other = await open(url);
    const sessions = [one.session, other.session];
    const expectTotals = async (session: SessionRecords, model = 'a') => {
      for (const liveOnly of [true, false]) {
        const { records } = await session.find(model, { liveOnly });
        expect(await session.find(model, { liveOnly, size: 0 })).toEqual({
          records: [],
          total: records.length,
        });
      }
    };
    const add = (session: SessionRecords, deleted: boolean) =>
      session.transaction(async (records) => records.put('a', { id: await records.nextId('a'), deleted }));
    const change = (session: SessionRecords, id: number, deleted: boolean) =>
      session.transaction(async (records) => {
        if (await records.get('a', id)) await records.put('a', { id, deleted });
      });
    await expectTotals(one.session);
    await Promise.all(
      sessions.flatMap((session, index) => Array.from({ length: 30 }, () => add(session, index === 1))),
    );
    await expectTotals(one.session);
    await one.store.save('a', 'kept');
    const third = await one.store.open('third', 'kept');
    await Promise.all([
      ...[1, 2, 3, 4, 5].flatMap((id) => sessions.map((session) => change(session, id, id % 2 === 0))),
      ...[6, 7].map((id) => one.session.transaction((records) => records.remove('a', id))),
      add(third, false),
      putAll(other.session, 'a', [{ id: 8 }, { id: 500 }, { id: 501, deleted: true }]),
    ]);
    for (const session of [...sessions, third]) await expectTotals(session);
    const failing = one.session.transaction(async (records) => {
      await records.clear('a');
      await records.put('a', { id: 1 });
      await records.find('a', ALL);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await expectTotals(one.session);
    await one.session.transaction((records) => records.clear('a'));
    await expectTotals(one.session);
    await other.store.restore('a', 'kept');
    await expectTotals(one.session);
    await one.store.drop('third');
    await one.store.drop('a');
    await one.store.forget('kept');
  });
});
