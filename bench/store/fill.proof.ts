import { describe, expect, test } from 'vitest';
import { readSemantics } from '../../mock/engine/relations.ts';
import type { Wanted } from '../../mock/generated/generated.ts';
import { createMock, type MockOptions } from '../../mock/mock.ts';
import { type FillOptions, fillStore } from '../../mock/seed/fill.ts';
import { openStore } from '../../mock/start-records.ts';
import { loadContract } from '../../spec/contract.ts';
import { demo } from '../../testing/demo.ts';
import { generateRecords } from '../../testing/generated-records.ts';
import { NO_POSTGRES, startPostgres } from '../../testing/stores/postgres.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';

const directory = useDirectory();

const CASES: readonly MockOptions[] = [
  { fixtures: 'demo', records: 12 },
  { fixtures: 'demo', records: { stockOrder: 40, stockDelivery: 10 }, profile: { 'types.lines': 'ids' } },
  { records: { stockInvoice: 20, voucherTransaction: 60, customer: 50 }, profile: { 'limits.text': 12 } },
  {
    fixtures: {
      warehouse: [{ id: 9, name: 'b', deleted: true }, { name: 'c' }, { id: 3, name: 'a' }],
      stockOrder: [{ id: 1, deleted: true }],
      stockOrderLine: [{ id: 4, stockOrder: 1, product: 1, grossUnitCost: 1, amount: 2, discount: 0 }],
      relationship: [{ customer: 1, customer2: 77, status: 1 }],
    },
    records: { customer: 3 },
    lenient: true,
    profile: { 'delete.effect': 'remove' },
  },
];

async function describeMock(options: MockOptions) {
  await using mock = await createMock({ ...options, seed: 11 });
  const { counts, filled, warnings } = mock;
  const state = await mock.state();
  const next = await mock.records('warehouse').create({ name: 'next' });
  return { counts, filled, warnings, state, next: next.id };
}

test.each(CASES)(
  'a mock in a file or a database starts with the same records as in memory: %j',
  async (options) => {
    const expected = await describeMock(options);
    expect(await describeMock({ ...options, data: directory.path('mock.db') })).toEqual(expected);
    if (NO_POSTGRES) return;
    await using server = await startPostgres();
    expect(await describeMock({ ...options, data: await server.database() })).toEqual(expected);
  },
);

describe('a fill', () => {
  const contract = loadContract();
  const semantics = readSemantics(contract);
  const base = {
    links: contract.references,
    now: '2026-01-01T00:00:00Z',
    origin: 'http://127.0.0.1:4010',
    seed: 3,
  };

  /** Fills a store, and returns the records by model. */
  async function fill(options: Partial<FillOptions>) {
    const given = { ...base, fixtures: demo, wanted: undefined, isInMemory: true, ...options };
    const store = await openStore(undefined, { layout: semantics.relations.layout() });
    let filled: Awaited<ReturnType<typeof fillStore>> | undefined;
    await store.begin('start', async (records) => {
      filled = await fillStore(given, contract, semantics, records);
    });
    const stored = await store.read('start');
    const names = [...contract.catalogue.models.keys()];
    const state = names.map(async (name) => [name, (await stored?.find(name, { liveOnly: false }))?.records]);
    return { ...filled, state: new Map((await Promise.all(state)) as [string, unknown[]][]) };
  }

  test.each<[Wanted]>([
    [60],
    [{ stockOrder: 50, stockOrderLine: 70, stockDeliveryLine: 6, stockInvoice: 6, stockInvoiceLine: 90 }],
    [{ stockOrderLine: 9 }],
  ])('stores the same records and totals as fixtures with the same values: %j', async (wanted) => {
    const made = generateRecords(wanted, contract, { ...base, existing: demo });
    const fixtures = new Map(
      [...contract.catalogue.models.keys()].map((name) => [
        name,
        [...(demo.get(name) ?? []), ...(made.get(name) ?? [])],
      ]),
    );
    const expected = await fill({ fixtures });
    const reports: number[] = [];
    const filled = await fill({ wanted, onFill: ({ records }) => reports.push(records) });
    expect([filled.state, filled.records, filled.warnings]).toEqual([expected.state, expected.records, []]);
    expect(filled.filled?.toSorted()).toEqual(expected.filled?.toSorted());
    expect(reports.length).toBeGreaterThanOrEqual(Math.floor(Number(filled.records) / 1000));
    expect(reports).toEqual(reports.toSorted((one, other) => one - other));
    expect(reports.at(-1) ?? 0).toBeLessThanOrEqual(Number(filled.records));
  });

  test('of more records than the memory limit is rejected immediately', async () => {
    const wanted = Object.fromEntries([...contract.catalogue.models.keys()].map((name) => [name, 1_000_000]));
    await expect(fill({ wanted })).rejects.toThrow(
      /^The records need more memory than there is\. Load fewer records, keep them in PostgreSQL/,
    );
  });

  test('of many records does not block other work', async () => {
    let [turns, stored] = [0, 0];
    const timer = setInterval(() => turns++, 1);
    const records = { put: async () => void stored++, remove: async () => {} };
    const wanted = { customer: 30_000 };
    await fillStore({ ...base, fixtures: new Map(), wanted }, contract, semantics, records);
    clearInterval(timer);
    expect(stored).toBe(30_000);
    expect(turns).toBeGreaterThan(20);
  });
});
