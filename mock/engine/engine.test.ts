import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { catalogue, references, startMock } from '../../testing/mocks.ts';
import { createMemoryStore } from '../store/memory.ts';
import { createEngine, type Engine } from './engine.ts';
import { readSemantics } from './unit-of-work.ts';

type Model = Parameters<Engine['list']>[0];

async function engineOf(settings: Record<string, unknown>): Promise<Engine> {
  const profile = createProfile(settings, catalogue);
  const semantics = readSemantics({ catalogue, profile, references });
  const records = await createMemoryStore(semantics.relations.links()).open('a', '@none');
  return createEngine({ semantics, records, clock: () => new Date(0) });
}

function model(name: string): Model {
  const found = catalogue.models.get(name);
  if (!found) throw new Error(`no ${name}`);
  return found;
}

const order = model('stockOrder');
const line = model('stockOrderLine');

/** What a client may do to orders and lines; ids are small, so that steps meet. */
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
const steps = fc.array(
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
type Step = (typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never) extends (infer One)[]
  ? One
  : never;

async function take(engine: Engine, step: Step): Promise<void> {
  const draft = (values: RecordValues) => ({ values, violations: [] });
  switch (step.do) {
    case 'create order': {
      const { globalDiscount, lines } = step;
      await engine.create(order, draft({ globalDiscount, status: 0, lines }));
      return;
    }
    case 'replace lines':
      await engine.update(order, step.id, draft({ lines: step.lines }));
      return;
    case 'discount order':
      await engine.update(order, step.id, draft({ globalDiscount: step.globalDiscount }));
      return;
    case 'delete order':
      await engine.delete(order, step.id);
      return;
    case 'create line':
      await engine.create(line, draft({ ...step.values, stockOrder: step.order }));
      return;
    case 'move line':
      await engine.update(line, step.id, draft({ stockOrder: step.order }));
      return;
    case 'change line':
      await engine.update(line, step.id, draft(step.values));
      return;
    case 'delete line':
      await engine.delete(line, step.id);
  }
}

describe('whatever is done to orders and their lines', () => {
  test.each(['mark', 'remove'])('totals and lines agree, where a delete would %s', async (effect) => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const engine = await engineOf({ 'delete.effect': effect });
        for (const step of taken) await take(engine, step);
        const orders = await engine.list(order, {});
        const lines = await engine.list(line, {});
        for (const one of orders.records) {
          const own = lines.records.filter((candidate) => candidate.stockOrder === one.id);
          expect(one.lines).toEqual(own);
          const sum = (field: string) => own.reduce((total, { [field]: value }) => total + Number(value), 0);
          expect(one.amount).toBe(sum('amount'));
          expect(one.globalDiscountAmount).toBeCloseTo(sum('globalDiscountAmount'), 6);
          expect(one.total).toBeCloseTo(sum('total') - sum('globalDiscountAmount'), 6);
          for (const { globalDiscount } of own) expect(globalDiscount).toBe(one.globalDiscount);
          // Sent back, they stay what they are; the clock stands still.
          const sent = own.map(({ id, product, amount, grossUnitCost, discount }) => ({
            id: id ?? null,
            product: product ?? null,
            amount: amount ?? null,
            grossUnitCost: grossUnitCost ?? null,
            discount: discount ?? null,
          }));
          const back = await engine.update(order, Number(one.id), {
            values: { lines: sent },
            violations: [],
          });
          expect(back).toEqual({ kind: 'record', record: one });
        }
        // No record is anywhere that was deleted with its parent.
        const parents = orders.records.map(({ id }) => id);
        const gone = await Promise.all([1, 2, 3, 4, 5, 6].map((id) => engine.retrieve(order, id)));
        for (const [index, found] of gone.entries())
          if (found.kind === 'record' && found.record.deleted === true)
            expect(parents).not.toContain(index + 1);
      }),
      { seed: 20251022, numRuns: 150 },
    );
  });

  test('done at once, it has some order', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const engine = await engineOf({});
        await Promise.all(taken.map((step) => take(engine, step)));
        const { records } = await engine.list(order, {});
        for (const { amount, lines } of records)
          expect(amount).toBe(
            (lines as RecordValues[]).reduce((total, one) => total + Number(one.amount), 0),
          );
      }),
      { seed: 20251022, numRuns: 50 },
    );
  });
});

describe("a catalogue of one's own", () => {
  const directory = mkdtempSync(join(tmpdir(), 'catalogue-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const facts = join(directory, 'facts');
  mkdirSync(facts);
  writeFileSync(
    join(facts, 'common.yaml'),
    'title: Own\nversion: "1"\nbase: /v1\ncommon: { id: int ro, seen: datetime req ro }\n',
  );
  writeFileSync(
    join(facts, 'trees.yaml'),
    [
      'area: Trees',
      'models:',
      '  tree: { name: string req, branches: "Branch[]", constructor: string }',
      '  branch: { tree: int, leaves: "Leaf[] req" }',
      '  leaf: { branch: int req, colour: string req }',
      '  node: { parent: int, nodes: "Node[]" }',
    ].join('\n'),
  );
  const link = '{ to: tree, why: w }';
  writeFileSync(
    join(directory, 'references.yaml'),
    `inside: { branch.tree: ${link}, leaf.branch: ${link.replace('tree', 'branch')}, node.parent: ${link.replace('tree', 'node')} }\n`,
  );
  const own = loadCatalogue(facts);
  const links = loadReferences(own, facts);

  test('may have lines in lines', async () => {
    const models = new Map([...own.models].filter(([name]) => name !== 'node'));
    const { ask, create } = await startMock({}, { catalogue: { ...own, models }, references: links });
    const tree = await create('tree', {
      name: 'a',
      branches: [{ leaves: [{ colour: 'red' }, { colour: 'green' }] }],
    });
    expect(tree).toMatchObject({
      constructor: null,
      branches: [
        {
          id: 1,
          tree: 1,
          leaves: [
            { id: 1, branch: 1 },
            { id: 2, branch: 1, colour: 'green' },
          ],
        },
      ],
    });
    expect((await ask('GET', '/tree/1')).body).toEqual(tree);
    await ask('POST', '/tree/1', { branches: null });
    expect((await ask('GET', '/leaf')).body).toEqual([]);
    expect((await ask('GET', '/leaf/1')).status).toBe(404);
  });

  test('may have lines that lead back to where they began', async () => {
    const settings = { 'types.lines': 'ids' };
    const { ask, create } = await startMock(settings, { catalogue: own, references: links });
    await create('node', { nodes: [] });
    await create('node', { nodes: [1] });
    expect(await ask('POST', '/node/1', { nodes: [2] })).toMatchObject({ body: { parent: 2, nodes: [2] } });
    expect((await ask('POST', '/node/1', { nodes: [2, 1] })).status).toBe(422);
    expect((await ask('POST', '/node/1', { parent: 1 })).body).toMatchObject({ nodes: [1, 2] });
    expect((await ask('GET', '/node')).body).toHaveLength(2);
    expect((await ask('DELETE', '/node/2')).status).toBe(200);
    expect((await ask('DELETE', '/node/1')).status).toBe(200);
    expect((await ask('GET', '/node')).body).toEqual([]);
  });
});
