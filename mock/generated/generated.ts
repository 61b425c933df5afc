import { isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import type { References } from '../../spec/references.ts';
import { FORMULAS } from '../engine/formulas.ts';
import { findLineRelations } from '../engine/links.ts';
import type { Fixtures } from '../seed/seed-record.ts';
import { agree } from './agree.ts';
import { DAY, type Draft, MOST_DRAWS } from './draft.ts';
import { pairOf, readNeeds, type Wanted, wantedModel } from './needs.ts';
import { createPool, type Generated, readExisting } from './pool.ts';
import { drawSubject } from './subjects.ts';
import { drawValue, isSet } from './values.ts';

/** When the club is open: from 7 to 22 o'clock. */
const OPENS = DAY * (7 / 24);
const OPEN = 15 / 24;

export type { Wanted } from './needs.ts';

export type GeneratorOptions = {
  readonly seed: number;
  /** They don't change, and generated ones can refer to them. */
  readonly existing: Fixtures;
  /** Where the images are, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
};

/** A part of the records. They refer to generated ones of the same part, and rarely to the last one of the part before. */
export type Round = {
  /**
   * Generates the records, and yields after each. Yields a record that no other one needs, with its lines, and forgets
   * it; otherwise nothing.
   */
  run(): Generator<readonly Generated[]>;
  /** Returns the other records, and an empty list for each model whose records were yielded. */
  kept(): Fixtures;
};

/**
 * Generates records in the form of fixtures, in addition to the existing ones. Texts are in Spanish for the models of
 * the kit, and neutral for others. Records agree with each other. Each is created after the records it refers to, and
 * before the version date of the catalogue. Missing records that others need are generated too. The same seed gives the
 * same records. Throws UsageError for an unknown model or too many records.
 */
export async function generateRecords(
  wanted: Wanted,
  contract: Contract,
  options: GeneratorOptions,
): Promise<Fixtures> {
  const generation = await prepareGeneration(wanted, contract, options);
  let made: Fixtures = new Map();
  // In memory, there is one round.
  for (const round of generation.rounds()) {
    for (const _ of round.run());
    made = round.kept();
  }
  return made;
}

/** Does the same step by step. If `releases` is true, not all records are in memory at once. */
export async function prepareGeneration(
  wanted: Wanted,
  contract: Contract,
  options: GeneratorOptions & {
    readonly releases?: boolean | undefined;
    /** About how many records that others need are kept in memory; a number for tests. */
    readonly mostKept?: number | undefined;
  },
) {
  const { existing, mostKept, origin, releases = false, seed } = options;
  // Only here: it takes longer to load than all else of a start.
  const { faker } = await import('@faker-js/faker/locale/es');
  const { catalogue, references } = contract;
  const relations = findLineRelations(catalogue, references);
  const there = readExisting(existing, catalogue);
  const needs = readNeeds(wanted, contract, { there, relations, isInData: releases, mostKept });
  const { counts, rounds, targetsOf, unitOf } = needs;
  const pool = createPool(there);
  const depths = new Map<string, number>();
  const seen = new Set<string>();
  const notes = new Map<string, number>();
  const counters = new Map<string, number>();
  const planOf = onceFor((model: Model) => planFor(model, references));
  const end = Date.parse(catalogue.version) || Date.UTC(2025, 9, 22);
  const released = releases ? needs.released : new Set<string>();
  const done = new Set<string>();
  let round = 0;
  return {
    /** The number of records per model, without lines, which come with their parents. */
    counts,
    /** Whether all records are generated in one round. */
    isWhole: rounds === 1,
    /** Starts the rounds. Each forgets the records of the one before. */
    rounds: function* (): Generator<Round> {
      for (; round < rounds; round++) {
        for (const one of [pool, depths, seen, notes, done]) one.clear();
        yield { run, kept: pool.kept };
      }
    },
    /** Whether a record was generated, in any round. */
    has: pool.has,
    /** Whether there will be records of a model. */
    includes: (name: string) => (counts.get(name) ?? counts.get(needs.parentOf(name)) ?? 0) > 0,
  };

  function* run(): Generator<readonly Generated[]> {
    for (const name of counts.keys()) yield* generate(wantedModel(contract, name));
  }

  /** Generates the models that a model refers to first. Their records begin a day earlier. */
  function* generate(model: Model, path: readonly string[] = []): Generator<readonly Generated[]> {
    if (done.has(model.name) || path.includes(model.name)) return;
    const targets = [...targetsOf(model)];
    for (const to of targets)
      if (counts.has(to)) yield* generate(wantedModel(contract, to), [...path, model.name]);
    done.add(model.name);
    const unit = released.has(model.name) ? unitOf(model) : undefined;
    const depth = 1 + Math.max(0, ...targets.map((to) => depths.get(to) ?? 0));
    depths.set(model.name, depth);
    for (const { line } of relations.ofParent(model))
      if (!counts.has(line.name)) depths.set(line.name, depth);
    faker.seed([seed, ...Buffer.from(model.name), ...(round > 0 ? [0, round] : [])]);
    const count = shareOf(counts.get(model.name) ?? 0, round, rounds);
    const timeOf = createCalendar({ end, depth, count, round, rounds });
    for (let index = 0; index < count; index++) {
      add(model, timeOf(index, faker.number.float()));
      yield unit ? pool.release(unit) : [];
    }
  }

  function add(model: Model, at: number, parent: Readonly<Record<string, unknown>> = {}): void {
    const seconds = Math.floor(at / 1000) * 1000;
    const created = textOf(seconds);
    const id = pool.nextId(model.name);
    const user = faker.number.int({ min: 1, max: 4 });
    const changedBy = faker.number.int({ min: 1, max: 12 });
    const updated = changedBy > 4 ? created : textOf(changeAfter(seconds, end, faker.number.float()));
    const { blank, common, drawn } = planOf(model);
    // All fields from the start, because V8 is several times slower with objects that get or lose many one by one.
    const record: Record<string, unknown> = { ...blank, id };
    for (const field of common) {
      const isChange = updated > created && /^updated/.test(field.role ?? '');
      const value = valueOfRole(field, isChange ? updated : created, isChange ? changedBy : user);
      if (value !== undefined) record[field.name] = value;
    }
    let subject: ReturnType<Draft['subject']> | undefined;
    const draft: Draft = {
      record,
      model,
      created: seconds,
      end: end - DAY,
      faker,
      origin,
      notes,
      counters,
      subject: () => {
        subject ??= drawSubject(faker, model, id);
        return subject;
      },
      find: pool.find,
      first: pool.first,
      nameIn: pool.nameIn,
      earlier: (name) => pool.earlier(name, seconds),
      draw: (name) => drawId(name, seconds),
      neighbor: pool.neighbor,
      isMade: (name) => counts.has(name),
      once: (key) => seen.size < seen.add(key).size,
    };
    for (const field of drawn) {
      const link = parent[field.name] ?? linkFor(field, draft);
      const value = link === undefined ? drawValue(field, draft, references) : link;
      if (value !== null && value !== undefined) record[field.name] = value;
    }
    drawApart(
      draft,
      planOf(model).links,
      (field) => linkFor(field, draft) ?? drawValue(field, draft, references),
    );
    agree(draft);
    pool.add(model, record, seconds);
    for (const { line, link } of relations.ofParent(model)) {
      if (link === undefined || counts.has(line.name)) continue;
      const count = faker.number.int({ min: 1, max: 4 });
      for (let index = 0; index < count; index++) add(line, draft.created, { [link]: id });
    }
  }

  function drawId(model: string, time: number): number | undefined {
    const { count, idAt } = pool.before(model, time);
    return idAt(faker.number.int({ max: Math.max(0, count - 1) }));
  }

  /** The id of a record that was there before this one; records made here go before others. */
  function linkFor(field: Field, draft: Draft): number | number[] | undefined | null {
    const reference = references.get(field.key);
    if (reference === undefined || 'outside' in reference) return undefined;
    if (!isSet(field, draft, true)) return null;
    const draw = () => drawId(reference.to, draft.created);
    if (field.type === 'manyToMany') {
      const several = [draw(), draw()].filter((id) => id !== undefined);
      return [...new Set(several)].toSorted((one, other) => one - other);
    }
    return draw() ?? (field.required ? 1 : null);
  }
}

/**
 * A record that only links others is the only one of its links: draws its last link until it differs, or else takes the
 * one before it.
 */
function drawApart(
  { model, neighbor, once, record }: Draft,
  links: ReturnType<typeof pairOf>,
  draw: (field: Field) => unknown,
): void {
  const last = links.at(-1);
  if (last === undefined) return;
  const isSame = () =>
    links.some(({ to, name }) => to === last.to && name !== last.name && record[name] === record[last.name]);
  const isOther = () => !isSame() && once(`${model.name} ${links.map(({ name }) => record[name]).join(' ')}`);
  for (let tries = 0; !isOther() && tries < 2 * MOST_DRAWS; tries++)
    record[last.name] =
      tries < MOST_DRAWS
        ? draw(last.field)
        : (neighbor(last.to, Number(record[last.name])) ?? record[last.name]);
}

/** Returns the number of records of a round. */
function shareOf(count: number, round: number, rounds: number): number {
  return Math.floor((count * (round + 1)) / rounds) - Math.floor((count * round) / rounds);
}

/**
 * Returns a function for the time of a record, in milliseconds since 1970. The records of all rounds are from 139 days,
 * and each round has its part of them.
 */
function createCalendar(of: {
  readonly end: number;
  readonly depth: number;
  readonly count: number;
  readonly round: number;
  readonly rounds: number;
}): (index: number, random: number) => number {
  const { count, depth, end, round, rounds } = of;
  const [begin, last] = [end - 140 * DAY, end - DAY];
  const first = begin + depth * DAY;
  const step = (last - first) / Math.max(1, count);
  return (index, random) => {
    // The first record is from the first half of its day, so that it comes before those that refer to it.
    const room = (index === 0 ? Math.min(step, DAY) : step) / 2;
    const time = first + Math.floor(index * step + random * room);
    return whenOpen(begin + (time - begin + round * (last - begin)) / rounds);
  };
}

/** Sorts the fields of a model by where their values come from. */
function planFor(model: Model, references: References) {
  return {
    blank: Object.fromEntries(model.fields.map(({ name }): [string, unknown] => [name, undefined])),
    common: model.fields.filter(({ role }) => role !== undefined),
    drawn: model.fields.filter(
      (field) => !isIdField(field) && !field.role && field.lines === undefined && !isWorkedOut(field, model),
    ),
    links: pairOf(model, references),
  };
}

const textOf = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** Moves a time into the opening hours of its day. The order of times stays. */
function whenOpen(time: number): number {
  const night = Math.floor(time / DAY) * DAY;
  return Math.floor(night + OPENS + (time - night) * OPEN);
}

/** Returns a time after the creation, within a month and before the last day. */
function changeAfter(created: number, end: number, share: number): number {
  return whenOpen(created + share * Math.max(0, Math.min(30 * DAY, end - created - 2 * DAY)));
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

/** Whether the service computes the field, so that it is not generated. */
function isWorkedOut({ key, readonly }: Field, model: Model): boolean {
  return readonly && isOfKit(model) && Object.hasOwn(FORMULAS, key);
}
