import { setImmediate as turn } from 'node:timers/promises';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import type { References } from '../../spec/references.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { RecordSemantics } from '../engine/unit-of-work.ts';
import { type GeneratorOptions, prepareGeneration, type Round, type Wanted } from '../generated/generated.ts';
import type { Layout, NewRecords, Records } from '../store/store.ts';
import { createTable, type Table } from '../store/table.ts';
import { createLinkCheck } from './dangling.ts';
import { createSeedReader } from './read-seeds.ts';
import { createSeedStore, deleteLines, isAlone, storeSeeds } from './seed.ts';
import {
  type FixtureRecord,
  type Fixtures,
  numberRecords,
  type Seed,
  type SeedSource,
} from './seed-record.ts';

/** Records after which other work of the process has its turn. */
const IN_A_TURN = 1000;

/** The options of a fill. */
export type FillOptions = Pick<SeedSource, 'lenient' | 'mistakes'> &
  Pick<GeneratorOptions, 'origin' | 'seed'> & {
    readonly fixtures: Fixtures;
    /** The records to generate in addition. */
    readonly wanted: Wanted | undefined;
    /** About how many records that others need are kept in memory; a number for tests. */
    readonly mostKept?: number | undefined;
    /** Whether links that lead to no record are mistakes. By default, they are warnings. */
    readonly checkLinks?: boolean | undefined;
    /** The links to check. */
    readonly links: References;
    /** The time of creation of a record without `created`, as a canonical datetime. */
    readonly now: string;
    /** Called for each record. */
    readonly onRecord?: ((done: number, total: number) => void) | undefined;
  };

/**
 * Stores fixtures and generated records. A record that no other one depends on is stored as soon as it is read or
 * generated, so that it need not stay in memory. Throws FixtureMistakes with all that is wrong.
 */
