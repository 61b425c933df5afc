import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { NO_POSTGRES, query, type TestPostgres, workerPostgres } from '../../../testing/stores/postgres.ts';
import { ALL, idsOf, nextId } from '../../../testing/stores/store-steps.ts';
import { linksTo, type Records, type Store } from '../store.ts';
import { createPostgresStore } from './postgres.ts';

const LAYOUT = { links: new Map([['line', ['parent']]]), mark: 'deleted' };

/** Strings that the format of arrays, JSON, or jsonb has a rule for. */
const HOSTILE = [
  '\\',
  '\\.',
  '\\N',
  '\\\\n',
  'a\tb\nc\r\nd\be\fg\v',
  '\n\\.\n',
  'it\'s "quoted"',
  'nul \u0000 inside',
  'half \ud83d of a pair',
  '\udc00\ud83d',
  'é 😀 \u2028 \ufeff \u007f',
  '',
  'long '.repeat(100_000),
  '{"id":1}',
];

describe.skipIf(NO_POSTGRES)('a new store in PostgreSQL', () => {
  let server: TestPostgres;
  let url = '';
  let store: Store;
  beforeAll(async () => {
    server = await workerPostgres();
    url = await server.database();
    store = await createPostgresStore(url, LAYOUT);
  });
  afterAll(() => store.close());

  const columnsOf = (kind: string, name: string) =>
    query(
      url,
      `select id, deleted, owner, data, keys::text from record_model_mock.record
       where part = (
         select part from record_model_mock.part p join record_model_mock.space s on s.id = p.space
         where model = 'a' and kind = '${kind}' and name = '${name}'
       ) order by id`,
    );
  const fill = (name: string, work: (records: Records) => Promise<void>) => store.begin(name, work);

  test('has the records of the fill, whatever is in them', async () => {
    const how = 'hostile';
    const records = HOSTILE.map(
      (name, index): RecordValues => ({ id: index + 1, name, note: null, deleted: index % 3 === 0 }),
    );
    await fill(how, async (all) => {
      for (const record of records) await all.put('a', record);
    });
    const session = await store.open(`of-${how}`, how);
    expect((await session.find('a', ALL)).records).toEqual(records);
    for (const [index, name] of HOSTILE.entries())
      expect(
        await idsOf(session, 'a', {
          ...ALL,
          filters: [{ field: 'name', type: 'text', operator: 'equal', values: [name] }],
        }),
      ).toEqual([index + 1]);
    const live = records.filter(({ deleted }) => deleted === false).length;
    expect((await session.find('a', { liveOnly: true, size: 1 })).total).toBe(live);
    expect((await session.find('a', { ...ALL, size: 1 })).total).toBe(records.length);
    expect(await nextId(session, 'a')).toBe(records.length + 1);
    // The columns are those of single writes.
    await session.transaction(async (all) => {
      for (const record of records) await all.put('a', { ...record, note: 1 });
      for (const record of records) await all.put('a', record);
    });
    expect(await columnsOf('session', `of-${how}`)).toEqual(await columnsOf('snapshot', how));
  });

  test('has lines by their parent, and goes on after the last ID, even that of a removed record', async () => {
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

  test('has the records of many statements, of several models in turn', async () => {
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

  test('has nothing of a fill that fails, whether in the work or in the database', async () => {
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

  test('is filled once by several mocks that start together', async () => {
    const other = await createPostgresStore(url, LAYOUT);
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

  test('is reported as away if the database ends during the fill, and can be filled later', async () => {
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
