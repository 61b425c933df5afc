import type { Contract } from '../spec/contract.ts';
import { SHARED } from './control/address.ts';
import { START } from './control/sessions/sessions.ts';
import type { RecordSemantics } from './engine/unit-of-work.ts';
import { fillApart, isLarge } from './fill-apart.ts';
import type { ReadOptions } from './mock-options.ts';
import { asUsage, type Beginning, beginStore, openStartStore } from './start-records.ts';
import type { ReadableRecords } from './store/store.ts';

/**
 * Opens the store, and makes in it the snapshot that sessions start with, of fixtures and generated records, unless it
 * has it from before. Throws UsageError for a store that can't be used, FixtureMistakes with all that is wrong.
 */
export async function startStore(options: ReadOptions, contract: Contract, semantics: RecordSemantics) {
  const open = () => openStartStore(options, semantics);
  let store = await open();
  try {
    let made: Beginning | undefined;
    if (isLarge(options, contract) && !(await store.read(START))) {
      await store.close();
      made = await fillApart(options, contract);
      store = await open();
    } else made = await beginStore(store, options, contract, semantics);
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
