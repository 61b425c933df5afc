import type { Contract } from '../spec/contract.ts';
import { UsageError, unexpected } from '../spec/files/usage-error.ts';
import { SHARED } from './control/address.ts';
import { START } from './control/sessions/sessions.ts';
import { createStateAccess, type StatePart } from './control/sessions/state.ts';
import { readSemantics } from './engine/relations.ts';
import type { MockOptions } from './mock-options.ts';
import { asUsage, type Beginning, beginStore, storeStartRecords } from './start-records.ts';
import { describeKept } from './start-store.ts';
import { openStore } from './store/open-store.ts';
import { showPlace } from './store/place.ts';
import type { Store } from './store/store.ts';

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
  await using(place, contract, true, async (store) => {
    const known = await store.sessions();
    if (!known.includes(session))
      throw new UsageError(unexpected('session', session, known, `in ${showPlace(place)}`));
    const records = await store.open(session, START);
    await use(createStateAccess(contract, semantics).readParts({ records }, models));
  });
}

/**
 * Puts fixtures in the place of the records of a store, and of those that its sessions begin with. Throws UsageError,
 * also for records in the store where they are not to be replaced; FixtureMistakes with all that is wrong.
 */
export async function writeStoredState(
  place: string,
  contract: Contract,
  options: Pick<MockOptions, 'checkLinks' | 'fixtures' | 'lenient'> & {
    readonly replace?: boolean | undefined;
  },
): Promise<Beginning> {
  const semantics = readSemantics(contract);
  return using(place, contract, false, async (store) => {
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
    const loaded = await session.transaction(async (records) => {
      for (const name of contract.catalogue.models.keys()) await records.clear(name);
      return storeStartRecords(options, contract, semantics, records);
    });
    await store.save(SHARED, START);
    return loaded;
  });
}

async function using<Result>(
  place: string,
  contract: Contract,
  mustExist: boolean,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const layout = readSemantics(contract).relations.layout();
  const store = await openStore(place, { layout, mustExist });
  try {
    return await work(store);
  } catch (error) {
    throw asUsage(error);
  } finally {
    await store.close();
  }
}
