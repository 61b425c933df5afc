import { withArticle } from '../../spec/article.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { References } from '../../spec/references.ts';
import type { Seed } from './seed-record.ts';

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
