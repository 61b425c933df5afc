import { describe, expect, test } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { demo } from '../../testing/demo.ts';
import { makeRecords } from '../../testing/generated-records.ts';
import type { Fixtures } from '../seed/seed-record.ts';
import { generateRecords, prepareGeneration, type Wanted } from './generated.ts';

const contract = loadContract();
const base = { origin: 'http://127.0.0.1:4010', seed: 1 };

/** Returns the number of rounds for a file or a database, and the number of records without lines. */
async function planFor(wanted: Wanted, options: { existing?: Fixtures; mostKept?: number } = {}) {
  const { existing = new Map(), mostKept } = options;
  const given = { ...base, existing, mostKept, releases: true };
  const { counts, rounds } = await prepareGeneration(wanted, contract, given);
  return { rounds: [...rounds()].length, counts: Object.fromEntries(counts) };
}

describe('the number of rounds', () => {
  test.each<[number, Wanted]>([
    [1, 8000],
    [115, 1_000_000],
    // Nothing needs the records.
    [1, { customer: 4_999_980 }],
    [2, { customer: 4_999_981 }],
    [15, { customer: 3_000_000, relationship: 100 * 3 }],
    [1, { customer: 4_000_000, brand: 5 }],
    [30, { customer: 6_000_000, brand: 0, relationship: 20_000 }],
  ])('is %i for %j', async (rounds, wanted) => {
    expect((await planFor(wanted)).rounds).toBe(rounds);
  });

  test('is one for records in memory', async () => {
    const generation = await prepareGeneration(2000, contract, { ...base, existing: demo, mostKept: 10 });
    expect(generation.isWhole).toBe(true);
  });

  test.each<[number, Wanted]>([
    [10, { share: 1000, shareTransfer: 1000 }],
    // Two rounds could give a locker to two customers.
    [1, { lockerCustomer: 1000 }],
    [10, { lockerCustomer: 800, locker: 200 }],
    [1, { stockOrderLine: 1000, stockDeliveryLine: 200 }],
    // Two rounds could link the same two customers.
    [1, { share: 1000, shareTransfer: 1000, voucherBeneficiary: 300 }],
    [10, { customer: 1000, customerToTag: 500 }],
  ])('is %i for %j next to existing records', async (rounds, wanted) => {
    expect((await planFor(wanted, { mostKept: 100, existing: demo })).rounds).toBe(rounds);
  });

  test('makes more of the records that others need, if they are not there', async () => {
    const wanted = { subscriptionCustomer: 1000, editedSale: 1000 };
    expect(await planFor(wanted, { mostKept: 100 })).toEqual({
      rounds: 11,
      counts: { ...wanted, customer: 220, subscription: 220 },
    });
    expect(await planFor(wanted, { mostKept: 100, existing: demo })).toEqual({ rounds: 10, counts: wanted });
  });

  test.each<[Wanted, Fixtures, string]>([
    [
      { customer: 5, customerToTag: 9_000_000 },
      demo,
      '--records needs 9000005 records, but with fewer than 40 generated customer records, the limit is 5000000. Pass customer=40 or more, or ask for fewer records in total.',
    ],
    [
      { customerToTag: 6_000_000 },
      demo,
      '--records needs 6000000 records, but with fewer than 40 generated customer records, the limit is 5000000. Pass customer=40 or more, or ask for fewer records in total.',
    ],
    [
      { customer: 100_000_001 },
      demo,
      '--records needs 100000001 records, but the limit is 100000000. Ask for fewer.',
    ],
    [
      3_000_000,
      demo,
      '--records 3000000 means 3000000 records of each of 51 models, which are 153000000 in total, but the limit is 100000000. Name the models that need so many, such as --records customer=3000000.',
    ],
  ])('can be too high for %j', async (wanted, existing, message) => {
    await expect(planFor(wanted, { existing })).rejects.toThrow(message);
    if (typeof wanted === 'object' && 'customerToTag' in wanted)
      await expect(planFor({ ...wanted, customer: 40 }, { existing })).resolves.toMatchObject({ rounds: 2 });
  });
});

describe('records of several rounds', async () => {
  const { allRecords, models, recordsOf, rounds } = await makeRecords(1200);

  test('have IDs without gaps, in the order of their creation', () => {
    expect(rounds).toBe(6);
    for (const { name } of models) {
      const records = recordsOf(name);
      const ids = records.map(({ id }) => id);
      const first = 1 + Math.max(0, ...(demo.get(name) ?? []).map(({ id }) => Number(id)));
      expect([name, ids]).toEqual([name, ids.map((_, index) => first + index)]);
      const created = records.map((record) => String(record.created));
      expect([name, created]).toEqual([name, created.toSorted()]);
    }
    const days = new Set(allRecords.map(({ record }) => String(record.created).slice(0, 10)));
    expect(days.size).toBe(139);
  });

  test('are others in each round', () => {
    const names = recordsOf('customer').map(({ name }) => name);
    const places = names.map((name) => names.indexOf(name) % 50);
    expect(places.filter((place, index) => place !== index % 50).length).toBeLessThan(30);
    expect(new Set(names).size).toBeGreaterThan(270);
  });

  test('agree with each other', () => {
    const last = (model: string, keyOf: (record: Readonly<Record<string, unknown>>) => unknown) =>
      new Map(recordsOf(model).map((record) => [keyOf(record), record]));
    const transactions = last('voucherTransaction', ({ voucher }) => voucher);
    for (const { balance, id } of recordsOf('voucher'))
      expect([id, balance]).toEqual([id, transactions.get(id)?.balanceAfter ?? 0]);
    const owners = last('shareTransfer', ({ share }) => share);
    for (const { customer, id } of recordsOf('share'))
      expect([id, customer]).toEqual([id, owners.get(id)?.buyer ?? customer]);
    const stock = last('stockTransaction', ({ product, warehouse }) => `${product} ${warehouse}`);
    for (const { amount, product, warehouse } of recordsOf('stock'))
      expect([product, amount]).toEqual([product, stock.get(`${product} ${warehouse}`)?.stock ?? amount]);
    const rented = recordsOf('lockerCustomer').filter(({ active }) => active);
    expect(new Set(rented.map(({ locker }) => locker)).size).toBe(rented.length);
    for (const items of Map.groupBy(recordsOf('bookingDrawItem'), ({ option }) => option).values())
      expect(items.map(({ position }) => position)).toEqual(items.map((_, index) => index + 1));
    const splits = Map.groupBy(recordsOf('productSplit'), ({ parentProduct }) => parentProduct);
    for (const [product, parts] of splits)
      expect([product, parts.reduce((sum, { percent }) => sum + Number(percent), 0)]).toEqual([product, 100]);
  });
});

test('a card has one number, also after 900,000 customers', async () => {
  const cardsAfter = async (id: number) => {
    const existing = new Map([['customer', [{ id }]]]);
    const made = await generateRecords({ customer: 60 }, contract, { ...base, existing });
    return (made.get('customer') ?? []).flatMap(({ centerCard }) => centerCard ?? []);
  };
  const first = await cardsAfter(1);
  expect(first.length).toBeGreaterThan(30);
  expect((await cardsAfter(900_001)).filter((card) => first.includes(card))).toEqual([]);
});
