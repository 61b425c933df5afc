import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { FIELDS, HOSTILE_RECORDS } from '../../../testing/stores/hostile-values.ts';
import { searchPlainly } from '../../../testing/stores/plain-model.ts';
import {
  NO_POSTGRES,
  newDatabase,
  query,
  type TestPostgres,
  workerPostgres,
} from '../../../testing/stores/postgres.ts';
import { ALL, idsOf, nextId, openSession, putAll, putInto } from '../../../testing/stores/store-steps.ts';
import { linksTo, type Query, type Records, type SessionRecords, type Store } from '../store.ts';
import { searchRecords } from '../table.ts';
import { createPostgresStore } from './postgres.ts';

const LINES = { links: new Map([['line', ['parent']]]), mark: 'deleted' };

describe.skipIf(NO_POSTGRES)('a new store in PostgreSQL', () => {
  let server: TestPostgres;
  let url = '';
  let store: Store;
  beforeAll(async () => {
    server = await workerPostgres();
    url = await server.database();
    store = await createPostgresStore(url, LINES);
  });
  afterAll(() => store.close());

  const fill = (name: string, work: (records: Records) => Promise<void>) => store.begin(name, work);

  test('has the same columns after a fill as after single writes', async () => {
    const columnsOf = (kind: string, name: string) =>
      query(
        url,
        `select id, deleted, owner, data, keys::text from record_model_mock.record
         where part = (
           select part from record_model_mock.part p join record_model_mock.space s on s.id = p.space
           where model = 'a' and kind = '${kind}' and name = '${name}'
         ) order by id`,
      );
    await fill('filled', (records) => putInto(records, 'a', HOSTILE_RECORDS));
    const session = await store.open('of-filled', 'filled');
    const changed = HOSTILE_RECORDS.map((record) => ({ ...record, note: 1 }));
    for (const all of [changed, HOSTILE_RECORDS]) await putAll(session, 'a', all);
    expect(await columnsOf('session', 'of-filled')).toEqual(await columnsOf('snapshot', 'filled'));
  });

  test('finds lines by their parent, and continues after the last ID, even that of a removed record', async () => {
    await fill('lines', async (all) => {
      await all.put('line', { id: 1, parent: 7 });
      await all.put('line', { id: 4, parent: 7 });
      for (const [model, id] of [
        ['line', 9],
        ['gone', 3],
      ] as const) {
        await all.put(model, { id });
        await all.remove(model, id);
      }
    });
    const session = await store.open('of-lines', 'lines');
    expect(await idsOf(session, 'line', { filters: [linksTo('parent', 7)], liveOnly: true })).toEqual([1, 4]);
    expect(await nextId(session, 'line')).toBe(10);
    expect(await nextId(session, 'gone')).toBe(4);
    await session.transaction((all) => all.put('line', { id: 4, parent: 9 }));
    expect(await (await store.read('lines'))?.get('line', 4)).toEqual({ id: 4, parent: 7 });
  });

  test('has the records of many statements and several models', async () => {
    const count = 24_000;
    await fill('many', async (all) => {
      for (let id = 1; id <= count; id++) await all.put(id % 1000 === 0 ? 'some' : 'most', { id });
    });
    const session = await store.open('of-many', 'many');
    for (const [model, total] of [
      ['some', 24],
      ['most', count - 24],
    ] as const)
      expect((await session.find(model, { ...ALL, size: 1 })).total).toBe(total);
    expect(await session.get('some', count)).toEqual({ id: count });
  });

  test('keeps nothing of a fill that fails in the mock or in the database', async () => {
    const tables = ['space', 'part', 'record'];
    const counts = async () =>
      Promise.all(
        tables.map(async (name) => (await query(url, `select count(*) from record_model_mock.${name}`))[0]),
      );
    const before = await counts();
    const work = fill('failing', async (all) => {
      for (let id = 1; id <= 3000; id++) await all.put('a', { id, name: 'x'.repeat(100) });
      throw new Error('no more');
    });
    await expect(work).rejects.toThrow('no more');
    const wrong = fill('failing', async (all) => {
      for (let id = 1; id <= 3000; id++) await all.put('a', { id: id === 10 ? 1.5 : id });
    });
    await expect(wrong).rejects.toThrow('type bigint: "1.5"');
    expect(await counts()).toEqual(before);
    expect(await fill('failing', (all) => all.put('a', { id: 1 }))).toBe(true);
  });

  test('is filled once if several mocks start together', async () => {
    const other = await createPostgresStore(url, LINES);
    const work = (id: number) => async (all: Records) => {
      for (let count = 0; count < 2000; count++) await all.put('a', { id: id * 10_000 + count });
    };
    const filled = await Promise.all([store.begin('together', work(1)), other.begin('together', work(2))]);
    expect(filled.toSorted()).toEqual([false, true]);
    const ids = await idsOf(await other.open('of-together', 'together'), 'a');
    expect(ids).toHaveLength(2000);
    expect(new Set(ids.map((id) => Math.floor(Number(id) / 10_000))).size).toBe(1);
    await other.close();
  });

  test('is reported as unavailable if the database crashes during the fill, and can be filled later', async () => {
    const work = fill('crashed', async (all) => {
      for (let id = 1; id <= 20_000; id++) {
        await all.put('a', { id, name: 'x'.repeat(100) });
        if (id === 10_000) await server.crash();
      }
    });
    await expect(work).rejects.toMatchObject({ name: 'StoreAway' });
    await server.start();
    await expect.poll(() => fill('crashed', (all) => all.put('a', { id: 1 })).catch(() => false)).toBe(true);
    expect(await idsOf(await store.open('of-crashed', 'crashed'), 'a')).toEqual([1]);
  });
});

