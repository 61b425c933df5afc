import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_POSTGRES, query, startPostgres, type TestPostgres } from '../../../testing/stores/postgres.ts';
import { ALL, putAll } from '../../../testing/stores/store-steps.ts';
import { searchRecords } from '../search.ts';
import type { SessionRecords } from '../store.ts';
import { createPostgresStore } from './postgres.ts';

const MANY = 300;

describe.skipIf(NO_POSTGRES)('records that a session shares with a snapshot in PostgreSQL', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function open() {
    const url = await server.database();
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

  test('are copied after all once many of them have changed', async () => {
    await using opened = await open();
    const { rows, store, url } = opened;
    const session = await store.open('one', 'start');
    const other = await store.open('other', 'start');
    const begun = await idsOf(other);
    const mark = (deleted: boolean) =>
      putAll(
        session,
        'a',
        begun.slice(50).map((id) => ({ id, deleted })),
      );
    await session.transaction((records) => records.remove('a', 1));
    await mark(true);
    expect(await session.find('a', { liveOnly: true, size: 60 })).toMatchObject({ total: 48 });
    // Each change of the mark counts.
    for (const deleted of [false, true, false]) await mark(deleted);
    const page = () => session.find('a', { liveOnly: true, offset: 40, size: 20 });
    const [expected] = [await page()];
    const bases = async () =>
      (await query(url, 'select base from record_model_mock.part where owned and base is not null')).length;
    await expect.poll(bases).toBe(0);
    expect(await page()).toEqual(expected);
    expect(await session.find('a', { liveOnly: true, size: 0 })).toMatchObject({ total: MANY - 2 });
    expect(await idsOf(session)).toEqual(begun.slice(1));
    expect(await idsOf(other)).toEqual(begun);
    // Rows that hid records of the base are gone.
    expect(await rows()).toBe(2 * MANY - 1);
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
