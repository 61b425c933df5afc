import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { useDirectory } from '../../../testing/temporary-directory.ts';
import { usedHeap } from '../../../testing/used-heap.ts';
import { createMemoryStore } from '../memory.ts';
import { DEFAULT_LAYOUT, type Query, type Records, type Sort, type Store, StoreAway } from '../store.ts';
import { MIGRATIONS, openDatabase } from './file.ts';
import { createSqliteStore } from './sqlite.ts';

const directory = useDirectory();
/** More than a search reads at once. */
const MANY = 3500;
const BY_NAME: Sort = { field: 'name', type: 'string', descending: false };

const recordOf = (id: number): RecordValues => ({
  id,
  name: `Ñ ${(id * 7919) % 10_007}`,
  count: id % 10,
  deleted: id % 7 === 0,
});

const fill = (count: number) => async (records: Records) => {
  for (let id = 1; id <= count; id++) await records.put('a', recordOf(id));
};

const openSmall = (name: string, memory = 0) =>
  createSqliteStore(directory.path(name), DEFAULT_LAYOUT, { memory });

async function expectSame(one: Store, other: Store, session: string): Promise<void> {
  const queries: Query[] = [
    { liveOnly: true, size: 7, offset: 3000 },
    { liveOnly: false, size: 30, sort: [BY_NAME] },
    {
      liveOnly: true,
      size: 30,
      offset: 5,
      sort: [BY_NAME],
      filters: [{ field: 'count', type: 'int', operator: 'gt', values: [6] }],
    },
    { liveOnly: false, where: [['count', 3]], size: 0 },
  ];
  for (const query of queries) {
    const [found, expected] = await Promise.all(
      [one, other].map(async (store) => (await store.open(session, '@start')).find('a', query)),
    );
    expect({ query, ...found }).toEqual({ query, ...expected });
  }
}

test('a model that does not fit takes no memory, however it is read and written', async () => {
  const store = openSmall('large.db', 1024 * 1024);
  const text = 'x'.repeat(1000);
  const size = 20_000;
  const before = usedHeap();
  await store.begin('@start', async (records) => {
    for (let id = 1; id <= size; id++) await records.put('a', { ...recordOf(id), text: `${id}${text}` });
    // The JSON of the records has 20 MB.
    expect(usedHeap() - before).toBeLessThan(6_000_000);
  });
  const session = await store.open('default', '@start');
  await session.find('a', { liveOnly: true, size: 20, offset: 1000 });
  await session.find('a', { liveOnly: true, size: 20, sort: [BY_NAME] });
  for (let id = 1; id <= 30; id++) {
    await session.transaction((records) => records.put('a', { id: id + size, name: 'a' }));
    await session.transaction((records) => records.remove('a', id));
    if (id % 3 === 0) await store.save('default', `saved-${id}`);
  }
  await store.restore('default', 'saved-15');
  expect((await session.find('a', { liveOnly: false, size: 0 })).total).toBe(size);
  expect(usedHeap() - before).toBeLessThan(3_000_000);
  await store.close();
});

test('a model that grows beyond the memory is read in the file, with other sessions and snapshots as before', async () => {
  const [store, memory] = [openSmall('grown.db', 100_000), createMemoryStore()];
  for (const one of [store, memory]) {
    await one.begin('@start', fill(100));
    const session = await one.open('first', '@start');
    // In one transaction, and in several.
    await session.transaction(fill(MANY));
    await one.save('first', 'grown');
    for (let id = 1; id < 40; id++)
      await session.transaction((records) => records.put('a', { id, name: `A${id}` }));
    await (await one.open('second', 'grown')).transaction((records) => records.remove('a', 5));
    await one.open('third', '@start');
  }
  for (const session of ['first', 'second', 'third']) await expectSame(store, memory, session);
  await store.close();
  const again = openSmall('grown.db', 100_000);
  for (const session of ['first', 'second', 'third']) await expectSame(again, memory, session);
  await again.close();
});

test('pages after the last ID of the page before have each record once', async () => {
  const store = openSmall('pages.db');
  await store.begin('@start', fill(MANY));
  const records = await store.read('@start');
  const found: RecordValues[] = [];
  for (let last = 0; ; last = Number(found.at(-1)?.id)) {
    const after = { field: 'id', type: 'int', operator: 'gt', values: [last] } as const;
    const page = await records?.find('a', { liveOnly: true, filters: [after], size: 400, withTotal: false });
    if (!page || page.records.length === 0) break;
    found.push(...page.records);
  }
  expect(found).toEqual((await records?.find('a', { liveOnly: true }))?.records);
  await store.close();
});

