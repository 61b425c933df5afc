import { describe, expect, test } from 'vitest';
import { serveMock } from '../../../testing/mocks/control.ts';
import { NO_POSTGRES, newDatabase } from '../../../testing/stores/postgres.ts';
import { useDirectory } from '../../../testing/temporary-directory.ts';
import { connectMock } from '../../adapters/remote.ts';
import { createAllowance } from '../../memory-budget.ts';
import { createMock } from '../../mock.ts';
import { openStore } from '../../store/open-store.ts';
import { DEFAULT_LAYOUT } from '../../store/store.ts';
import { createWriteLog } from '../sessions/session.ts';

const LINES = [
  { product: 1, amount: 2, grossUnitCost: 10, discount: 0 },
  { product: 2, amount: 1, grossUnitCost: 5, discount: 0 },
];
const ORDER = { status: 0, globalDiscount: 0, lines: LINES };
const fixtures = { brand: [{ id: 1, name: 'one' }], warehouse: [{ id: 1, name: 'w' }] };

const directory = useDirectory();

const STORES: readonly (readonly [name: string, place: () => Promise<string | undefined>])[] = [
  ['memory', async () => undefined],
  ['a file', async () => directory.path('data.db')],
  ['PostgreSQL', newDatabase],
];

describe.each(STORES)('the writes of a session in %s', (store, place) => {
  const isSkipped = store === 'PostgreSQL' && NO_POSTGRES;

  test.skipIf(isSkipped).each(store === 'memory' ? ['mark', 'remove'] : ['mark'])(
    'are undone one by one, the newest first, where a delete has the effect %s',
    async (effect) => {
      const data = await place();
      await using started = await serveMock({ fixtures, data, profile: { 'delete.effect': effect } });
      const near = started.mock.session('a');
      const session = connectMock(started.url).session('a');
      const orders = session.records('stockOrder');
      const states = [await session.state()];
      const order = await orders.create(ORDER);
      states.push(await session.state());
      const [line] = (await session.records('stockOrderLine').list()).records;
      await orders.update(order.id, { lines: [{ id: line?.id, amount: 5 }] });
      states.push(await session.state());
      await orders.delete(order.id);
      states.push(await session.state());
      const sent = {
        method: 'POST',
        body: '{"name":"two"}',
        headers: { 'content-type': 'application/json' },
      };
      await session.fetch(new Request('http://mock.invalid/api/model/brand/1', sent));
      states.push(await session.state());
      const [voucher = 0] = await session.generate('voucher', 3);
      expect((await session.countRecords()).voucher).toBe(3);

      const writes = await session.writes();
      expect(writes).toEqual(await near.writes());
      expect(writes.map(({ id }) => id)).toEqual([5, 4, 3, 2, 1]);
      expect(writes[0]?.records).toContainEqual({ model: 'voucher', id: voucher, change: 'created' });
      expect(writes[1]?.records).toEqual([{ model: 'brand', id: 1, change: 'changed' }]);
      const lines = [1, 2].map((id) => ({ model: 'stockOrderLine', id }));
      expect(writes[2]?.records).toContainEqual({ model: 'stockOrder', id: 1, change: 'deleted' });
      // The update deleted the other line.
      expect(writes[2]?.records).toContainEqual({ ...lines[0], change: 'deleted' });
      expect(writes[3]?.records).toContainEqual({ ...lines[1], change: 'deleted' });
      expect(new Set(writes[4]?.records.map(({ change }) => change))).toEqual(new Set(['created']));

      for (const write of writes) {
        expect(await session.undo()).toEqual(write);
        expect(await session.state()).toEqual(states.pop());
      }
      await expect(session.undo()).rejects.toThrow('409: There is no write to undo.');
      // The IDs of undone records are not used again.
      expect(await orders.create(ORDER)).toMatchObject({ id: 2 });
    },
  );
});

