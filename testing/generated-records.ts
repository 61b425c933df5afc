import type { Fixtures } from '../fixtures/fixtures.ts';
import { prepareGeneration } from '../mock/generated/generated.ts';

/** Generates all records at once, by model. */
export function generateRecords(...given: Parameters<typeof prepareGeneration>): Fixtures {
  const all = [...prepareGeneration(...given).units()].flat();
  const byModel = Map.groupBy(all, ({ model }) => model.name);
  return new Map([...byModel].map(([name, made]) => [name, made.map(({ record }) => record)]));
}