test('with more snapshots than layers, each snapshot has its records', async () => {
  const [store, memory] = [openSmall('layers.db'), createMemoryStore()];
  for (const one of [store, memory]) {
    await one.begin('@start', fill(MANY));
    const session = await one.open('default', '@start');
    for (let saved = 1; saved <= 12; saved++) {
      await session.transaction(async (records) => {
        await records.put('a', { id: saved * 100, name: `new ${saved}` });
        await records.remove('a', saved * 100 + 1);
        await records.put('a', { id: MANY + saved, name: 'last' });
      });
      await one.save('default', `s${saved}`);
      await one.open(`from-${saved}`, `s${saved}`);
    }
  }
  for (let saved = 1; saved <= 12; saved++) await expectSame(store, memory, `from-${saved}`);
  await store.close();
});

test('a search shows all changes of a transaction or none', async () => {
  const first = openSmall('meanwhile.db');
  await (await first.open('default', '@none')).transaction(fill(MANY));
  await first.close();
  const store = openSmall('meanwhile.db');
  const session = await store.open('default', '@none');
  const count = () => session.find('a', { liveOnly: false, where: [['name', 'moved']], size: 0 });
  const found: Promise<{ total: number }>[] = [];
  for (let round = 0; round < 20; round++) {
    found.push(count());
    await session.transaction(async (records) => {
      // The first and the last record change together.
      for (const id of [1, MANY]) await records.put('a', { id, name: round % 2 ? 'b' : 'moved' });
    });
    await new Promise(setImmediate);
  }
  for (const { total } of await Promise.all(found)) expect([0, 2]).toContain(total);
  await store.close();
});

test('a search ends while writes go on', async () => {
  const store = openSmall('busy.db');
  await store.begin('@start', fill(MANY));
  const session = await store.open('default', '@start');
  await session.transaction((records) => records.put('a', { id: MANY + 1, name: '' }));
  let found: { total: number } | undefined;
  void session.find('a', { liveOnly: false, sort: [BY_NAME], size: 1 }).then((one) => {
    found = one;
  });
  let writes = 0;
  while (!found && writes < 1000) {
    await session.transaction((records) => records.put('a', { id: MANY + 1, name: `${++writes}` }));
    await new Promise(setImmediate);
  }
  expect(found?.total).toBe(MANY + 1);
  await store.close();
});

test('a search goes on in the records that a restore put in place, and ends with the session', async () => {
  const store = openSmall('restored.db');
  await store.begin('@start', fill(MANY));
  const session = await store.open('default', '@none');
  await session.transaction(fill(MANY - 1));
  const search = () => session.find('a', { liveOnly: false, sort: [BY_NAME], size: 5 });
  const restored = search();
  await store.restore('default', '@start');
  expect((await restored).total).toBe(MANY);
  await session.transaction((records) => records.put('a', { id: 1, name: 'a' }));
  const ended = search();
  await store.drop('default');
  await expect(ended).rejects.toThrow(StoreAway);
  await store.close();
});

