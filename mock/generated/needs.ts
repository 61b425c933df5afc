import { isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import type { LineRelations } from '../engine/links.ts';
import { LOOKS_BACK, NEEDS, OWN_TARGETS, SET_LATER } from './agree.ts';
import type { Existing } from './pool.ts';

/** In memory, more would take minutes, and gigabytes. */
const MOST_IN_MEMORY = 200_000;

/** In a file or a database, more would take an hour. */
const MOST_IN_DATA = 5_000_000;

/** The most records of a model that the user did not name, but others need. */
const FEW = 20;

/** The number of records per model. A plain number is for each model. */
export type Wanted = number | Readonly<Record<string, number>>;

/** The model of a name. Throws UsageError where there is none. */
export function wantedModel({ catalogue }: Contract, name: string): Model {
  const model = catalogue.models.get(name);
  if (model) return model;
  throw new UsageError(unexpected('model', name, [...catalogue.models.keys()], 'in --records'));
}

/** Reads how many records to generate, and which of them need others. */
export function readNeeds(
  wanted: Wanted,
  contract: Contract,
  options: {
    readonly there: Existing;
    readonly relations: LineRelations;
    /** Whether a file or a database keeps the records. */
    readonly isInData: boolean;
  },
) {
  const { isInData, relations, there } = options;
  const counts = countRecords();
  return {
    counts,
    parentOf,
    targetsOf,
    unitOf,
    /** Returns the models whose records no record of another model needs. */
    released: findReleased,
  };

  function findReleased(): ReadonlySet<string> {
    const needed = new Set(LOOKS_BACK);
    for (const name of counts.keys()) {
      const model = wantedModel(contract, name);
      const own = unitOf(model).map((one) => one.name);
      for (const to of unitOf(model).flatMap((one) => [
        ...linksOf(one, contract).map((link) => link.to),
        ...needsOf(one),
      ]))
        if (!own.includes(to)) for (const one of [to, parentOf(to)]) needed.add(one);
      // A line that is not made with its parent finds it in the store.
      if (relations.ofLine(model).length > 0) needed.add(name);
    }
    return new Set(
      [...counts.keys()].filter(
        (name) => !unitOf(wantedModel(contract, name)).some((one) => needed.has(one.name)),
      ),
    );
  }

  /** Returns a model and those of the lines that are made with its records. */
  function unitOf(model: Model): Model[] {
    const lines = relations
      .ofParent(model)
      .flatMap(({ line, link }) => (link === undefined || counts.has(line.name) ? [] : [line]));
    return [model, ...lines.flatMap(unitOf)];
  }

  /**
   * Returns the models whose records come before those of a model: those that it and its lines refer to, and those
   * that it needs. Lines come with their parents.
   */
  function targetsOf(model: Model): Set<string> {
    const lines = relations.ofParent(model).flatMap(({ line }) => (counts.has(line.name) ? [] : [line]));
    const linked = [model, ...lines].flatMap((one) => linksOf(one, contract).map(({ to }) => to));
    const parents = [...linked, ...needsOf(model)].map((to) => (counts.has(to) ? to : parentOf(to)));
    return new Set(parents.filter((to) => to !== model.name));
  }

  /** Returns the model that a model's records come with: its parent where it is a model of lines, or else itself. */
  function parentOf(name: string): string {
    const model = contract.catalogue.models.get(name);
    return (model && relations.ofLine(model)[0]?.parent.name) ?? name;
  }

  /** Counts the records to generate: those that the user wants, and missing ones that they need. */
  function countRecords(): ReadonlyMap<string, number> {
    const asked =
      typeof wanted === 'number'
        ? [...contract.catalogue.models.values()]
            // Lines are made with their parents.
            .filter((model) => relations.ofLine(model).length === 0)
            .map(({ name }) => [name, wanted] as const)
        : Object.entries(wanted);
    const all = new Map<string, number>(asked.filter(([name]) => wantedModel(contract, name)));
    refuseTooMany(wanted, [...all], isInData);
    for (const [name, count] of all)
      for (const { field, to } of linksOf(wantedModel(contract, name), contract)) {
        const isOwn = OWN_TARGETS.includes(field.key);
        const isThere = there.liveIds(to).length > 0 && !isOwn;
        const source = all.has(to) ? to : parentOf(to);
        if ((field.required || isOwn) && count > 0 && !all.has(source) && source !== name && !isThere)
          all.set(source, Math.min(FEW, count));
      }
    return all;
  }
}

/** The links of a model into others that are described. */
function linksOf(model: Model, { references }: Contract): { readonly field: Field; readonly to: string }[] {
  return model.fields.flatMap((field) => {
    const reference = references.get(field.key);
    if (reference === undefined || 'outside' in reference || SET_LATER.includes(field.key)) return [];
    return reference.to === model.name ? [] : [{ field, to: reference.to }];
  });
}

function needsOf(model: Model): readonly string[] {
  return isOfKit(model) ? (NEEDS[model.name] ?? []) : [];
}

function refuseTooMany(
  wanted: Wanted,
  asked: readonly (readonly [name: string, count: number])[],
  isInData: boolean,
): void {
  const sum = asked.reduce((total, [, count]) => total + count, 0);
  const most = isInData ? MOST_IN_DATA : MOST_IN_MEMORY;
  if (sum <= most) return;
  const limit = isInData ? `the limit is ${most}` : `without --data, the limit is ${most}`;
  const means =
    typeof wanted === 'number'
      ? `--records ${wanted} means ${wanted} records of each of ${asked.length} models, which are ${sum} in total, but ${limit}. Name the models that need so many, such as --records ${asked.some(([name]) => name === 'customer') ? 'customer' : asked[0]?.[0]}=${Math.min(wanted, most)}`
      : `--records needs ${sum} records, but ${limit}. Ask for fewer`;
  throw new UsageError(
    `${means}${isInData || sum > MOST_IN_DATA ? '' : `, or keep up to ${MOST_IN_DATA} records in a file or a database with --data`}.`,
  );
}
