import { prepareGeneration, type Wanted } from '../mock/generated/generated.ts';
import type { Field } from '../spec/catalogue/field.ts';
import { loadContract } from '../spec/contract.ts';
import type { FixtureRecord } from './accounts.ts';
import { demo } from './demo.ts';

const contract = loadContract();
const origin = 'http://127.0.0.1:4010';

/** Generates records for a file or a database. Returns them by model, and the models of those that were released. */
export async function generateForData(
  wanted: Wanted,
  options: { readonly seed: number; readonly mostKept?: number },
) {
  const generation = await prepareGeneration(wanted, contract, {
    ...options,
    existing: demo,
    origin,
    releases: true,
  });
  const made = new Map<string, FixtureRecord[]>();
  const released = new Set<string>();
  let rounds = 0;
  const take = (name: string, records: readonly FixtureRecord[]) => {
    const known = made.get(name) ?? [];
    made.set(name, known);
    known.push(...records);
  };
  for (const round of generation.rounds()) {
    rounds += 1;
    for (const unit of round.run())
      for (const { model, record } of unit) {
        take(model.name, [{ ...record }]);
        released.add(model.name);
      }
    for (const [name, kept] of round.kept()) take(name, kept);
  }
  return { made, released, rounds };
}

/** 300 records of each model, generated in one round or in several, and what tests ask of them. */
export async function makeRecords(mostKept?: number) {
  const { made, rounds } = await generateForData(300, { seed: 42, ...(mostKept && { mostKept }) });
  const models = [...contract.catalogue.models.values()];
  const recordsOf = (model: string): readonly FixtureRecord[] => made.get(model) ?? [];
  return {
    contract,
    rounds,
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
