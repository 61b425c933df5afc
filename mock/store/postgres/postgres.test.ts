import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_POSTGRES, startPostgres, type TestPostgres } from '../../../testing/stores/postgres.ts';
import { describeStore } from '../../../testing/stores/store-behaviour.ts';
import { type Records, StoreAway } from '../store.ts';
import { createPostgresStore } from './postgres.ts';

describe.skipIf(NO_POSTGRES)('over PostgreSQL', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  describeStore('in PostgreSQL', { lasts: true, isShared: true }, async () => {
    const url = await server.database();
    return { open: (indexed) => createPostgresStore(url, indexed), remove: async () => {} };
  });

  const add = (count: number, between: () => Promise<unknown>) => async (records: Records) => {
    for (let made = 0; made < count; made++) {
      const id = await records.nextId('a');
      await between();
      await records.put('a', { id, count });
    }
  };

  test.each([1, 2])('an id that a clear made free is nobody else’s: %d records', async (count) => {
    const store = await createPostgresStore(await server.database());
    const session = await store.open('a', '@none');
    await session.transaction((records) => records.put('a', { id: 1 }));
    let cleared: Promise<void> | undefined;
    const clear = () => {
      cleared ??= session.transaction((records) => records.clear('a'));
      return cleared;
    };
    await session.transaction(add(count, clear));
    for (let more = 0; more < 3; more++) await session.transaction(add(count, async () => {}));
    const { records } = await session.find('a', { liveOnly: false });
    expect(records).toHaveLength(4 * count);
    await store.close();
  });

  test('what is written to a session that another replica ended is refused', async () => {
    const url = await server.database();
    const [store, other] = await Promise.all([createPostgresStore(url), createPostgresStore(url)]);
    const session = await store.open('a', '@none');
    const late = session.transaction(add(1, () => other.drop('a')));
    await expect(late).rejects.toThrow(StoreAway);
    await expect(late).rejects.toThrow('the session was ended meanwhile; try again');
    await Promise.all([store.close(), other.close()]);
  });
});
