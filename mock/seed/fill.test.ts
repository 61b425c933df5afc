import { expect, test } from 'vitest';
import { NO_POSTGRES, startPostgres } from '../../testing/stores/postgres.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { createMock, type MockOptions } from '../mock.ts';

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

test.each(CASES)('a file and a database are filled like the memory: %j', async (options) => {
  const expected = await describeMock(options);
  expect(await describeMock({ ...options, data: directory.path('mock.db') })).toEqual(expected);
  if (NO_POSTGRES) return;
  await using server = await startPostgres();
  expect(await describeMock({ ...options, data: await server.database() })).toEqual(expected);
});

test('links are checked when all records are there, whatever their order', async () => {
  const options = {
    fixtures: {
      relationship: [
        { id: 2, customer: 3, customer2: 4, status: 1 },
        { id: 1, customer: 9, customer2: 1, status: 1 },
      ],
      customer: [{ id: 1, name: 'a', isCompany: false, firstName: 'a' }],
    },
    records: { customer: 3 },
    lenient: true,
  };
  const mock = await createMock(options);
  expect(mock.warnings).toEqual([
    'fixtures: relationship 1: customer must be the ID of a customer record, but there is no customer 9.',
  ]);
  await expect(createMock({ ...options, checkLinks: true })).rejects.toMatchObject({
    mistakes: mock.warnings,
  });
});
