import { prepareGeneration } from '../mock/generated/generated.ts';
import type { Fixtures } from '../mock/seed/seed.ts';

/** Generates all records at once, by model. */
export function generateRecords(...given: Parameters<typeof prepareGeneration>): Fixtures {
  const all = [...prepareGeneration(...given).units()].flat();
  const byModel = Map.groupBy(all, ({ model }) => model.name);
  return new Map([...byModel].map(([name, made]) => [name, made.map(({ record }) => record)]));
}
