import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { References } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';

export type FixtureRecord = Readonly<Record<string, unknown>>;

export type Fixtures = ReadonlyMap<string, readonly FixtureRecord[]>;

/** A fixture as read: canonical values as the profile shows them. */
export type Seed = {
  readonly model: Model;
  readonly given: Record<string, Value>;
  readonly id: number;
  /** How messages call it, or a field of it: `club.yaml:4: warehouse 7`. Looking for the line takes time. */
  at(field?: string): string;
};

/** Returns the IDs of records: the given ones, and the next free ones for records without. */
export function numberRecords(
  records: readonly FixtureRecord[],
  made: ReadonlySet<FixtureRecord> = new Set(),
): ReadonlyMap<FixtureRecord, unknown> {
  const own = records.filter((record) => !made.has(record));
  const given = own.map(({ id }) => id).filter((id) => Number.isSafeInteger(id));
  let last = given.reduce((most: number, id) => Math.max(most, Number(id)), 0);
  return new Map(
    records.map((record) => {
      if (record.id !== undefined) return [record, record.id];
      last += 1;
      return [record, last];
    }),
  );
}

/** The links of records that lead to no record, or to a deleted one, a line each. */
export function findDangling(seeds: readonly Seed[], references: References): string[] {
  const live = new Map<string, Set<unknown>>();
  for (const { given, id, model } of seeds) {
    const ids = live.get(model.name) ?? new Set();
    if (!isDeleted(model, given)) ids.add(id);
    live.set(model.name, ids);
  }
  return seeds.flatMap(({ at, given, model }) =>
    isDeleted(model, given)
      ? []
      : model.fields.flatMap((field) => {
          const reference = references.get(field.key);
          if (reference === undefined || 'outside' in reference) return [];
          const { to } = reference;
          return [given[field.name] ?? []]
            .flat()
            .filter((id) => !live.get(to)?.has(id))
            .map(
              (id) =>
                `${at(field.name)}: ${field.name} must be the ID of ${withArticle(to)} record, but there is no ${to} ${id}.`,
            );
        }),
  );
}
