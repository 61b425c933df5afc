import { isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { FORMULAS } from '../engine/formulas.ts';
import { findLineRelations } from '../engine/line-relations.ts';
import type { Fixtures } from '../seed/seed-record.ts';
import { agree } from './agree.ts';
import { countRecords, linksOf, type Wanted, wantedModel } from './counts.ts';
import { readExisting } from './existing.ts';
import { createPool } from './pool.ts';
import { type Draft, drawValue } from './values.ts';

export type { Wanted };

export type GenerateOptions = {
  readonly seed: number;
  /** What is there already: it stays as it is, and may be linked to. */
  readonly existing: Fixtures;
  /** Where the images are, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
};

const DAY = 86_400_000;

/**
 * Makes records in the form of fixtures, in Spanish for the models of the kit and with neutral texts for others, beside those that are there: linked, in agreement with each other,
 * each made after what it links to, all before the version of the catalogue. What is needed and lacking is made too.
 * The same seed gives the same records. Throws UsageError for an unknown model or too many records.
 */
export async function generateRecords(
  wanted: Wanted,
  contract: Contract,
  { existing, origin, seed }: GenerateOptions,
): Promise<Fixtures> {
  // Only here: it takes longer to load than all else of a start.
  const { faker } = await import('@faker-js/faker/locale/es');
  const { catalogue, references } = contract;
  const relations = findLineRelations(catalogue, references);
  const there = readExisting(existing, catalogue);
  const counts = countRecords(wanted, contract, there, relations);
  const made = new Map<string, Draft[]>();
  const pool = createPool(there, made);
  const depths = new Map<string, number>();
  const seen = new Set<string>();
  const end = Date.parse(catalogue.version) || Date.UTC(2025, 9, 22);
  for (const name of counts.keys()) generate(wantedModel(contract, name));
  return new Map([...made].map(([name, drafts]) => [name, drafts.map(({ record }) => record)]));

  /** What a model links to comes first, and begins a day earlier. */
  function generate(model: Model, path: readonly string[] = []): void {
    if (made.has(model.name) || path.includes(model.name)) return;
    const targets = linksOf(model, contract).map(({ to }) => to);
    for (const to of targets) if (counts.has(to)) generate(wantedModel(contract, to), [...path, model.name]);
    const depth = 1 + Math.max(0, ...targets.map((to) => depths.get(to) ?? 0));
    depths.set(model.name, depth);
    faker.seed([seed, ...Buffer.from(model.name)]);
    const first = end - (140 - depth) * DAY;
    const count = counts.get(model.name) ?? 0;
    const step = (end - DAY - first) / Math.max(1, count);
    for (let index = 0; index < count; index++)
      add(model, first + Math.floor((index + faker.number.float({ max: 0.5 })) * step));
  }

  function add(model: Model, at: number, parent: Readonly<Record<string, unknown>> = {}): void {
    const created = `${new Date(at).toISOString().slice(0, 19)}Z`;
    const id = pool.nextId(model.name);
    const user = faker.number.int({ min: 1, max: 4 });
    const record: Record<string, unknown> = { id };
    for (const field of model.fields) {
      const value = valueOfRole(field, created, user);
      if (value !== undefined) record[field.name] = value;
    }
    const draft: Draft = {
      record,
      model,
      created: Date.parse(created),
      faker,
      origin,
      find: pool.find,
      neighbor: pool.neighbor,
      isMade: (name) => counts.has(name),
      once: (key) => seen.size < seen.add(key).size,
    };
    for (const field of model.fields) {
      if (isIdField(field) || field.role || field.lines !== undefined || isWorkedOut(field, model)) continue;
      const link = parent[field.name] ?? linkFor(field, draft);
      const value = link === undefined ? drawValue(field, draft, references) : link;
      if (value !== null && value !== undefined) record[field.name] = value;
    }
    agree(draft);
    pool.made(model.name).push(draft);
    for (const { line, link } of relations.ofParent(model)) {
      if (link === undefined || counts.has(line.name)) continue;
      const count = faker.number.int({ min: 1, max: 4 });
      for (let index = 0; index < count; index++) add(line, draft.created, { [link]: id });
    }
  }

  /** The id of a record that was there before this one; records made here go before others. */
  function linkFor(field: Field, draft: Draft): number | number[] | undefined | null {
    const reference = references.get(field.key);
    if (reference === undefined || 'outside' in reference) return undefined;
    if (!field.required && faker.number.float() < 0.3) return null;
    const { count, idAt } = pool.before(reference.to, draft.created);
    const draw = () => idAt(faker.number.int({ max: Math.max(0, count - 1) }));
    if (field.type === 'manyToMany') {
      const several = [draw(), draw()].filter((id) => id !== undefined);
      return [...new Set(several)].toSorted((one, other) => one - other);
    }
    return draw() ?? (field.required ? 1 : null);
  }
}

/** The value of a common field with a role, in the form of its type; undefined for any other, and for the mark. */
function valueOfRole({ role, type }: Field, time: string, user: number): unknown {
  switch (role) {
    case 'created':
    case 'updated':
      return { datetime: time, date: time.slice(0, 10) }[type as string];
    case 'createdBy':
    case 'updatedBy':
      return { int: user, string: `user ${user}` }[type as string];
    default:
      return undefined;
  }
}

/** What the service works out from others is left to it. */
function isWorkedOut({ key, readonly }: Field, model: Model): boolean {
  return readonly && isOfKit(model) && Object.hasOwn(FORMULAS, key);
}