export async function fillStore(
  options: FillOptions,
  contract: Contract,
  semantics: RecordSemantics,
  records: NewRecords,
) {
  const { checkLinks, fixtures, links: references, now, onRecord, wanted } = options;
  const { relations } = semantics;
  const releases = records.add !== undefined;
  const generation =
    wanted === undefined
      ? undefined
      : await prepareGeneration(wanted, contract, { ...options, existing: fixtures, releases });
  const reader = createSeedReader(fixtures, {
    ...contract,
    ...options,
    references,
    relations,
    isGenerated: generation?.includes,
  });
  const storeAlone = createSeedStore({ semantics, records, now });
  const layout = relations.layout();
  /** Records with lines or parents that are stored at the end. */
  const related: Seed[] = [];
  const filled = new Set<string>();
  const links = createLinkCheck(
    references,
    (name, id) => isLiveFixture(name, id) || generation?.has(name, Number(id)) === true,
  );
  const numbers = [...fixtures.values()].map(({ length }) => length);
  const total = [...numbers, ...(generation?.counts.values() ?? [])].reduce((sum, one) => sum + one, 0);
  const live = new Map<string, ReadonlySet<unknown>>();
  let [done, stored] = [0, 0];
  let steps = 0;
  // Otherwise, this process would not respond to the database, nor notice that it should end.
  const pause = async () => {
    steps += 1;
    if (steps % IN_A_TURN === 0) await turn();
  };
  const count = async () => {
    done += 1;
    onRecord?.(done, total);
    await pause();
  };
  // Lines first, because the lines of deleted records are deleted.
  for (const name of fixtures.keys()) if (!isAloneIn(name)) await takeFixtures(name);
  deleteLines(related, relations);
  for (const name of fixtures.keys()) if (isAloneIn(name)) await takeFixtures(name);
  const names = new Set(fixtures.keys());
  for (const round of generation?.rounds() ?? []) {
    // Several rounds can take an hour.
    if (!generation?.isWhole) reader.refuse();
    await storeRound(round);
    for (const name of round.kept().keys()) names.add(name);
  }
  for (const seed of related) note(seed);
  const order = [...names];
  const warnings = links.describe(order);
  if (checkLinks) for (const warning of warnings) reader.note(warning);
  reader.refuse();
  const put: Records['put'] = async (model, record) => {
    await pause();
    await records.put(model, record);
  };
  stored += await storeSeeds(related, { semantics, records: { ...records, put }, now });
  return {
    records: stored,
    /** The models whose lists have records. */
    filled: order.filter((name) => filled.has(name)),
    /** One line for each link to a missing record. */
    warnings,
  };

  function isAloneIn(name: string): boolean {
    const model = contract.catalogue.models.get(name);
    return !model || isAlone(model, relations);
  }

  function note(seed: Seed): void {
    links.look(seed);
    if (!isDeleted(seed.model, seed.given)) filled.add(seed.model.name);
  }

  async function takeFixtures(name: string): Promise<void> {
    for (const seed of reader.seedsOf(name)) {
      await count();
      await take(seed, related);
    }
  }

  async function storeRound({ kept, run }: Round): Promise<void> {
    for (const unit of run()) {
      await storeUnit(unit.flatMap(({ model, record }) => reader.readGenerated(model, record) ?? []));
      await (unit.length > 0 ? count() : pause());
    }
    // Where there are several rounds, no record of one changes the values of another.
    const waiting = generation?.isWhole ? related : [];
    for (const [name, made] of kept()) {
      const model = contract.catalogue.models.get(name);
      if (!model) continue;
      const isCounted = generation?.counts.has(name);
      for (const record of made) {
        await (isCounted ? count() : pause());
        const seed = reader.readGenerated(model, record);
        if (seed) await take(seed, waiting);
      }
    }
    if (waiting !== related) await storeUnit(waiting);
  }

  /** Stores a record without lines and parents. Others wait for theirs. */
  async function take(seed: Seed, waiting: Seed[]): Promise<void> {
    if (!isAlone(seed.model, relations)) {
      waiting.push(seed);
      return;
    }
    note(seed);
    if (!reader.hasMistakes() && (await storeAlone(seed))) stored += 1;
  }

  /** Stores generated records with their lines. */
  async function storeUnit(seeds: readonly Seed[]): Promise<void> {
    for (const seed of seeds) note(seed);
    if (reader.hasMistakes()) return;
    stored += seeds.length;
    const [first] = seeds;
    if (first && isAlone(first.model, relations)) await storeAlone(first);
    else
      for await (const [name, record] of computeUnit(seeds, { semantics, layout, now })) {
        await pause();
        await records.add?.(name, record);
      }
  }

  function isLiveFixture(name: string, id: unknown): boolean {
    const model = contract.catalogue.models.get(name);
    const known = live.get(name) ?? (model ? liveIds(model, fixtures.get(name) ?? []) : new Set());
    live.set(name, known);
    return known.has(id);
  }

  function liveIds(model: Model, all: readonly FixtureRecord[]): ReadonlySet<unknown> {
    const isLive = ({ given, model: of }: Seed) => of === model && !isDeleted(model, given);
    if (!isAlone(model, relations)) return new Set(related.filter(isLive).map(({ id }) => id));
    return new Set(numberRecords(all).filter((_, index) => !isDeleted(model, all[index] ?? {})));
  }
}

/** Returns the stored form of records and their lines, by the names of their models. */
async function* computeUnit(
  seeds: readonly Seed[],
  given: { readonly semantics: RecordSemantics; readonly layout: Layout; readonly now: string },
): AsyncGenerator<readonly [model: string, record: RecordValues]> {
  const unit = createUnit(given.layout);
  await storeSeeds(seeds, { ...given, records: unit });
  for (const { id, model } of seeds) {
    const record = await unit.get(model.name, id);
    if (record) yield [model.name, record];
  }
}

/** Keeps records and their lines until all of them are computed. */
function createUnit(layout: Layout): Pick<Records, 'find' | 'get' | 'put' | 'remove'> {
  const tables = new Map<string, Table>();
  const tableOf = (model: string) => {
    const table = tables.get(model) ?? createTable(layout, model, { owner: tables });
    tables.set(model, table);
    return table;
  };
  return {
    get: async (model, id) => tableOf(model).get(id),
    find: async (model, query) => (await tableOf(model).find(query)) ?? { records: [], total: 0 },
    put: async (model, record) => tableOf(model).put(record),
    remove: async (model, id) => tableOf(model).remove(id),
  };
}