test('a transaction that fails leaves the records, the totals, and the order as they were', async () => {
  const [store, memory] = [openSmall('failed.db'), createMemoryStore()];
  for (const one of [store, memory]) {
    await one.begin('@start', fill(MANY));
    const session = await one.open('default', '@start');
    await session.transaction((records) => records.put('a', { id: 2, name: 'kept' }));
    const failing = session.transaction(async (records) => {
      await records.put('a', { id: 2, name: 'lost' });
      await records.put('a', { id: MANY + 1, name: 'lost' });
      await records.remove('a', 3);
      const { records: page, total } = await records.find('a', { liveOnly: false, size: 2 });
      expect([page.map(({ name }) => name), total]).toEqual([[recordOf(1).name, 'lost'], MANY]);
      await records.clear('a');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
  }
  await expectSame(store, memory, 'default');
  await store.close();
});

test('a fork has the records of its snapshot after the file has others', async () => {
  const store = openSmall('forked.db');
  await store.begin('@start', fill(MANY));
  const fork = store.fork?.();
  await store.forget('@start');
  const session = await fork?.open('default', '@start');
  await session?.transaction((records) => records.put('a', { id: MANY + 1, name: 'a' }));
  expect((await session?.find('a', { liveOnly: false, size: 1, sort: [BY_NAME] }))?.total).toBe(MANY + 1);
  await store.close();
  const again = openSmall('forked.db');
  expect(await again.sessions()).toEqual([]);
  await again.close();
});

test('a page after more records than a search keeps is the same as in memory', async () => {
  const most = 100_000;
  const [store, memory] = [openSmall('deep.db'), createMemoryStore()];
  const query = { liveOnly: true, sort: [BY_NAME], size: 10 };
  for (const one of [store, memory])
    await one.begin('@start', async (records) => {
      for (let id = 1; id <= most + 5000; id++)
        await records.put('a', { id, name: `n${(id * 31) % 50_000}` });
    });
  for (const offset of [most - 5, most + 3000, most + 4995, most + 6000]) {
    const [found, expected] = await Promise.all(
      [store, memory].map(async (one) => (await one.read('@start'))?.find('a', { ...query, offset })),
    );
    expect(found).toEqual(expected);
  }
  await store.close();
});

test('a file of an older release, and one with another mark, gets the totals and links of its records', async () => {
  const path = directory.path('old.db');
  const database = openDatabase(path, 'normal', { migrations: MIGRATIONS.slice(0, 2) });
  database.exec(`INSERT INTO states VALUES (1), (2);
    INSERT INTO snapshots VALUES (1, '@start', 1); INSERT INTO sessions VALUES ('default', '@start', 2);
    INSERT INTO tables VALUES (1, NULL, 0, 0), (2, 1, 1, 9);
    INSERT INTO state_tables VALUES (1, 'line', 1), (2, 'line', 2);
    INSERT INTO records VALUES (1, 1, '{"id":1,"parent":7}'), (1, 2, '{"id":2,"parent":7,"deleted":true}'),
      (1, 3, '{"id":3,"parent":8,"gone":true}'), (2, 1, NULL), (2, 2, '{"id":2,"parent":8}');`);
  database.close();
  const links = new Map([['line', ['parent']]]);
  const totals: unknown[] = [];
  for (const mark of ['deleted', 'gone', undefined]) {
    const store = createSqliteStore(path, { links, mark }, { memory: 0 });
    for (const from of ['@start', 'default']) {
      const records = from === '@start' ? await store.read(from) : await store.open(from, '@none');
      const count = async (query: Omit<Query, 'liveOnly'>) =>
        (await records?.find('line', { ...query, liveOnly: true }))?.total;
      totals.push([mark, from, await count({ size: 0 }), await count({ where: [['parent', 8]] })]);
    }
    await store.close();
  }
  expect(totals).toEqual([
    ['deleted', '@start', 2, 1],
    ['deleted', 'default', 2, 2],
    ['gone', '@start', 2, 0],
    ['gone', 'default', 1, 1],
    [undefined, '@start', 3, 1],
    [undefined, 'default', 2, 2],
  ]);
  const store = createSqliteStore(path, { links, mark: 'deleted' }, { memory: 0 });
  const session = await store.open('default', '@none');
  expect(await session.transaction((records) => records.nextId('line'))).toBe(10);
  await store.close();
});

test('the counts in the file are those of its records after any writes', async () => {
  const path = directory.path('counts.db');
  const store = createSqliteStore(path, DEFAULT_LAYOUT);
  await store.begin('@start', fill(50));
  const session = await store.open('default', '@start');
  await session.transaction(async (records) => {
    await records.put('a', { id: 7, name: 'not deleted, 日本' });
    await records.put('a', { id: 8, name: 'b', deleted: true });
    await records.remove('a', 9);
    await records.put('a', { id: 60, name: 'c' });
    await records.put('a', { id: 60, name: 'longer' });
    await records.remove('a', 60);
  });
  await store.save('default', 'saved');
  await session.transaction(async (records) => {
    await records.clear('a');
    await fill(5)(records);
  });
  await store.close();
  const database = new DatabaseSync(path);
  const counts = () => database.prepare('SELECT id, live, deleted, bytes, last_id FROM tables').all();
  const written = counts();
  database.exec('DELETE FROM layout; UPDATE tables SET live = 0, deleted = 0, bytes = 0');
  database.close();
  await createSqliteStore(path, DEFAULT_LAYOUT).close();
  const reopened = new DatabaseSync(path);
  expect(reopened.prepare('SELECT id, live, deleted, bytes, last_id FROM tables').all()).toEqual(written);
  expect(written).toHaveLength(3);
  reopened.close();
});
