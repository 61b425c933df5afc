import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { FIELDS, HOSTILE_RECORDS, hostileQueries } from '../../../testing/stores/hostile-values.ts';
import { searchPlainly } from '../../../testing/stores/plain-model.ts';
import { NO_POSTGRES, query, startPostgres, type TestPostgres } from '../../../testing/stores/postgres.ts';
import { putAll } from '../../../testing/stores/store-steps.ts';
import type { Query } from '../store.ts';
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
