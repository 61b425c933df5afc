import type { Contract } from '../spec/contract.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { type References, withoutModels } from '../spec/references.ts';
import { START } from './control/sessions/sessions.ts';
import { secondOf } from './engine/computed.ts';
import type { RecordSemantics } from './engine/relations.ts';
import { completeFixtures, type ReadOptions, startOf } from './mock-options.ts';
import { type FillOptions, fillStore } from './seed/fill.ts';
import { DEFAULT_ORIGIN } from './seed/read-values.ts';
import { openStore } from './store/open-store.ts';
import { type NewRecords, type Store, StoreAway, StoreFull } from './store/store.ts';

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

/** Opens the store of the options. */
export function openStartStore(options: ReadOptions, { relations }: RecordSemantics) {
  const { data, dataSync: sync, maxMemory } = options;
  return openStore(data, { layout: relations.layout(), sync, maxMemory });
}

/** Fills a new store. Returns undefined if it has records from before. */
export async function beginStore(
  store: Store,
  options: ReadOptions,
  contract: Contract,
  semantics: RecordSemantics,
  onRecord?: FillOptions['onRecord'],
): Promise<Beginning | undefined> {
  if (await store.read(START)) return undefined;
  // Before the transaction, because the process can't respond to the database while it parses a file.
  const fixtures = completeFixtures(options.fixtures);
  let made: Beginning | undefined;
  await store.begin(START, async (records) => {
    made = await storeRecords(fixtures, options, contract, semantics, { records, onRecord });
  });
  return made;
}

/** Returns the error of a store for who starts it. */
export function asUsage(error: unknown): unknown {
  return error instanceof StoreFull || error instanceof StoreAway ? new UsageError(error.message) : error;
}

/** Stores fixtures and generated records. Throws FixtureMistakes with all that is wrong. */
export async function storeStartRecords(
  options: ReadOptions,
  contract: Contract,
  semantics: RecordSemantics,
  records: NewRecords,
): Promise<Beginning> {
  return storeRecords(completeFixtures(options.fixtures), options, contract, semantics, { records });
}

async function storeRecords(
  fixtures: ReturnType<typeof completeFixtures>,
  options: ReadOptions,
  contract: Contract,
  semantics: RecordSemantics,
  { onRecord, records }: { readonly records: NewRecords } & Pick<FillOptions, 'onRecord'>,
): Promise<Beginning> {
  const { checkLinks, lenient, origin = DEFAULT_ORIGIN, records: wanted, seed = 1 } = options;
  const links = withoutForwarded(options, contract);
  const now = secondOf(startOf(options, contract.catalogue.version));
  const given = {
    ...fixtures,
    wanted,
    checkLinks,
    lenient,
    origin,
    seed,
    links,
    now,
    onRecord,
  };
  const filled = await fillStore(given, contract, semantics, records);
  return { ...filled, isKept: false, warnings: checkLinks ? [] : filled.warnings };
}

/** Returns the links without those to forwarded models, whose records the mock does not have. */
function withoutForwarded({ forward }: ReadOptions, { catalogue, references }: Contract): References {
  return forward ? withoutModels(references, new Set(forward.models ?? catalogue.models.keys())) : references;
}
