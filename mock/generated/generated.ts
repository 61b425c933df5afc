import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { FORMULAS } from '../engine/formulas.ts';
import { findLineRelations } from '../engine/line-relations.ts';
import type { Fixtures } from '../seed/seed-record.ts';
import { agree, OWN_TARGETS } from './agree.ts';
import { readExisting } from './existing.ts';
import { type Draft, drawValue } from './values.ts';

/** How many records of which model; a number alone is for every model. */
export type Wanted = number | Readonly<Record<string, number>>;

export type GenerateOptions = {
  readonly seed: number;
  /** What is there already: it stays as it is, and may be linked to. */
  readonly existing: Fixtures;
  /** Where the images are, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
};

/** More would take minutes, and gigabytes. */
export const MOST_GENERATED = 200_000;
const DAY = 86_400_000;
/** As many as what is needed and not asked for has at most. */
const FEW = 20;

/**
 * Makes records in Spanish, in the form of fixtures, beside those that are there: linked, in agreement with each other,
 * each made after what it links to, all before the version of the catalogue. What is needed and lacking is made too.
 * The same seed gives the same records. Throws UsageError for an unknown model or too many records.
 */
export async function generateRecords(
  wanted: Wanted,
  { catalogue, references }: Contract,
  { existing, origin, seed }: GenerateOptions,
): Promise<Fixtures> {
  // Only here: it takes longer to load than all else of a start.
  const { faker } = await import('@faker-js/faker/locale/es');
  const relations = findLineRelations(catalogue, references);
  const there = readExisting(existing);
  const counts = completeCounts();
  const made = new Map<string, Draft[]>();
  const depths = new Map<string, number>();
  const seen = new Set<string>();
  const end = Date.parse(catalogue.version) || Date.UTC(2025, 9, 22);
  for (const name of counts.keys()) generate(modelOf(name));
  return new Map([...made].map(([name, drafts]) => [name, drafts.map(({ record }) => record)]));

  function modelOf(name: string): Model {
    const model = catalogue.models.get(name);
    if (model) return model;
    throw new UsageError(unexpected('--records: the model', name, [...catalogue.models.keys()]));
  }

  /** How many of each; with what they need where there is none of it. */
  function completeCounts(): ReadonlyMap<string, number> {
    const asked =
      typeof wanted === 'number'
        ? [...catalogue.models.values()]
            // Lines are made with their parents.
            .filter((model) => relations.ofLine(model).length === 0)
            .map(({ name }) => [name, wanted] as const)
        : Object.entries(wanted);
    const all = new Map<string, number>(asked.filter(([name]) => modelOf(name)));
    const sum = [...all.values()].reduce((total, count) => total + count, 0);
    if (sum > MOST_GENERATED)
      throw new UsageError(`--records asks for ${sum} records; expected at most ${MOST_GENERATED}`);
    for (const [name, count] of all)
      for (const { field, to } of linksOf(modelOf(name))) {
        const isOwn = OWN_TARGETS.includes(field.key);
        const isThere = there.liveIds(to).length > 0 && !isOwn;
        if ((field.required || isOwn) && count > 0 && !all.has(to) && !isThere)
          all.set(to, Math.min(FEW, count));
      }
    return all;
  }

  function linksOf(model: Model): { readonly field: Field; readonly to: string }[] {
    return model.fields.flatMap((field) => {
      const reference = references.get(field.key);
      if (reference === undefined || 'outside' in reference) return [];
      // A line is made with its parent where nobody asks for it.
      return reference.to === model.name ? [] : [{ field, to: reference.to }];
    });
  }

  /** What a model links to comes first, and begins a day earlier. */
  function generate(model: Model, path: readonly string[] = []): void {
    if (made.has(model.name) || path.includes(model.name)) return;
    const targets = linksOf(model).map(({ to }) => to);
    for (const to of targets) if (counts.has(to)) generate(modelOf(to), [...path, model.name]);
    const depth = 1 + Math.max(0, ...targets.map((to) => depths.get(to) ?? 0));
    depths.set(model.name, depth);
    const drafts: Draft[] = [];
    made.set(model.name, drafts);
    faker.seed([seed, ...Buffer.from(model.name)]);
    const first = end - (140 - depth) * DAY;
    const count = counts.get(model.name) ?? 0;
    const step = (end - DAY - first) / Math.max(1, count);
    for (let index = 0; index < count; index++)
      add(model, drafts, first + Math.floor((index + faker.number.float({ max: 0.5 })) * step));
  }

  function add(
    model: Model,
    drafts: Draft[],
    at: number,
    parent: Readonly<Record<string, unknown>> = {},
  ): void {
    const created = `${new Date(at).toISOString().slice(0, 19)}Z`;
    const id = nextId(model.name, drafts);
    const user = faker.number.int({ min: 1, max: 4 });
    const record: Record<string, unknown> = {
      id,
      created,
      createUser: user,
      updated: created,
      updateUser: user,
    };
    const draft: Draft = {
      record,
      model,
      created: Date.parse(created),
      faker,
      origin,
      find,
      neighbour,
      isMade: (name) => counts.has(name),
      once: (key) => seen.size < seen.add(key).size,
    };
    for (const field of model.fields) {
      if (field.common || field.lines !== undefined || isWorkedOut(field)) continue;
      const link = parent[field.name] ?? linkFor(field, draft);
      const value = link === undefined ? drawValue(field, draft, references) : link;
      if (value !== null && value !== undefined) record[field.name] = value;
    }
    agree(draft);
    drafts.push(draft);
    for (const { line, link } of relations.ofParent(model)) {
      if (link === undefined || counts.has(line.name)) continue;
      const lines = made.get(line.name) ?? [];
      made.set(line.name, lines);
      const count = faker.number.int({ min: 1, max: 4 });
      for (let index = 0; index < count; index++) add(line, lines, draft.created, { [link]: id });
    }
  }

  function nextId(name: string, drafts: readonly Draft[]): number {
    return 1 + Number(drafts.at(-1)?.record.id ?? there.lastId(name));
  }

  /** The id of a record that was there before this one; records made here go before others. */
  function linkFor(field: Field, draft: Draft): number | number[] | undefined | null {
    const reference = references.get(field.key);
    if (reference === undefined || 'outside' in reference) return undefined;
    if (!field.required && faker.number.float() < 0.3) return null;
    const own = made.get(reference.to) ?? [];
    const earlier = countUntil(own, draft.created);
    const ids = earlier > 0 ? undefined : there.liveIds(reference.to);
    const draw = (): number | undefined =>
      ids === undefined
        ? Number(own[faker.number.int({ max: earlier - 1 })]?.record.id)
        : ids[faker.number.int({ max: Math.max(0, ids.length - 1) })];
    if (field.type === 'manyToMany') {
      const several = [draw(), draw()].filter((id) => id !== undefined);
      return [...new Set(several)].toSorted((one, other) => one - other);
    }
    return draw() ?? (field.required ? 1 : null);
  }

  function find(model: string, id: unknown): Record<string, unknown> {
    const own = made.get(model) ?? [];
    const at = Number(id) - Number(own[0]?.record.id);
    return own[at]?.record ?? { ...there.find(model, Number(id)) };
  }

  function neighbour(model: string, id: number): number | undefined {
    if (id > Number(made.get(model)?.[0]?.record.id)) return id - 1;
    const ids = there.liveIds(model);
    return ids.findLast((other) => other < id) ?? ids.find((other) => other !== id);
  }
}

/** What the service works out from others is left to it. */
function isWorkedOut({ key, readonly }: Field): boolean {
  return readonly && Object.hasOwn(FORMULAS, key);
}

/** How many of records in the order of their time were made until a time. */
function countUntil(drafts: readonly Draft[], time: number): number {
  let [low, high] = [0, drafts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((drafts[middle]?.created ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
