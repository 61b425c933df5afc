import type { Fixtures } from '../fixtures/fixtures.ts';
import type { Field } from '../spec/catalogue/field.ts';

/** Returns one line for each error in the data. */
export type Check = (data: Fixtures) => string[];

/** A record of the fixtures. */
export type FixtureRecord = Readonly<Record<string, unknown>>;

export const recordsOf = (data: Fixtures, model: string): readonly FixtureRecord[] => data.get(model) ?? [];
export const where = (data: Fixtures, model: string, field: string, value: unknown) =>
  recordsOf(data, model).filter((record) => record[field] === value);
export const find = (data: Fixtures, model: string, id: unknown): FixtureRecord =>
  where(data, model, 'id', id)[0] ?? {};
/** The records of a model that are not deleted. */
export const live = (data: Fixtures, model: string) =>
  recordsOf(data, model).filter((record) => record.deleted !== true);
/** All that live records have in a field; members, where it is a list. */
export const valuesOf = (data: Fixtures, field: Field) =>
  live(data, field.key.split('.')[0] ?? '').flatMap((record) => record[field.name] ?? []);
export const number = (record: FixtureRecord, field: string) =>
  typeof record[field] === 'number' ? record[field] : Number.NaN;
/** Half up; what binary floats lose is far below a millionth of a cent here. */
export const cents = (amount: number) => Math.round(amount * 100 + 1e-6) / 100;
export const sum = (list: readonly FixtureRecord[], field: string) =>
  cents(list.reduce((total, record) => total + number(record, field), 0));

/** Compares fields of each record of a model with the values that follow from other records. */
export function compare(
  data: Fixtures,
  model: string,
  expected: (record: FixtureRecord) => FixtureRecord,
): string[] {
  return recordsOf(data, model).flatMap((record) =>
    Object.entries(expected(record)).flatMap(([field, value]) =>
      Object.is(record[field], value) || JSON.stringify(record[field]) === JSON.stringify(value)
        ? []
        : [
            `${model} ${record.id}: ${field} is ${JSON.stringify(record[field])}; expected ${JSON.stringify(value)}`,
          ],
    ),
  );
}

/** A copy of the fixtures with one record changed: fields set, or taken away where the patch says undefined. */
export function changed(
  fixtures: Fixtures,
  model: string,
  id: number,
  patch: Readonly<Record<string, unknown>>,
): Fixtures {
  const records = fixtures.get(model)?.map((record) => {
    if (record.id !== id) return record;
    const patched = { ...record, ...patch };
    return Object.fromEntries(Object.entries(patched).filter(([, value]) => value !== undefined));
  });
  return new Map(fixtures).set(model, records ?? []);
}
