import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { FIELDS } from '../../../testing/stores/hostile-values.ts';
import { searchPlainly } from '../../../testing/stores/plain-model.ts';
import { NO_POSTGRES, newDatabase, query } from '../../../testing/stores/postgres.ts';
import { ALL, putAll } from '../../../testing/stores/store-steps.ts';
import type { Query, SessionRecords } from '../store.ts';
import { searchRecords } from '../table.ts';
import { createPostgresStore } from './postgres.ts';

const MANY = 300;
const TYPES = new Map(Object.entries(FIELDS).map(([name, { type }]) => [name, type]));
const LAYOUT = { links: new Map(), mark: 'deleted', types: new Map([['any', TYPES]]) };

describe.skipIf(NO_POSTGRES)('a query of PostgreSQL', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  async function open(url: string) {
    const store = await createPostgresStore(url, LAYOUT);
    return { store, session: await store.open('a', '@none'), [Symbol.asyncDispose]: () => store.close() };
  }

  /** Counts the rows that the database sends to the pools. */
  function countRows(): () => number {
    const asked = vi.spyOn(pg.Pool.prototype, 'query');
    const rowsIn = (value: unknown) =>
      typeof value === 'object' && value !== null && 'rows' in value && Array.isArray(value.rows)
        ? value.rows.length
        : 0;
    return () => asked.mock.settledResults.reduce((count, { value }) => count + rowsIn(value), 0);
  }

  test('sends a page, whatever the conditions and the order are', async () => {
    await using opened = await open(await newDatabase());
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
});

describe.skipIf(NO_POSTGRES)('the number of records in PostgreSQL', () => {
  async function open(url: string) {
    const store = await createPostgresStore(url);
    return { store, session: await store.open('a', '@none'), [Symbol.asyncDispose]: () => store.close() };
  }

  test('is that of the list, whatever was written at once, saved, restored, and dropped', async () => {
    const url = await newDatabase();
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

  const idsOf = async (session: SessionRecords) =>
    (await session.find('a', ALL)).records.map(({ id }) => Number(id));

  test('are not copied when it writes', async () => {
    await using opened = await open();
    const { rows, store } = opened;
    const session = await store.open('one', 'start');
    await putAll(session, 'a', [{ id: 5, name: 'new' }, { id: MANY + 1 }]);
    await session.transaction((records) => records.remove('a', 7));
    expect(await rows()).toBe(MANY + 3);
    await store.save('one', 'kept');
    await putAll(session, 'a', [{ id: 6 }]);
    // Only the rows that differ from the start are copied, and the new one.
    expect(await rows()).toBe(MANY + 3 + 4);
  });

  test('are the same for the snapshot and other sessions after each kind of write', async () => {
    await using opened = await open();
    const { store, url } = opened;
    const other = await store.open('other', 'start');
    const session = await store.open('one', 'start');
    const begun = await idsOf(other);
    await session.transaction(async (records) => {
      await records.remove('a', 1);
      await records.put('a', { id: 2, name: 'back' });
      await records.put('a', { id: 3, deleted: true });
    });
    expect(await idsOf(session)).toEqual(begun.filter((id) => id !== 1));
    expect(await session.find('a', { liveOnly: true, size: 2 })).toEqual({
      records: [
        { id: 2, name: 'back' },
        { id: 4, name: 'n4', deleted: false },
      ],
      total: MANY - 2,
    });
    await store.save('one', 'kept');
    await session.transaction((records) => records.put('a', { id: 1, name: 'again' }));
    expect(await session.get('a', 1)).toEqual({ id: 1, name: 'again' });
    expect(await (await store.read('kept'))?.get('a', 1)).toBeUndefined();
    await session.transaction((records) => records.clear('a'));
    expect(await idsOf(session)).toEqual([]);
    expect(await idsOf(other)).toEqual(begun);
    await store.restore('one', 'kept');
    expect(await idsOf(session)).toEqual(begun.filter((id) => id !== 1));
    // A base stays until nothing is on top of it.
    await store.drop('other');
    await store.forget('start');
    expect(await session.get('a', 4)).toEqual({ id: 4, name: 'n4', deleted: false });
    await store.forget('kept');
    expect((await idsOf(session)).length).toBe(MANY - 1);
    await store.drop('one');
    for (const table of ['record', 'part'])
      expect(await query(url, `select * from record_model_mock.${table}`)).toEqual([]);
  });

  test('are found, sorted, and counted with those that the session wrote', async () => {
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
