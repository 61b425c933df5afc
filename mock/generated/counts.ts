import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import type { LineRelations } from '../engine/line-relations.ts';
import { OWN_TARGETS } from './agree.ts';
import type { Existing } from './existing.ts';

/** How many records of which model; a number alone is for every model. */
export type Wanted = number | Readonly<Record<string, number>>;

/** More would take minutes, and gigabytes. */
export const MOST_GENERATED = 200_000;
/** As many as what is needed and not asked for has at most. */
const FEW = 20;

/** The model of a name. Throws UsageError where there is none. */
export function wantedModel({ catalogue }: Contract, name: string): Model {
  const model = catalogue.models.get(name);
  if (model) return model;
  throw new UsageError(unexpected('model', name, [...catalogue.models.keys()], 'in --records'));
}

/** The links of a model into others that are described. */
export function linksOf(
  model: Model,
  { references }: Contract,
): { readonly field: Field; readonly to: string }[] {
  return model.fields.flatMap((field) => {
    const reference = references.get(field.key);
    if (reference === undefined || 'outside' in reference) return [];
    // A line is made with its parent where nobody asks for it.
    return reference.to === model.name ? [] : [{ field, to: reference.to }];
  });
}

/** How many of each are made: what is wanted, and what that needs where there is none of it. */
export function countRecords(
  wanted: Wanted,
  contract: Contract,
  there: Existing,
  relations: LineRelations,
): ReadonlyMap<string, number> {
  const asked =
    typeof wanted === 'number'
      ? [...contract.catalogue.models.values()]
          // Lines are made with their parents.
          .filter((model) => relations.ofLine(model).length === 0)
          .map(({ name }) => [name, wanted] as const)
      : Object.entries(wanted);
  const all = new Map<string, number>(asked.filter(([name]) => wantedModel(contract, name)));
  const sum = [...all.values()].reduce((total, count) => total + count, 0);
  if (sum > MOST_GENERATED)
    throw new UsageError(
      `--records needs ${sum} records, and the limit is ${MOST_GENERATED}. Ask for fewer.`,
    );
  for (const [name, count] of all)
    for (const { field, to } of linksOf(wantedModel(contract, name), contract)) {
      const isOwn = OWN_TARGETS.includes(field.key);
      const isThere = there.liveIds(to).length > 0 && !isOwn;
      if ((field.required || isOwn) && count > 0 && !all.has(to) && !isThere)
        all.set(to, Math.min(FEW, count));
    }
  return all;
}
