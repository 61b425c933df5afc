import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_POSTGRES, startPostgres, type TestPostgres } from '../../../testing/stores/postgres.ts';
import { ALL, putAll } from '../../../testing/stores/store-steps.ts';
import type { SessionRecords } from '../store.ts';
import { createPostgresStore } from './postgres.ts';

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
