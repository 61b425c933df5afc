import { isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import type { References } from '../../spec/references.ts';
import type { LineRelations } from '../engine/links.ts';
import { LOOKS_BACK, NEEDS, OWN_TARGETS, SET_LATER, STATEFUL_TARGETS } from './agree.ts';
import type { Existing } from './pool.ts';

/**
 * The most records that are generated in memory: more need minutes and gigabytes. Also about how many records that others
 * need are kept until the end of a round.
 */
const MOST_IN_MEMORY = 200_000;

/** The most records of a round, because each leaves something in memory, such as its links. */
const MOST_IN_ROUND = 5_000_000;

/** The most records that are generated in a file or a database. A larger number is probably a typing error. */
const MOST_IN_DATA = 100_000_000;

/** In a round, the most records of a model that only others need, and the fewest of one that the user named. */
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
    /** About how many records that others need are kept in memory; a number for tests. */
    readonly mostKept?: number | undefined;
  },
) {
  const { isInData, mostKept = MOST_IN_MEMORY, relations, there } = options;
  const asked = readAsked();
  refuseTooMany(wanted, [...asked], isInData);
  const counts = new Map(asked);
  addMissing();
  const released = findReleased();
  const rounds = isInData ? countRounds() : 1;
  for (const [name, count] of counts) if (!asked.has(name)) counts.set(name, count * rounds);
  return {
    /** The number of records per model, without lines, which come with their parents. */
    counts: counts as ReadonlyMap<string, number>,
    /** In how many rounds they are generated. */
    rounds,
    parentOf,
    targetsOf,
    unitOf,
    /** The models whose records no record of another model needs. */
    released,
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

  /** Returns the number of records that the user wants, by model. */
  function readAsked(): ReadonlyMap<string, number> {
    const all =
      typeof wanted === 'number'
        ? [...contract.catalogue.models.values()]
            // Lines are made with their parents.
            .filter((model) => relations.ofLine(model).length === 0)
            .map(({ name }) => [name, wanted] as const)
        : Object.entries(wanted);
    return new Map(all.filter(([name]) => wantedModel(contract, name)));
  }

  /** Adds missing records that others need. */
  function addMissing(): void {
    for (const [name, count] of counts)
      for (const { isOwn, source, to } of requiredBy(name)) {
        const isThere = there.liveIds(to).length > 0 && !isOwn;
        if (count > 0 && !counts.has(source) && source !== name && !isThere)
          counts.set(source, Math.min(FEW, count));
      }
  }

  /** Returns the models that each record of a model refers to, and those that their records come with. */
  function requiredBy(name: string) {
    return linksOf(wantedModel(contract, name), contract).flatMap(({ field, to }) => {
      const isOwn = OWN_TARGETS.includes(field.key);
      const source = counts.has(to) ? to : parentOf(to);
      return field.required || isOwn ? [{ isOwn, key: field.key, source, to }] : [];
    });
  }

  /** Returns the number of rounds that limits the memory, if each can have enough records of each model. */
  function countRounds(): number {
    const made = [...counts].filter(([, count]) => count > 0);
    const total = sumOf(made);
    const kept = sumOf(made.filter(([name]) => !released.has(name)));
    const least = Math.ceil(total / (MOST_IN_ROUND - FEW));
    const [name, fewest] = leastOf([...made.filter(([one]) => asked.has(one)), ...made.flatMap(notShared)]);
    const most = Math.max(1, Math.floor(fewest / FEW));
    if (most < least) refuseTooFew(total, name, least * FEW);
    return Math.min(most, Math.max(least, Math.ceil(kept / mostKept)));
  }

  /** Returns the models without generated records that records of two rounds must not share. */
  function notShared([name]: Count): Count[] {
    const model = wantedModel(contract, name);
    const links = requiredBy(name);
    const missing = links.filter(({ source }) => !isMade(source));
    const isPair = missing.length === links.length && pairOf(model, contract.references).length > 0;
    const own = missing.filter(({ key }) => isPair || STATEFUL_TARGETS.includes(key)).map(({ to }) => to);
    const parents = relations.ofLine(model).map(({ parent }) => parent.name);
    return [...own, ...parents.filter((parent) => !isMade(parent))].map((to) => [to, 0]);
  }

  function isMade(name: string): boolean {
    return (counts.get(name) ?? 0) > 0;
  }
}

type Count = readonly [name: string, count: number];

function sumOf(counts: readonly Count[]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

function leastOf(counts: readonly Count[]): Count {
  return counts.reduce((least, one) => (one[1] < least[1] ? one : least), ['', Number.POSITIVE_INFINITY]);
}

/** The links of a model into others that are described. */
function linksOf(model: Model, { references }: Contract): { readonly field: Field; readonly to: string }[] {
  return model.fields.flatMap((field) => {
    const reference = references.get(field.key);
    if (reference === undefined || 'outside' in reference || SET_LATER.includes(field.key)) return [];
    return reference.to === model.name ? [] : [{ field, to: reference.to }];
  });
}

/** Returns the links of a record that only links others; none for other records. */
export function pairOf(model: Model, references: References) {
  const required = model.fields.filter(({ common, required }) => required && !common);
  const links = required.flatMap((field) => {
    const reference = field.type === 'int' ? references.get(field.key) : undefined;
    return reference
      ? [{ field, name: field.name, to: 'to' in reference ? reference.to : reference.outside }]
      : [];
  });
  return links.length > 1 && links.length === required.length ? links : [];
}

function needsOf(model: Model): readonly string[] {
  return isOfKit(model) ? (NEEDS[model.name] ?? []) : [];
}

function refuseTooMany(wanted: Wanted, asked: readonly Count[], isInData: boolean): void {
  const sum = sumOf(asked);
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

function refuseTooFew(total: number, name: string, least: number): never {
  throw new UsageError(
    `--records needs ${total} records, but with fewer than ${least} generated ${name} records, the limit is ${MOST_IN_ROUND}. Pass ${name}=${least} or more, or ask for fewer records in total.`,
  );
}
