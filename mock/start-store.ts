import type { Contract } from '../spec/contract.ts';
import { SHARED } from './control/address.ts';
import { START } from './control/sessions/sessions.ts';
import type { RecordSemantics } from './engine/relations.ts';
import type { ReadOptions } from './mock-options.ts';
import { asUsage, type Beginning, beginStore, openStartStore } from './start-records.ts';
import type { ReadableRecords } from './store/store.ts';

/** Milliseconds between two reports. */
const PAUSE = 100;

/**
 * Opens the store, and makes in it the snapshot that sessions start with, of fixtures and generated records, unless it
 * has it from before. Throws UsageError for a store that can't be used, FixtureMistakes with all that is wrong.
 */
export async function startStore(options: ReadOptions, contract: Contract, semantics: RecordSemantics) {
  const store = await openStartStore(options, semantics);
  try {
    const made = await beginStore(store, options, contract, semantics, reportOf(options));
    return { store, beginning: made ?? (await describeKept(contract, await store.open(SHARED, START))) };
  } catch (error) {
    await store.close();
    throw asUsage(error);
  }
}

/** Returns a function that reports how far a fill is, from time to time. */
function reportOf({ onFill }: ReadOptions): (records: number, total: number) => void {
  let last = performance.now();
  return (records, total) => {
    const now = performance.now();
    if (now - last < PAUSE) return;
    last = now;
    onFill?.({ records, total });
  };
}

/** Describes the records that a store has from before. */
export async function describeKept({ catalogue }: Contract, records: ReadableRecords): Promise<Beginning> {
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
