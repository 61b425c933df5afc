import { generateRecords } from '../mock/generated/generated.ts';
import type { Field } from '../spec/catalogue/field.ts';
import { loadContract } from '../spec/contract.ts';
import type { FixtureRecord } from './accounts.ts';
import { demo } from './demo.ts';

const contract = loadContract();
const origin = 'http://127.0.0.1:4010';

/** 300 records of each model, and what tests ask of them. */
export async function makeRecords() {
  const made = await generateRecords(300, contract, { seed: 42, existing: demo, origin });
  const models = [...contract.catalogue.models.values()];
  const recordsOf = (model: string): readonly FixtureRecord[] => made.get(model) ?? [];
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
