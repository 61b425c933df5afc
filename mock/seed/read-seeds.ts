import { isDemo, placeOf } from '../../fixtures/fixtures.ts';
import { withArticle } from '../../spec/article.ts';
import { isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf } from '../../spec/catalogue/roles.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { onceFor } from '../../spec/once-for.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { DEEPEST_JSON, isDeeper, TOO_DEEP } from '../operations/body.ts';
import { createValueReader } from './read-values.ts';
import {
  type FixtureRecord,
  type Fixtures,
  numberRecords,
  type Seed,
  type SeedSource,
} from './seed-record.ts';

/** The next id has to be a whole number too that JSON keeps. */
const LARGEST_ID = Number.MAX_SAFE_INTEGER - 1;

/** The most mistakes that a message lists. */
const MOST_MISTAKES = 100;

/** All that is wrong with fixtures, a line each. */
export class FixtureMistakes extends UsageError {
  override name = 'FixtureMistakes';
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

/**
 * Reads fixtures, by model in the order of their ids. Those without an id get the next ones of their model. Throws
 * FixtureMistakes with all that is wrong: file, line, model, id and field.
 */
export function readSeeds(fixtures: Fixtures, known: SeedSource): Seed[] {
  const reader = createSeedReader(fixtures, known);
  const seeds = [...fixtures.keys()].flatMap((name) => [...reader.seedsOf(name)]);
  reader.refuse();
  return seeds;
}

/** Reads fixtures and generated records step by step, so that not all of them are in memory in two forms. */
export function createSeedReader(fixtures: Fixtures, known: SeedSource) {
  const { catalogue } = known;
  const ranks = new Map([...fixtures.keys()].map((name, rank) => [name, rank]));
  const mistakes: { readonly text: string; readonly rank: number }[] = [];
  const sorted = () => mistakes.toSorted((one, other) => one.rank - other.rank).map(({ text }) => text);
  // Stops reading after the last mistake that the message lists.
  const note = (text: string, rank: number) => {
    mistakes.push({ text, rank });
    if (mistakes.length === MOST_MISTAKES) throw new FixtureMistakes(sorted());
  };
  for (const mistake of known.mistakes ?? []) note(mistake, -1);
  const numbers = onceFor((records: readonly FixtureRecord[]) => numberRecords(records));
  const planOf = onceFor(planFor);
  const values = createValueReader(known, (name) => numbers(fixtures.get(name) ?? NONE));
  return {
    seedsOf,
    /** Reads a generated record. Like those of the demo, the user can't correct it. */
    readGenerated: (model: Model, record: FixtureRecord) => readOrNote(model, record, record.id, true),
    /** Adds a mistake that was found in another way. */
    note: (text: string) => note(text, Number.POSITIVE_INFINITY),
    /** Whether there are mistakes. */
    hasMistakes: () => mistakes.length > 0,
    /** Throws FixtureMistakes if there are mistakes. */
    refuse: () => {
      if (mistakes.length > 0) throw new FixtureMistakes(sorted());
    },
  };

  /** Reads the fixtures of a model, in the order of their IDs. */
  function* seedsOf(name: string): Generator<Seed> {
    const records = fixtures.get(name);
    if (!records) return;
    const model = catalogue.models.get(name);
    const rank = ranks.get(name) ?? 0;
    if (!model) {
      note(`${placeOf(records)}: ${unexpected('model', name, [...catalogue.models.keys()])}`, rank);
      return;
    }
    const ids = numbers(records);
    const seeds = readAll(model, records, ids);
    let last: number | undefined;
    for (const seed of isAscending(ids) ? seeds : [...seeds].sort((one, other) => one.id - other.id)) {
      if (seed.id === last) note(`${seed.at()} is defined twice. Remove one of them.`, rank + 0.5);
      last = seed.id;
      yield seed;
    }
  }

  function* readAll(
    model: Model,
    records: readonly FixtureRecord[],
    ids: readonly unknown[],
  ): Generator<Seed> {
    for (const [index, record] of records.entries()) {
      const seed = readOrNote(model, record, ids[index], false);
      if (seed) yield seed;
    }
  }

  function readOrNote(
    model: Model,
    record: FixtureRecord,
    id: unknown,
    isGenerated: boolean,
  ): Seed | undefined {
    try {
      return readSeed(model, record, id, isGenerated);
    } catch (error) {
      noteError(error, model);
      return undefined;
    }
  }

  function noteError(error: unknown, { name }: Model): void {
    if (!(error instanceof UsageError) || error instanceof FixtureMistakes) throw error;
    note(error.message, ranks.get(name) ?? 0);
  }

  function readSeed(model: Model, record: FixtureRecord, id: unknown, isGenerated: boolean): Seed {
    if (isDeeper(record, DEEPEST_JSON))
      throw new UsageError(`${placeOf(record)}: The ${model.name} ${TOO_DEEP}`);
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1 || id > LARGEST_ID)
      throw new UsageError(
        `${placeOf(record, 'id')}: The id of ${withArticle(model.name)} must be a whole number from 1 to ${LARGEST_ID}, but is ${JSON.stringify(id)}.`,
      );
    const { blank, created, names, pairs, updated } = planOf(model);
    const at = (field?: string) => `${placeOf(record, field)}: ${model.name} ${id}`;
    for (const name of Object.keys(record))
      if (!names.has(name))
        note(`${at(name)}: ${unexpected('field', name, [...names])}`, ranks.get(model.name) ?? 0);
    // All fields from the start, because V8 is several times slower with objects that get them one by one.
    const given: Record<string, Value> = { ...blank };
    const seed = { model, id, given, at };
    const isOwn = isDemo(record);
    const source = {
      isDemo: isOwn,
      // Tests check these. Compiling the checks would take a third of the start.
      isChecked: (isOwn || isGenerated) && isOfKit(catalogue),
      isOfKit: isOwn || isGenerated,
    };
    for (const field of model.fields) {
      const value = Object.hasOwn(record, field.name) ? record[field.name] : undefined;
      try {
        given[field.name] =
          (field.lines === undefined
            ? values.read(field, value, seed, source)
            : values.readLines(field, value, seed)) ?? null;
      } catch (error) {
        noteError(error, model);
      }
    }
    given.id ??= id;
    // An id says nothing without the model it is of.
    for (const name of pairs) if ((record[name] ?? null) !== null && given[name] === null) given.fkId = null;
    // A record that was never changed was last changed when it was made.
    if (updated !== undefined) given[updated] ??= (created && given[created]) ?? null;
    return seed;
  }
}

const NONE: readonly FixtureRecord[] = [];

/** Returns what is used of a model for each of its records. */
function planFor(model: Model) {
  return {
    /** A record without values. */
    blank: Object.fromEntries(model.fields.map(({ name }): [string, Value] => [name, null])),
    names: new Set(model.fields.map(({ name }) => name)),
    pairs: model.fields.filter(({ type }) => type === 'fkModel').map(({ name }) => name),
    created: fieldOf(model, 'created')?.name,
    updated: fieldOf(model, 'updated')?.name,
  };
}

function isAscending(ids: readonly unknown[]): boolean {
  return ids.every((id, index) => typeof id === 'number' && (index === 0 || Number(ids[index - 1]) <= id));
}
