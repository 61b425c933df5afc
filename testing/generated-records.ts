import { prepareGeneration } from '../mock/generated/generated.ts';
import type { Fixtures } from '../mock/seed/seed.ts';
import type { Field } from '../spec/catalogue/field.ts';
import { loadContract } from '../spec/contract.ts';
import { demo } from './demo.ts';

/** Generates 300 records of each model. Returns them and functions that tests ask about them. */
export function makeRecords() {
  const contract = loadContract();
  const made = generateRecords(300, contract, { seed: 42, existing: demo, origin: 'http://127.0.0.1:4010' });
  const models = [...contract.catalogue.models.values()];
  const recordsOf = (model: string): readonly Readonly<Record<string, unknown>>[] => made.get(model) ?? [];
  return {
    contract,
    models,
    recordsOf,
    allRecords: models.flatMap((model) => recordsOf(model.name).map((record) => ({ model, record }))),
    fields: models.flatMap((model) => model.fields.filter(({ common }) => !common)),
    /** Returns the values of a field, of the records that have one. */
    valuesOf: ({ key, name }: Field) =>
      recordsOf(key.split('.')[0] ?? '').flatMap((record) =>
        record[name] === undefined ? [] : [record[name]],
      ),
  };
}

/** Generates all records at once, by model. */
export function generateRecords(...given: Parameters<typeof prepareGeneration>): Fixtures {
  const all = [...prepareGeneration(...given).units()].flat();
  const byModel = Map.groupBy(all, ({ model }) => model.name);
  return new Map([...byModel].map(([name, made]) => [name, made.map(({ record }) => record)]));
}
