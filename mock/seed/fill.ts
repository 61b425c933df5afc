import { setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { onceFor } from '../../spec/once-for.ts';
import { linkedModel, type References } from '../../spec/references.ts';
import type { RecordSemantics } from '../engine/relations.ts';
import type { GeneratorOptions, Wanted } from '../generated/generated.ts';
import { createMemoryBudget } from '../memory-budget.ts';
import type { Layout, Records } from '../store/store.ts';
import { Table } from '../store/table.ts';
import { createSeedReader } from './read-seeds.ts';
import { deleteLines, type Seed, type SeedSource, storeSeeds } from './seed.ts';

/** Records after which other work of the process has its turn. */
const IN_A_TURN = 1000;

/** Bytes that a small record needs in memory. */
const SMALL = 500;

export type FillOptions = Pick<SeedSource, 'lenient' | 'mistakes'> &
  Pick<GeneratorOptions, 'origin' | 'seed'> & {
    readonly fixtures: Fixtures;
    readonly wanted: Wanted | undefined;
    /** Whether links that lead to no record are mistakes. By default, they are warnings. */
    readonly checkLinks?: boolean | undefined;
    readonly links: References;
    /** The time of creation of a record without `created`, as a canonical datetime. */
    readonly now: string;
    readonly isInMemory?: boolean;
    readonly onFill?: ((progress: { readonly records: number; readonly total: number }) => void) | undefined;
  };

/** Stores records step by step, so that few stay in memory. Throws FixtureMistakes or UsageError. */
export async function fillStore(
  options: FillOptions,
  contract: Contract,
  semantics: RecordSemantics,
  records: Pick<Records, 'put' | 'remove'>,
) {
  const { checkLinks, fixtures, isInMemory, links: references, now, onFill, wanted } = options;
  const { relations } = semantics;
  const layout = relations.layout();
  // Loaded on use, because most mocks generate nothing.
  const { prepareGeneration } = wanted === undefined ? {} : await import('../generated/generated.ts');
  const given = { ...options, existing: fixtures };
  const generation = wanted === undefined ? undefined : prepareGeneration?.(wanted, contract, given);
  const counts = generation?.counts ?? new Map<string, number>();
  const isGenerated = (name: string) => (counts.get(name) ?? 0) > 0;
  const reader = createSeedReader(fixtures, { ...contract, ...options, references, relations, isGenerated });
  const total = [...[...fixtures.values()].map(({ length }) => length), ...counts.values()].reduce(
    (sum, one) => sum + one,
    0,
  );
  const heap = getHeapStatistics().heap_size_limit;
  if (isInMemory && total * SMALL > heap) refuseForMemory();
  const budget = createMemoryBudget((heap / 2 ** 20) * 0.9);
  let [done, stored, steps] = [0, 0, 0];
  const seeds: Seed[] = [];
  for (const name of fixtures.keys())
    for (const seed of reader.seedsOf(name)) {
      done = seeds.push(seed);
      await pause();
    }
  deleteLines(seeds, relations);
  const live = seeds.filter(({ given, model }) => !isDeleted(model, given));
  const filled = new Set(live.map(({ model }) => model.name));
  const warnings = describeDeadLinks(live, references, generation?.has);
  if (checkLinks) for (const warning of warnings) reader.note(warning);
  reader.refuse();
  /** Records with lines or parents that are stored at the end. */
  const related: Seed[] = [];
  for (const seed of seeds)
    if (relations.isAlone(seed.model)) stored += await storeTogether([seed]);
    else related.push(seed);
  for (const unit of generation?.units() ?? []) {
    const own = unit.flatMap(({ model, record }) => reader.readGenerated(model, record) ?? []);
    for (const { model } of own) filled.add(model.name);
    // A line of an existing record waits for that record.
    if (own[0] && relations.isLine(own[0].model)) related.push(...own);
    else stored += await storeTogether(own);
    done += unit.length;
    for (const _ of unit) await pause();
  }
  reader.refuse();
  stored += await storeTogether(related);
  return {
    records: stored,
    filled: [...new Set([...fixtures.keys(), ...counts.keys()])].filter((name) => filled.has(name)),
    warnings,
  };

  /** Lets the process respond to the database and to signals, and reports the progress. */
  async function pause(): Promise<void> {
    steps += 1;
    if (steps % IN_A_TURN !== 0) return;
    await turn();
    onFill?.({ records: done, total });
    if (budget.isSpent()) refuseForMemory();
  }

  /** Stores a record with its lines, and does not read them again. Returns the number of records. */
  async function storeTogether(seeds: readonly Seed[]): Promise<number> {
    const unit = createUnit(layout);
    const count = await storeSeeds(seeds, { semantics, records: unit, now });
    for (const { id, model } of seeds) {
      const record = await unit.get(model.name, id);
      // The ID of a removed record is not used again.
      await records.put(model.name, record ?? { id });
      if (!record) await records.remove(model.name, id);
      if (seeds.length > IN_A_TURN) await pause();
    }
    return count;
  }
}

function refuseForMemory(): never {
  throw new UsageError(
    'The records need more memory than there is. Load fewer records, keep them in PostgreSQL (--data postgres://…), or give Node more memory, such as with NODE_OPTIONS=--max-old-space-size=8192.',
  );
}

/** Keeps records until all of their values are computed. */
function createUnit(layout: Layout): Pick<Records, 'find' | 'get' | 'put' | 'remove'> {
  const tables = new Map<string, Table>();
  const tableOf = (model: string) => {
    const table = tables.get(model) ?? new Table(layout, model, tables);
    tables.set(model, table);
    return table;
  };
  return {
    get: async (model, id) => tableOf(model).records.get(id),
    find: async (model, query) => tableOf(model).find(query),
    put: async (model, record) => tableOf(model).put(record),
    remove: async (model, id) => tableOf(model).remove(id),
  };
}

/** Returns a line for each link that leads to no record, or to a deleted one. */
function describeDeadLinks(
  live: readonly Seed[],
  references: References,
  isGenerated: (model: string, id: number) => boolean = () => false,
): string[] {
  const known = new Set(live.map(({ id, model }) => `${model.name} ${id}`));
  const linksOf = onceFor((model: Model) =>
    model.fields.flatMap((field) => {
      const to = linkedModel(references, field);
      return to === undefined ? [] : [{ name: field.name, to }];
    }),
  );
  return live.flatMap(({ at, given, model }) =>
    linksOf(model).flatMap(({ name, to }) => {
      const value = given[name] ?? null;
      const linked: readonly unknown[] = Array.isArray(value) ? value : value === null ? [] : [value];
      const dead = linked.filter((id) => !known.has(`${to} ${id}`) && !isGenerated(to, Number(id)));
      return dead.map(
        (id) =>
          `${at(name)}: ${name} must be the ID of ${withArticle(to)} record, but there is no ${to} ${id}.`,
      );
    }),
  );
}