const MANY = 300;
const TYPES = new Map(Object.entries(FIELDS).map(([name, { type }]) => [name, type]));
const LAYOUT = { links: new Map(), mark: 'deleted', types: new Map([['any', TYPES]]) };

describe.skipIf(NO_POSTGRES)('a query of PostgreSQL', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Counts the rows that the database sends to the pools. */
  function countRows(): () => number {
    const asked = vi.spyOn(pg.Pool.prototype, 'query');
    const rowsIn = (value: unknown) =>
      typeof value === 'object' && value !== null && 'rows' in value && Array.isArray(value.rows)
        ? value.rows.length
        : 0;
    return () => asked.mock.settledResults.reduce((count, { value }) => count + rowsIn(value), 0);
  }

  test('returns only the rows of a page, for each condition and order', async () => {
    await using session = await openSession(createPostgresStore(await newDatabase(), LAYOUT));
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
});

describe.skipIf(NO_POSTGRES)('the number of records in PostgreSQL', () => {
  test('matches the list after concurrent writes, a restore, and a delete', async () => {
    const url = await newDatabase();
    await using one = await openSession(createPostgresStore(url));
    await using other = await openSession(createPostgresStore(url));
    const sessions = [one, other];
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
    await expectTotals(one);
    await Promise.all(
      sessions.flatMap((session, index) => Array.from({ length: 30 }, () => add(session, index === 1))),
    );
    await expectTotals(one);
    await one.store.save('a', 'kept');
    const third = await one.store.open('third', 'kept');
    await Promise.all([
      ...[1, 2, 3, 4, 5].flatMap((id) => sessions.map((session) => change(session, id, id % 2 === 0))),
      ...[6, 7].map((id) => one.transaction((records) => records.remove('a', id))),
      add(third, false),
      putAll(other, 'a', [{ id: 8 }, { id: 500 }, { id: 501, deleted: true }]),
    ]);
    for (const session of [...sessions, third]) await expectTotals(session);
    const failing = one.transaction(async (records) => {
      await records.clear('a');
      await records.put('a', { id: 1 });
      await records.find('a', ALL);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await expectTotals(one);
    await one.transaction((records) => records.clear('a'));
    await expectTotals(one);
    await other.store.restore('a', 'kept');
    await expectTotals(one);
    await one.store.drop('third');
    await one.store.drop('a');
    await one.store.forget('kept');
  });
});

describe.skipIf(NO_POSTGRES)('records that a session shares with a snapshot in PostgreSQL', () => {
  async function open() {
    const url = await newDatabase();
    const store = await createPostgresStore(url);
    await store.begin('start', async (records) => {
      for (let id = 1; id <= MANY; id++) await records.put('a', { id, name: `n${id}`, deleted: id === 2 });
    });
    const rows = async () =>
      Number((await query(url, 'select count(*) from record_model_mock.record'))[0]?.count);
    return { rows, store, url, [Symbol.asyncDispose]: () => store.close() };
  }

  test('are not copied by writes, and are deleted when no session or snapshot uses them', async () => {
    await using opened = await open();
    const { rows, store, url } = opened;
    const session = await store.open('one', 'start');
    await putAll(session, 'a', [{ id: 5, name: 'new' }, { id: MANY + 1 }]);
    await session.transaction((records) => records.remove('a', 7));
    expect(await rows()).toBe(MANY + 3);
    await store.save('one', 'kept');
    await putAll(session, 'a', [{ id: 6 }]);
    // Only the rows that differ from the start are copied, and the new one.
    expect(await rows()).toBe(MANY + 3 + 4);
    // A base stays until nothing is on top of it.
    await store.forget('start');
    expect(await session.get('a', 4)).toEqual({ id: 4, name: 'n4', deleted: false });
    await store.forget('kept');
    expect((await session.find('a', ALL)).total).toBe(MANY);
    await store.drop('one');
    for (const table of ['record', 'part'])
      expect(await query(url, `select * from record_model_mock.${table}`)).toEqual([]);
  });

  test('are found, sorted, and counted together with the records that the session wrote', async () => {
    await using opened = await open();
    const session = await opened.store.open('one', 'start');
    await putAll(session, 'a', [
      { id: 10, name: 'n999' },
      { id: 11, name: null },
    ]);
    await session.transaction((records) => records.remove('a', 299));
    const names = { field: 'name', type: 'string', operator: 'gte', values: ['n298'] } as const;
    const sort = [{ field: 'name', type: 'string', descending: true }] as const;
    const page = { filters: [names], liveOnly: true, sort, offset: 1, size: 3 };
    const { records } = await session.find('a', { liveOnly: true });
    expect(await session.find('a', page)).toEqual(searchRecords(records, page));
    expect(await session.find('a', { ...page, offset: 0, size: 1 })).toMatchObject({
      records: [{ id: 10, name: 'n999' }],
    });
  });
});
