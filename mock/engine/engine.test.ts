import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { catalogue, references, startMock } from '../../testing/mocks/mocks.ts';
import { NO_POSTGRES, newDatabase } from '../../testing/stores/postgres.ts';
import { openStore } from '../start-records.ts';
import type { Store } from '../store/store.ts';
import { createEngine, type Engine } from './engine.ts';
import { readSemantics } from './relations.ts';

type Model = Parameters<Engine>[0];

function model(name: string): Model {
  const found = catalogue.models.get(name);
  if (!found) throw new Error(`no ${name}`);
  return found;
}

const MODELS = { order: model('stockOrder'), line: model('stockOrderLine') };

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
type OrderStep = {
  readonly act: 'create' | 'update' | 'delete';
  readonly of: keyof typeof MODELS;
  readonly id: number;
  readonly values: RecordValues;
};
const stepOf = (act: OrderStep['act'], of: OrderStep['of'], values: fc.Arbitrary<RecordValues>) =>
  fc.record<OrderStep>({ act: fc.constant(act), of: fc.constant(of), id: ids, values });
const none = fc.constant({});
const orderSteps = fc.array(
  fc.oneof(
    stepOf('create', 'order', fc.record({ globalDiscount: amounts, status: fc.constant(0), lines: lists })),
    stepOf('update', 'order', fc.record({ lines: lists })),
    stepOf('update', 'order', fc.record({ lines: knownLists })),
    stepOf('update', 'order', fc.record({ globalDiscount: amounts })),
    stepOf('delete', 'order', none),
    stepOf(
      'create',
      'line',
      fc.tuple(lineValues, ids).map(([values, stockOrder]) => ({ ...values, stockOrder })),
    ),
    stepOf('update', 'line', fc.record({ stockOrder: ids })),
    stepOf('update', 'line', lineValues),
    stepOf('delete', 'line', none),
  ),
  { maxLength: 30, size: 'max' },
);

async function takeOrderStep(engine: Engine, { act, id, of, values }: OrderStep): Promise<void> {
  const operations = engine(MODELS[of]);
  const draft = { values, violations: [] };
  if (act === 'create') await operations.create(draft);
  else if (act === 'update') await operations.update(id, draft);
  else await operations.delete(id);
}

/** Checks that orders show their lines, that totals agree, and that sending a record back changes nothing. */
async function expectAgreement(engine: Engine): Promise<void> {
  const orders = await engine(MODELS.order).list({});
  const lines = await engine(MODELS.line).list({});
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
    const back = await engine(MODELS.order).update(Number(one.id), {
      values: { lines: sent },
      violations: [],
    });
    expect(back).toEqual({ kind: 'record', record: one });
  }
  // No record is anywhere that was deleted with its parent.
  const parents = orders.records.map(({ id }) => id);
  const gone = await Promise.all([1, 2, 3, 4, 5, 6].map((id) => engine(MODELS.order).retrieve(id)));
  for (const [index, found] of gone.entries())
    if (found.kind === 'record' && found.record.deleted === true) expect(parents).not.toContain(index + 1);
}

const semanticsOf = (settings: Record<string, unknown>) =>
  readSemantics({ catalogue, profile: createProfile(settings, catalogue), references });
const layout = semanticsOf({}).relations.layout();
const folder = mkdtempSync(join(tmpdir(), 'engine-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A place for records, how many stores share it, how often a property is tried, and its path or address. */
type Place = [
  name: string,
  replicas: number,
  runs: number,
  place: () => string | undefined | Promise<string>,
];

const PLACES: readonly Place[] = [
  ['in memory', 1, 50, () => undefined],
  ['in a file', 1, 50, () => join(folder, 'mock.db')],
  ...(NO_POSTGRES ? [] : [['in a database, by two replicas', 2, 12, newDatabase] satisfies Place]),
];

describe.each<Place>(PLACES)('any steps on orders and their lines %s', (_, replicas, runs, placeOf) => {
  let stores: Store[] = [];
  let opened = 0;
  beforeAll(async () => {
    const place = await placeOf();
    stores = await Promise.all(Array.from({ length: replicas }, () => openStore(place, { layout })));
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
  });

  /** Opens a new session; the replicas take the steps in turn. */
  async function enginesOf(settings: Record<string, unknown>): Promise<(step: number) => Engine> {
    const name = `session-${++opened}`;
    const engines: Engine[] = [];
    for (const store of stores) {
      const records = await store.open(name, '@none');
      engines.push(createEngine(semanticsOf(settings), records, () => new Date(0)));
    }
    return (step) => engines[step % replicas] as Engine;
  }

  test.each(['mark', 'remove'])(
    'leave consistent totals and lines, if deletes %s records',
    async (effect) => {
      await fc.assert(
        fc.asyncProperty(orderSteps, async (taken) => {
          const engineOf = await enginesOf({ 'delete.effect': effect });
          for (const [index, step] of taken.entries()) await takeOrderStep(engineOf(index), step);
          await expectAgreement(engineOf(opened));
        }),
        { seed: 20251022, numRuns: runs },
      );
    },
  );

  test('leave consistent totals and lines, even if they are concurrent', async () => {
    await fc.assert(
      fc.asyncProperty(orderSteps, async (taken) => {
        const engineOf = await enginesOf({});
        await Promise.all(taken.map((step, index) => takeOrderStep(engineOf(index), step)));
        await expectAgreement(engineOf(opened));
      }),
      { seed: 20251022, numRuns: Math.min(runs, 20) },
    );
  });
});

describe('a custom catalogue', () => {
  const facts = join(folder, 'facts');
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
      '  leaf: { branch: int req, color: string req }',
      '  node: { parent: int, nodes: "Node[]" }',
    ].join('\n'),
  );
  const link = '{ to: tree, why: w }';
  writeFileSync(
    join(folder, 'references.yaml'),
    `inside: { branch.tree: ${link}, leaf.branch: ${link.replace('tree', 'branch')}, node.parent: ${link.replace('tree', 'node')} }\n`,
  );
  const own = loadCatalogue(facts);
  const links = loadReferences(own, facts);

  test('can have lines within lines', async () => {
    const models = new Map([...own.models].filter(([name]) => name !== 'node'));
    const { ask, create } = await startMock({}, { catalogue: { ...own, models }, references: links });
    const tree = await create('tree', {
      name: 'a',
      branches: [{ leaves: [{ color: 'red' }, { color: 'green' }] }],
    });
    expect(tree).toMatchObject({
      constructor: null,
      branches: [
        {
          id: 1,
          tree: 1,
          leaves: [
            { id: 1, branch: 1 },
            { id: 2, branch: 1, color: 'green' },
          ],
        },
      ],
    });
    expect((await ask('GET', '/tree/1')).body).toEqual(tree);
    await ask('POST', '/tree/1', { branches: null });
    expect((await ask('GET', '/leaf')).body).toEqual([]);
    expect((await ask('GET', '/leaf/1')).status).toBe(404);
  });

  test('can have lines that link back to their first record', async () => {
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