describe('a write', () => {
  test('is logged for one session, and a reset, a restore, or new state clears the log', async () => {
    await using mock = await createMock({ fixtures });
    const [one, other] = [mock.session('one'), mock.session('other')];
    const write = () => one.records('brand').create({ name: 'b' });
    await write();
    expect([(await one.writes()).length, await other.writes()]).toEqual([1, []]);
    await expect(other.undo()).rejects.toThrow('There is no write to undo.');
    await one.snapshot('kept');
    for (const clear of [
      () => one.reset(),
      () => one.restore('kept'),
      () => one.setState({}),
      () => one.patchState({ brand: [] }),
    ]) {
      await write();
      await clear();
      expect(await one.writes()).toEqual([]);
      await expect(one.undo()).rejects.toThrow('There is no write to undo.');
    }
    // A rejected request writes nothing.
    await expect(one.records('brand').create({}, { fill: false })).rejects.toThrow('/name is required');
    expect(await one.writes()).toEqual([]);
    for (let times = 0; times < 60; times++) await write();
    expect((await one.writes()).map(({ id }) => id)).toHaveLength(50);
  });

  test.skipIf(NO_POSTGRES)('is not undone if another mock has changed its record', async () => {
    const data = await newDatabase();
    await using one = await serveMock({ fixtures, data });
    await using other = await createMock({ fixtures, data });
    const { id } = await one.mock.records('brand').create({ name: 'a' });
    await other.records('brand').update(id, { name: 'b' });
    const refused = await one.ask('POST', '/__mock/undo');
    expect(refused).toMatchObject({
      status: 409,
      body: {
        detail: expect.stringContaining(`can't be undone, because brand ${id} has changed since then.`),
      },
    });
    expect(await one.mock.records('brand').get(id)).toMatchObject({ name: 'b' });
    await other.undo();
    expect((await one.ask('POST', '/__mock/undo')).status).toBe(200);
    expect(await one.mock.records('brand').get(id)).toBeUndefined();
  });

  test('is undone once, although two clients ask', async () => {
    await using mock = await createMock({ fixtures });
    for (const name of ['a', 'b', 'c']) await mock.records('brand').create({ name });
    const undone = await Promise.all([mock.undo(), mock.undo()]);
    expect(undone.map(({ id }) => id)).toEqual([3, 2]);
    expect((await mock.records('brand').list()).records).toMatchObject([{ name: 'one' }, { name: 'a' }]);
  });

  test('that is too large can not be undone, nor can earlier ones', async () => {
    const { log, write } = await createLog();
    await write(1, 'small');
    await write(2, 'x'.repeat(9 * 1024 * 1024));
    expect(log.list()).toEqual([]);
    await expect(log.undo()).rejects.toThrow(
      'There is no write to undo, because a write was too large to keep.',
    );
    await write(3, 'small');
    expect((await log.undo()).records).toEqual([{ model: 'a', id: 3, change: 'created' }]);
  });

  test('is dropped when the writes of all sessions take too much memory', async () => {
    const allowance = createAllowance(8);
    const [one, other] = [await createLog(allowance), await createLog(allowance)];
    for (let id = 1; id <= 3; id++) {
      await one.write(id, 'x'.repeat(100_000));
      await other.write(id, 'x'.repeat(300_000));
    }
    expect([one.log.list().length, other.log.list().length]).toEqual([3, 2]);
    await other.log.undo();
    await other.log.undo();
    await expect(other.log.undo()).rejects.toThrow('because the mock dropped writes');
  });

  test('that changes nothing is not kept, and a conflict is refused in any store', async () => {
    const { log, records, write } = await createLog();
    await write(1, 'a');
    await log.transaction(async (own) => {
      const known = await own.get('a', 1);
      if (known) await own.put('a', known);
      await own.put('a', { id: 2 });
      await own.remove('a', 2);
    });
    expect(log.list()).toHaveLength(1);
    await records.transaction((own) => own.put('a', { id: 1, text: 'other' }));
    await expect(log.undo()).rejects.toMatchObject({ status: 409 });
    expect(await records.get('a', 1)).toEqual({ id: 1, text: 'other' });
  });
});

async function createLog(allowance = createAllowance()) {
  const records = await (await openStore(undefined, { layout: DEFAULT_LAYOUT })).open('a', 'none');
  const log = createWriteLog({
    records,
    allowance,
    time: () => 0,
    kindOf: ({ before }) => (before ? 'changed' : 'created'),
  });
  const write = (id: number, text: string) => log.transaction((own) => own.put('a', { id, text }));
  return { log, records, write };
}
