import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import { onceFor } from '../../spec/once-for.ts';
import { linkedModel, type References } from '../../spec/references.ts';
import type { Seed } from './seed-record.ts';

/** A link that leads to no record so far. */
type Suspect = {
  readonly seed: Pick<Seed, 'at' | 'id' | 'model'>;
  readonly field: string;
  readonly to: string;
  readonly id: unknown;
};

/** Finds the links of records that lead to no record, or to a deleted one. */
export function createLinkCheck(references: References, isLive: (model: string, id: unknown) => boolean) {
  const suspects: Suspect[] = [];
  const linksOf = onceFor((model: Model) =>
    model.fields.flatMap((field) => {
      const to = linkedModel(references, field);
      return to === undefined ? [] : [{ name: field.name, to }];
    }),
  );
  return {
    /** Looks at the links of a record. They can lead to later ones. */
    look: ({ at, given, id, model }: Seed): void => {
      const links = linksOf(model);
      if (links.length === 0 || isDeleted(model, given)) return;
      for (const { name, to } of links) {
        const value = given[name] ?? null;
        if (value === null) continue;
        for (const one of Array.isArray(value) ? value : [value])
          if (!isLive(to, one)) suspects.push({ seed: { at, id, model }, field: name, to, id: one });
      }
    },
    /** Returns a line for each link, in the order of some models. Call it once all records were looked at. */
    describe: (models: readonly string[]): string[] => {
      const ranks = new Map(models.map((name, rank) => [name, rank]));
      const rankOf = ({ seed }: Suspect) => ranks.get(seed.model.name) ?? 0;
      return suspects
        .filter(({ id, to }) => !isLive(to, id))
        .sort((one, other) => rankOf(one) - rankOf(other) || one.seed.id - other.seed.id)
        .map(
          ({ field, id, seed, to }) =>
            `${seed.at(field)}: ${field} must be the ID of ${withArticle(to)} record, but there is no ${to} ${id}.`,
        );
    },
  };
}

/** Returns a line for each link of records that leads to no record, or to a deleted one. */
export function findDangling(seeds: readonly Seed[], references: References): string[] {
  const live = new Map(
    [...Map.groupBy(seeds, ({ model }) => model.name)].map(([name, all]) => [
      name,
      new Set<unknown>(all.flatMap(({ given, id, model }) => (isDeleted(model, given) ? [] : id))),
    ]),
  );
  const check = createLinkCheck(references, (name, id) => live.get(name)?.has(id) === true);
  for (const seed of seeds) check.look(seed);
  return check.describe([...live.keys()]);
}
