import { existsSync } from 'node:fs';
import type { Contract } from '../spec/contract.ts';
import { UsageError, unexpected } from '../spec/files/usage-error.ts';
import { withoutModels } from '../spec/references.ts';
import { START } from './control/sessions/sessions.ts';
import { createStateAccess, type StatePart } from './control/sessions/state.ts';
import { secondOf } from './engine/computed.ts';
import { type RecordSemantics, readSemantics } from './engine/relations.ts';
import { SHARED } from './http/http.ts';
import { completeFixtures, type MockOptions, type ReadOptions } from './mock-options.ts';
import { type FillOptions, fillStore } from './seed/fill.ts';
import { DEFAULT_ORIGIN } from './seed/read-seeds.ts';
import { createMemoryStore } from './store/memory.ts';
import {
  isPostgres,
  type Layout,
  type ReadableRecords,
  type Records,
  type Store,
  StoreAway,
  StoreFull,
  showPlace,
} from './store/store.ts';

/** The first records of a mock. */
export type Beginning = {
  readonly records: number;
  /** Whether the store had them from before; fixtures were not read then. */
  readonly isKept: boolean;
  /** The models whose lists had records. */
  readonly filled: readonly string[];
  /** One line for each doubtful record, for example with a link to a missing one. */
  readonly warnings: readonly string[];
};

/** Fills a new store. Returns undefined if it has records from before. */
async function beginStore(
  store: Store,
  options: ReadOptions,
  contract: Contract,
  semantics: RecordSemantics,
): Promise<Beginning | undefined> {
  if (await store.read(START)) return undefined;
  // Before the transaction, because the process can't respond to the database while it parses a file.
  const given = { ...options, ...completeFixtures(options.fixtures) };
  let made: Beginning | undefined;
  await store.begin(START, async (records) => {
    made = await storeRecords(given, contract, semantics, store, records);
  });
  return made;
}

/** Returns the error of a store for who starts it. */
function asUsage(error: unknown): unknown {
  return error instanceof StoreFull || error instanceof StoreAway ? new UsageError(error.message) : error;
}

/** Stores fixtures and generated records. Throws FixtureMistakes with all that is wrong. */
async function storeRecords(
  options: ReadOptions & Pick<FillOptions, 'fixtures' | 'mistakes'>,
  contract: Contract,
  semantics: RecordSemantics,
  { fork }: Store,
  records: Records,
): Promise<Beginning> {
  const { checkLinks, forward, origin = DEFAULT_ORIGIN, records: wanted, seed = 1 } = options;
  const { catalogue, references } = contract;
  // The mock does not have the records of forwarded models.
  const links = forward
    ? withoutModels(references, new Set(forward.models ?? catalogue.models.keys()))
    : references;
  // The time of creation of records without one: by default the version date, so that two starts give the same bytes.
  const start = options.now ?? options.clock?.() ?? new Date(Date.parse(catalogue.version) || 0);
  const now = secondOf(start);
  const given = { ...options, wanted, origin, seed, links, now, isInMemory: fork !== undefined };
  const filled = await fillStore(given, contract, semantics, records);
  return { ...filled, isKept: false, warnings: checkLinks ? [] : filled.warnings };
}

/** Opens the store: in memory, in a SQLite file, or in PostgreSQL. Throws UsageError. */
export async function openStore(
  place: string | undefined,
  options: Pick<ReadOptions, 'dataSync' | 'maxMemory'> & {
    readonly layout: Layout;
    /** Whether a file, or the tables in a database, have to be there already. */
    readonly mustExist?: boolean;
  },
): Promise<Store> {
  const { dataSync: sync, layout, maxMemory = Number.POSITIVE_INFINITY, mustExist } = options;
  if (place === undefined) return createMemoryStore(layout);
  if (isPostgres(place)) {
    if (sync !== undefined)
      throw new UsageError(
        'dataSync does not apply to PostgreSQL, which has its own setting. Remove dataSync.',
      );
    const { createPostgresStore } = await import('./store/postgres/postgres.ts');
    return createPostgresStore(place, layout, mustExist);
  }
  if (mustExist && !existsSync(place))
    throw new UsageError(`There is no data file ${place}. Create it with: record-model mock --data ${place}`);
  const { createSqliteStore } = await import('./store/sqlite/sqlite.ts');
  return createSqliteStore(place, layout, { sync, memory: maxMemory * 2 ** 20 });
}

/** Opens the store, and fills a new one. Throws UsageError or FixtureMistakes. */
export async function startStore(options: ReadOptions, contract: Contract, semantics: RecordSemantics) {
  const store = await openStore(options.data, { ...options, layout: semantics.relations.layout() });
  try {
    const made = await beginStore(store, options, contract, semantics);
    return { store, beginning: made ?? (await describeKept(contract, await store.open(SHARED, START))) };
  } catch (error) {
    await store.close();
    throw asUsage(error);
  }
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

/** Reads a store that no mock has open, as `GET /__mock/state` reads a session. Throws UsageError. */
export async function readStoredState(
  place: string,
  contract: Contract,
  options: {
    readonly session?: string | undefined;
    readonly models?: readonly string[] | undefined;
    readonly use: (parts: AsyncIterable<StatePart>) => Promise<void>;
  },
): Promise<void> {
  const { models, session = SHARED, use } = options;
  const semantics = readSemantics(contract);
  await using(place, semantics, true, async (store) => {
    const known = (await store.sessions()).map(({ name }) => name);
    if (!known.includes(session))
      throw new UsageError(unexpected('session', session, known, `in ${showPlace(place)}`));
    const records = await store.open(session, START);
    await use(createStateAccess(contract, semantics).readParts({ records }, models));
  });
}

/** Replaces the records of a store, and those that sessions begin with. Throws UsageError or FixtureMistakes. */
export async function writeStoredState(
  place: string,
  contract: Contract,
  options: Pick<MockOptions, 'checkLinks' | 'fixtures' | 'lenient'> & {
    readonly replace?: boolean | undefined;
  },
): Promise<Beginning> {
  const semantics = readSemantics(contract);
  return using(place, semantics, false, async (store) => {
    // A new store is filled like that of a mock, which takes less time and memory.
    const isNew = (await store.sessions()).length === 0;
    const begun = isNew ? await beginStore(store, options, contract, semantics) : undefined;
    const session = await store.open(SHARED, START);
    if (begun) return begun;
    const { records: found } = await describeKept(contract, session);
    if (found > 0 && !options.replace)
      throw new UsageError(
        `${showPlace(place)} already contains ${found} records. To replace them, pass --replace.`,
      );
    const given = { ...options, ...completeFixtures(options.fixtures) };
    const loaded = await session.transaction(async (records) => {
      for (const name of contract.catalogue.models.keys()) await records.clear(name);
      return storeRecords(given, contract, semantics, store, records);
    });
    await store.save(SHARED, START);
    return loaded;
  });
}

async function using<Result>(
  place: string,
  { relations }: RecordSemantics,
  mustExist: boolean,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(place, { layout: relations.layout(), mustExist });
  try {
    return await work(store);
  } catch (error) {
    throw asUsage(error);
  } finally {
    await store.close();
  }
}
