import { isDeleted } from '../spec/catalogue/roles.ts';
import type { Contract } from '../spec/contract.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { type References, withoutModels } from '../spec/references.ts';
import { SHARED } from './control/address.ts';
import { START } from './control/sessions/sessions.ts';
import { secondOf } from './engine/computed.ts';
import type { RecordSemantics } from './engine/unit-of-work.ts';
import { generateRecords } from './generated/generated.ts';
import { completeFixtures, type ReadOptions, startOf } from './mock-options.ts';
import { DEFAULT_ORIGIN, readSeeds } from './seed/read-seeds.ts';
import { storeSeeds } from './seed/seed.ts';
import { findDangling } from './seed/seed-record.ts';
import { openStore } from './store/open-store.ts';
import { type ReadableRecords, type Records, StoreAway, StoreFull } from './store/store.ts';

/** The first records of a mock. */
export type Beginning = {
  /** How many records. */
  readonly records: number;
  /** Whether the store had them from before; fixtures were not read then. */
  readonly isKept: boolean;
  /** The models whose lists had records. */
  readonly filled: readonly string[];
  /** One line for each doubtful record, for example with a link to a missing one. */
  readonly warnings: readonly string[];
};

/**
 * Opens the store, and makes in it the snapshot that sessions start with, of fixtures and generated records, unless it
 * has it from before. Throws UsageError for a store that can't be used, FixtureMistakes with all that is wrong.
 */
export async function startStore(options: ReadOptions, contract: Contract, semantics: RecordSemantics) {
  const { data, dataMemory, dataSync: sync, maxMemory } = options;
  const layout = semantics.relations.layout();
  const store = await openStore(data, { layout, sync, dataMemory, maxMemory });
  try {
    let made: Beginning | undefined;
    await store.begin(START, async (records) => {
      made = await storeStartRecords(options, contract, semantics, records);
    });
    const begun = made ?? (await describeKept(contract, await store.open(SHARED, START)));
    const warnings = [...begun.warnings, ...(store.warnings ?? [])];
    return { store, beginning: { ...begun, warnings } };
  } catch (error) {
    await store.close();
    throw error instanceof StoreFull || error instanceof StoreAway ? new UsageError(error.message) : error;
  }
}

/** Stores fixtures and generated records. Throws FixtureMistakes with all that is wrong. */
export async function storeStartRecords(
  options: ReadOptions,
  contract: Contract,
  semantics: RecordSemantics,
  store: Records,
): Promise<Beginning> {
  const { checkLinks, lenient, origin = DEFAULT_ORIGIN, records, seed = 1 } = options;
  const { fixtures, mistakes } = completeFixtures(options.fixtures);
  const existing = new Map(fixtures);
  if (records !== undefined)
    for (const [model, made] of await generateRecords(records, contract, { existing, origin, seed }))
      existing.set(model, [...(existing.get(model) ?? []), ...made]);
  const made = new Set([...existing].flatMap(([model, all]) => all.slice(fixtures.get(model)?.length)));
  const { relations } = semantics;
  const references = withoutForwarded(options, contract);
  const seeds = readSeeds(existing, {
    ...contract,
    references,
    relations,
    made,
    origin,
    mistakes,
    lenient,
    checkLinks,
  });
  const now = secondOf(startOf(options, contract.catalogue.version));
  const live = seeds.filter(({ given, model }) => !isDeleted(model, given));
  return {
    records: await storeSeeds(seeds, { semantics, records: store, now }),
    isKept: false,
    filled: [...new Set(live.map(({ model }) => model.name))],
    warnings: checkLinks ? [] : findDangling(seeds, references),
  };
}

/** Returns the links without those to forwarded models, whose records the mock does not have. */
function withoutForwarded({ forward }: ReadOptions, { catalogue, references }: Contract): References {
  return forward ? withoutModels(references, new Set(forward.models ?? catalogue.models.keys())) : references;
}

async function describeKept({ catalogue }: Contract, records: ReadableRecords): Promise<Beginning> {
  const counted = await Promise.all(
    [...catalogue.models.keys()].map(async (name) => {
      const { total } = await records.find(name, { liveOnly: false, size: 0 });
      return [name, total] as const;
    }),
  );
  const filled = counted.filter(([, total]) => total > 0);
  const sum = filled.reduce((before, [, total]) => before + total, 0);
  return { records: sum, isKept: true, filled: filled.map(([name]) => name), warnings: [] };
}
