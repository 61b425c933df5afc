import type { Contract } from '../spec/contract.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { type References, withoutModels } from '../spec/references.ts';
import { SHARED } from './control/address.ts';
import { START } from './control/sessions/sessions.ts';
import { secondOf } from './engine/computed.ts';
import type { RecordSemantics } from './engine/unit-of-work.ts';
import { completeFixtures, type ReadOptions, startOf } from './mock-options.ts';
import { fillStore } from './seed/fill.ts';
import { DEFAULT_ORIGIN } from './seed/read-seeds.ts';
import { openStore } from './store/open-store.ts';
import { type NewRecords, type ReadableRecords, StoreAway, StoreFull } from './store/store.ts';

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
  const { data, dataSync: sync } = options;
  const store = await openStore(data, { layout: semantics.relations.layout(), sync });
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
  store: NewRecords,
): Promise<Beginning> {
  const { checkLinks, lenient, origin = DEFAULT_ORIGIN, records: wanted, seed = 1 } = options;
  const links = withoutForwarded(options, contract);
  const now = secondOf(startOf(options, contract.catalogue.version));
  const given = {
    ...completeFixtures(options.fixtures),
    wanted,
    checkLinks,
    lenient,
    origin,
    seed,
    links,
    now,
  };
  const filled = await fillStore(given, contract, semantics, store);
  return { ...filled, isKept: false, warnings: checkLinks ? [] : filled.warnings };
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
