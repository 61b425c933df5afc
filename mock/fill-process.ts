/** The process that fills a store with many records, and ends then, so that its memory does not stay with the mock. */
import { type Catalogue, loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { readSemantics } from './engine/unit-of-work.ts';
import type { FillError, FillReport, FillTask } from './fill-apart.ts';
import { FixtureMistakes } from './seed/read-seeds.ts';
import { asUsage, beginStore, openStartStore } from './start-records.ts';

/** Milliseconds between two reports of the progress. */
const PAUSE = 100;

process.once('message', async (task) => {
  const report = await fill(task as FillTask).catch(
    (error): FillReport => ({ error: describe(asUsage(error) as Error) }),
  );
  // The process ends once nothing keeps it.
  process.send?.(report, () => process.connected && process.disconnect());
});

async function fill({ contract: given, options }: FillTask): Promise<FillReport> {
  const { profile, references } = given;
  const contract = { profile, references, catalogue: catalogueOf(given) };
  const semantics = readSemantics(contract);
  const store = await openStartStore(options, semantics);
  let last = performance.now();
  try {
    const beginning = await beginStore(store, options, contract, semantics, (records, total) => {
      // The transaction fails, and nothing is stored.
      if (!process.connected) throw new Error('The mock ended.');
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

/** Returns the catalogue of the mock. The mock generates other records for copies of the kit's models. */
function catalogueOf({ catalogue, kitModels }: FillTask['contract']): Catalogue {
  const kit = loadCatalogue();
  if (!catalogue) return kit;
  const own = kitModels.flatMap((name) => kit.models.get(name) ?? []);
  return {
    ...catalogue,
    models: new Map([...catalogue.models, ...own.map((model) => [model.name, model] as const)]),
  };
}

function describe(error: Error): FillError {
  const { message, name, stack = '' } = error;
  return { message, name, stack, ...(error instanceof FixtureMistakes && { mistakes: error.mistakes }) };
}
