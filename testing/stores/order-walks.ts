import fc from 'fast-check';
import { expect } from 'vitest';
import type { Engine } from '../../mock/engine/engine.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { catalogue } from '../mocks/mocks.ts';

type Model = Parameters<Engine>[0];

function model(name: string): Model {
  const found = catalogue.models.get(name);
  if (!found) throw new Error(`no ${name}`);
  return found;
}

const order = model('stockOrder');
const line = model('stockOrderLine');

/** Steps of a client on orders and lines. IDs are small, so that steps meet. */
const amounts = fc.integer({ min: 0, max: 20 });
const ids = fc.integer({ min: 1, max: 6 });
const lineValues = fc
  .tuple(amounts, amounts, fc.constantFrom(0, 10, 33))
  .map(([amount, cost, discount]) => ({ product: 1, amount, grossUnitCost: cost, discount }));
const lists = fc.array(lineValues, { maxLength: 3 });
/** Some with the id of a line, which may be of this order, of another or of none. */
const knownLists = fc.array(
  fc.tuple(lineValues, ids).map(([values, id]) => ({ ...values, id })),
  { maxLength: 3 },
);
export const orderSteps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('create order' as const), lines: lists, globalDiscount: amounts }),
    fc.record({ do: fc.constant('replace lines' as const), id: ids, lines: lists }),
    fc.record({ do: fc.constant('replace lines' as const), id: ids, lines: knownLists }),
    fc.record({ do: fc.constant('discount order' as const), id: ids, globalDiscount: amounts }),
    fc.record({ do: fc.constant('delete order' as const), id: ids }),
    fc.record({ do: fc.constant('create line' as const), order: ids, values: lineValues }),
    fc.record({ do: fc.constant('move line' as const), id: ids, order: ids }),
    fc.record({ do: fc.constant('change line' as const), id: ids, values: lineValues }),
    fc.record({ do: fc.constant('delete line' as const), id: ids }),
  ),
  { maxLength: 30 },
);
export type OrderStep = (
  typeof orderSteps extends fc.Arbitrary<infer Steps>
    ? Steps
    : never
) extends (infer One)[]
  ? One
  : never;

export async function takeOrderStep(engine: Engine, step: OrderStep): Promise<void> {
  const draft = (values: RecordValues) => ({ values, violations: [] });
  switch (step.do) {
    case 'create order': {
      const { globalDiscount, lines } = step;
      await engine(order).create(draft({ globalDiscount, status: 0, lines }));
      return;
    }
    case 'replace lines':
      await engine(order).update(step.id, draft({ lines: step.lines }));
      return;
    case 'discount order':
      await engine(order).update(step.id, draft({ globalDiscount: step.globalDiscount }));
      return;
    case 'delete order':
      await engine(order).delete(step.id);
      return;
    case 'create line':
      await engine(line).create(draft({ ...step.values, stockOrder: step.order }));
      return;
    case 'move line':
      await engine(line).update(step.id, draft({ stockOrder: step.order }));
      return;
    case 'change line':
      await engine(line).update(step.id, draft(step.values));
      return;
    case 'delete line':
      await engine(line).delete(step.id);
  }
}

/** Checks that orders show their lines, that totals agree, and that sending a record back changes nothing. */
export async function expectAgreement(engine: Engine): Promise<void> {
  const orders = await engine(order).list({});
  const lines = await engine(line).list({});
  for (const one of orders.records) {
    const own = lines.records.filter((candidate) => candidate.stockOrder === one.id);
    expect(one.lines).toEqual(own);
    const sum = (field: string) => own.reduce((total, { [field]: value }) => total + Number(value), 0);
    expect(one.amount).toBe(sum('amount'));
    expect(one.globalDiscountAmount).toBeCloseTo(sum('globalDiscountAmount'), 6);
    expect(one.total).toBeCloseTo(sum('total') - sum('globalDiscountAmount'), 6);
    for (const { globalDiscount } of own) expect(globalDiscount).toBe(one.globalDiscount);
    // A record that is sent back does not change, because the clock is stopped.
    const sent = own.map(({ id, product, amount, grossUnitCost, discount }) => ({
      id: id ?? null,
      product: product ?? null,
      amount: amount ?? null,
      grossUnitCost: grossUnitCost ?? null,
      discount: discount ?? null,
    }));
    const back = await engine(order).update(Number(one.id), {
      values: { lines: sent },
      violations: [],
    });
    expect(back).toEqual({ kind: 'record', record: one });
  }
  // No record is anywhere that was deleted with its parent.
  const parents = orders.records.map(({ id }) => id);
  const gone = await Promise.all([1, 2, 3, 4, 5, 6].map((id) => engine(order).retrieve(id)));
  for (const [index, found] of gone.entries())
    if (found.kind === 'record' && found.record.deleted === true) expect(parents).not.toContain(index + 1);
}
