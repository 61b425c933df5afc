import type { Fixtures } from '../fixtures/fixtures.ts';
import type { Field } from '../spec/catalogue/field.ts';

/** Returns one line for each error in the data. */
export type Check = (data: Fixtures) => string[];

/** A record of the fixtures. */
export type FixtureRecord = Readonly<Record<string, unknown>>;

const recordsOf = (data: Fixtures, model: string): readonly FixtureRecord[] => data.get(model) ?? [];
/** The records of a model that are not deleted. */
export const live = (data: Fixtures, model: string) =>
  recordsOf(data, model).filter((record) => record.deleted !== true);
/** All that live records have in a field; members, where it is a list. */
export const valuesOf = (data: Fixtures, field: Field) =>
  live(data, field.key.split('.')[0] ?? '').flatMap((record) => record[field.name] ?? []);
