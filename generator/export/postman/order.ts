import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../../spec/contract.ts';

/**
 * The order in which records of models are made, each after what it refers to, and that in which they are deleted, the
 * other way round. References that lead in a circle are followed as far as they don't.
 */
export function orderOf(
  models: readonly Model[],
  { catalogue, profile, references }: Contract,
): { readonly made: readonly Model[]; readonly deleted: readonly Model[] } {
  const named = new Map(models.map((model) => [model.name, model]));
  const linesAreIds = profile['types.lines'] === 'ids';
  const made = sort((model) => [
    ...(linesAreIds ? linesIn(model) : linesIn(model).flatMap((name) => referredByLine(name, model))),
    // A line that is named by its parent can't name it too.
    ...referredBy(model).filter((name) => !(linesAreIds && holds(name, model.name))),
  ]);
  // A record takes its lines with it, whichever was made first.
  const parentsFirst = sort((model) => [...parentsOf(model), ...referredBy(model)]);
  return { made, deleted: parentsFirst.toReversed() };

  function sort(before: (model: Model) => readonly string[]): Model[] {
    const placed = new Set<Model>();
    const begun = new Set<Model>();
    const place = (model: Model | undefined) => {
      if (!model || begun.has(model)) return;
      begun.add(model);
      for (const name of before(model)) place(named.get(name));
      placed.add(model);
    };
    for (const model of models) place(model);
    return [...placed];
  }

  function referredBy({ fields }: Model): string[] {
    return fields.flatMap(({ key }) => {
      const reference = references.get(key);
      return reference && 'to' in reference ? [reference.to] : [];
    });
  }

  function linesIn({ fields }: Model): string[] {
    return fields.flatMap(({ lines }) => lines ?? []);
  }

  function referredByLine(line: string, parent: Model): string[] {
    const model = catalogue.models.get(line);
    return model ? referredBy(model).filter((name) => name !== parent.name) : [];
  }

  function holds(parent: string, line: string): boolean {
    return catalogue.models.get(parent)?.fields.some(({ lines }) => lines === line) ?? false;
  }

  function parentsOf({ name }: Model): string[] {
    return models.filter((model) => holds(model.name, name)).map((model) => model.name);
  }
}
