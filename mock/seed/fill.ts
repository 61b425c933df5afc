import { setImmediate as turn } from 'node:timers/promises';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import type { References } from '../../spec/references.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { RecordSemantics } from '../engine/unit-of-work.ts';
import { type GeneratorOptions, prepareGeneration, type Wanted } from '../generated/generated.ts';
import { searchRecords } from '../store/search.ts';
import type { NewRecords, Records } from '../store/store.ts';
import { createLinkCheck } from './dangling.ts';
import { createSeedReader } from './read-seeds.ts';
import { createSeedStore, deleteLines, isAlone, storeSeeds } from './seed.ts';
import { type Fixtures, numberRecords, type Seed, type SeedSource } from './seed-record.ts';

/** Records after which other work of the process has its turn. */
const IN_A_TURN = 1000;

/** The options of a fill. */
export type FillOptions = Pick<SeedSource, 'lenient' | 'mistakes'> &
  Pick<GeneratorOptions, 'origin' | 'seed'> & {
    readonly fixtures: Fixtures;
    /** The records to generate in addition. */
    readonly wanted: Wanted | undefined;
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
  const related: Seed[] = [];
  const filled = new Set<string>();
  const links = createLinkCheck(
    references,
    (name, id) => isLiveFixture(name, id) || generation?.has(name, Number(id)) === true,
  );
  const total = [...fixtures.values()].reduce((sum, all) => sum + all.length, generation?.total ?? 0);
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
    onRecord?.(Math.min(done, total), total);
    await pause();
  };
  // Lines first, because the lines of deleted records are deleted.
  for (const name of fixtures.keys())
    if (!isAloneIn(name)) for (const seed of reader.seedsOf(name)) await take(seed);
  deleteLines(related, relations);
  for (const name of fixtures.keys())
    if (isAloneIn(name)) for (const seed of reader.seedsOf(name)) await take(seed);
  if (generation) {
    for (const unit of generation.run()) {
      const seeds = unit.flatMap(({ model, record }) => reader.readGenerated(model, record) ?? []);
      await storeUnit(seeds);
      await (unit.length > 0 ? count() : pause());
    }
    for (const [name, made] of generation.kept()) {
      const model = contract.catalogue.models.get(name);
      if (!model) continue;
      for (const record of made) {
        const seed = reader.readGenerated(model, record);
        if (seed) await take(seed);
      }
    }
  }
  for (const seed of related) note(seed);
  const order = [...new Set([...fixtures.keys(), ...(generation?.kept().keys() ?? [])])];
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

  /** Stores a record without lines and parents. Others wait for theirs. */
  async function take(seed: Seed): Promise<void> {
    await count();
    if (!isAlone(seed.model, relations)) {
      related.push(seed);
      return;
    }
    note(seed);
    if (!reader.hasMistakes() && (await storeAlone(seed))) stored += 1;
  }

  /** Stores a generated record with its lines. */
  async function storeUnit(seeds: readonly Seed[]): Promise<void> {
    for (const seed of seeds) note(seed);
    if (reader.hasMistakes()) return;
    stored += seeds.length;
    const [first] = seeds;
    if (first && isAlone(first.model, relations)) {
      await storeAlone(first);
      return;
    }
    const unit = createUnit();
    await storeSeeds(seeds, { semantics, records: unit, now });
    for (const { id, model } of seeds) {
      const record = await unit.get(model.name, id);
      if (record) await records.add?.(model.name, record);
    }
  }

  function isLiveFixture(name: string, id: unknown): boolean {
    const known = live.get(name) ?? liveFixtures(name);
    live.set(name, known);
    return known.has(id);
  }

  function liveFixtures(name: string): ReadonlySet<unknown> {
    const model = contract.catalogue.models.get(name);
    if (!model) return new Set();
    if (!isAlone(model, relations))
      return new Set(
        related.filter((seed) => seed.model === model && !isDeleted(model, seed.given)).map(({ id }) => id),
      );
    const all = fixtures.get(name) ?? [];
    const ids = numberRecords(all);
    return new Set(ids.filter((_, index) => !isDeleted(model, all[index] ?? {})));
  }
}

/** Keeps a record and its lines until all of them are computed. */
function createUnit(): Pick<Records, 'find' | 'get' | 'put' | 'remove'> {
  const all = new Map<string, Map<number, RecordValues>>();
  return {
    get: async (model, id) => all.get(model)?.get(id),
    find: async (model, query) => searchRecords(all.get(model)?.values() ?? [], query),
    put: async (model, record) => {
      all.set(model, (all.get(model) ?? new Map()).set(Number(record.id), record));
    },
    remove: async (model, id) => void all.get(model)?.delete(id),
  };
}
