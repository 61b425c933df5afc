import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { catalogue, references, startMock } from '../../testing/mocks/mocks.ts';
import { expectAgreement, orderSteps, takeOrderStep } from '../../testing/stores/order-walks.ts';
import { NO_POSTGRES, newDatabase } from '../../testing/stores/postgres.ts';
import { openStore } from '../start-records.ts';
import type { Store } from '../store/store.ts';
import { createEngine, type Engine } from './engine.ts';
import { readSemantics } from './relations.ts';

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

describe.each<Place>(PLACES)(
  'whatever is done to orders and their lines %s',
  (_, replicas, runs, placeOf) => {
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

    test.each(['mark', 'remove'])('totals and lines agree, where a delete would %s', async (effect) => {
      await fc.assert(
        fc.asyncProperty(orderSteps, async (taken) => {
          const engineOf = await enginesOf({ 'delete.effect': effect });
          for (const [index, step] of taken.entries()) await takeOrderStep(engineOf(index), step);
          await expectAgreement(engineOf(opened));
        }),
        { seed: 20251022, numRuns: runs },
      );
    });

    test('done at once, it has some order', async () => {
      await fc.assert(
        fc.asyncProperty(orderSteps, async (taken) => {
          const engineOf = await enginesOf({});
          await Promise.all(taken.map((step, index) => takeOrderStep(engineOf(index), step)));
          await expectAgreement(engineOf(opened));
        }),
        { seed: 20251022, numRuns: Math.min(runs, 20) },
      );
    });
  },
);

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
      '  leaf: { branch: int req, color: string req }',
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
