/** The process that fills a store with many records, and ends then, so that its memory does not stay with the mock. */
import { loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { readSemantics } from './engine/unit-of-work.ts';
import type { FillError, FillReport, FillTask } from './fill-apart.ts';
import { FixtureMistakes } from './seed/read-seeds.ts';
import { asUsage, beginStore, openStartStore } from './start-records.ts';

/** Milliseconds between two reports of the progress. */
const PAUSE = 100;

// Without the mock, the transaction ends with this process.
process.once('disconnect', () => process.exit());
process.once('message', async (task) => {
  const report = await fill(task as FillTask).catch(
    (error): FillReport => ({
      error: describe(asUsage(error) as Error),
    }),
  );
  process.send?.(report, () => process.exit());
});

async function fill({ contract: given, options }: FillTask): Promise<FillReport> {
  const contract = { ...given, catalogue: given.catalogue ?? loadCatalogue() };
  const semantics = readSemantics(contract);
  const store = await openStartStore(options, semantics);
  let last = performance.now();
  try {
    const beginning = await beginStore(store, options, contract, semantics, (records, total) => {
      const now = performance.now();
      if (now - last < PAUSE) return;
      last = now;
      process.send?.({ progress: { records, total } } satisfies FillReport);
    });
    return { beginning };
  } finally {
    await store.close();
  }
}

function describe(error: Error): FillError {
  const { message, name, stack = '' } = error;
  return { message, name, stack, ...(error instanceof FixtureMistakes && { mistakes: error.mistakes }) };
}
