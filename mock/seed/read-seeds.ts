import { isDeepStrictEqual } from 'node:util';
import type { FixtureRecord, Fixtures } from '../../fixtures/fixtures.ts';
import { isDemo, placeOf } from '../../fixtures/fixtures.ts';
import { withArticle } from '../../spec/article.ts';
import { isOfKit, type Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf } from '../../spec/catalogue/roles.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { onceFor } from '../../spec/once-for.ts';
import { DEFAULT_PROFILE, type Profile, profileAt } from '../../spec/profile/profile.ts';
import { linkedModel } from '../../spec/references.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createValueValidators, DEEPEST_JSON, isDeeper, TOO_DEEP } from '../operations/body.ts';
import { numberRecords, type Seed, type SeedSource } from './seed.ts';

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

/** Reads fixtures by model in the order of their IDs. Throws FixtureMistakes with all that is wrong. */
export function readSeeds(fixtures: Fixtures, known: SeedSource): Seed[] {
  const reader = createSeedReader(fixtures, known);
  const seeds = [...fixtures.keys()].flatMap((name) => [...reader.seedsOf(name)]);
  reader.refuse();
  return seeds;
}

/** Reads fixtures and generated records step by step, so that not all of them are in memory in two forms. */
export function createSeedReader(fixtures: Fixtures, known: SeedSource) {
  const { catalogue } = known;
  const mistakes: string[] = [];
  // Stops reading after the last mistake that the message lists.
  const note = (text: string): undefined => {
    mistakes.push(text);
    if (mistakes.length === MOST_MISTAKES) throw new FixtureMistakes(mistakes);
  };
  for (const mistake of known.mistakes ?? []) note(mistake);
  const numbers = onceFor(numberRecords);
  const planOf = onceFor((model: Model) => ({
    blank: Object.fromEntries(model.fields.map(({ name }): [string, Value] => [name, null])),
    names: new Set(model.fields.map(({ name }) => name)),
    pairs: model.fields.filter(({ type }) => type === 'fkModel').map(({ name }) => name),
    created: fieldOf(model, 'created')?.name,
    updated: fieldOf(model, 'updated')?.name,
  }));
  const readValue = createValueReader(known, (name) => numbers(fixtures.get(name) ?? []));
  return {
    seedsOf,
    /** Reads a generated record. Like those of the demo, the user can't correct it. */
    readGenerated: (model: Model, record: FixtureRecord) => readSeed(model, record, record.id, true),
    /** Adds a mistake that was found in another way. */
    note,
    refuse: () => {
      if (mistakes.length > 0) throw new FixtureMistakes(mistakes);
    },
  };

  /** Reads the fixtures of a model, in the order of their IDs. */
  function* seedsOf(name: string): Generator<Seed> {
    const records = fixtures.get(name);
    if (!records) return;
    const model = catalogue.models.get(name);
    if (!model)
      return note(`${placeOf(records)}: ${unexpected('model', name, [...catalogue.models.keys()])}`);
    const ids = numbers(records);
    const idAt = (index: number) => (Number.isNaN(Number(ids[index])) ? LARGEST_ID : Number(ids[index]));
    let last: number | undefined;
    for (const index of [...ids.keys()].sort((one, other) => idAt(one) - idAt(other))) {
      const seed = readSeed(model, records[index] ?? {}, ids[index], false);
      if (!seed) continue;
      if (seed.id === last) note(`${seed.at()} is defined twice. Remove one of them.`);
      last = seed.id;
      yield seed;
    }
  }

  function readSeed(model: Model, record: FixtureRecord, id: unknown, isGenerated: boolean) {
    if (isDeeper(record, DEEPEST_JSON)) return note(`${placeOf(record)}: The ${model.name} ${TOO_DEEP}`);
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1 || id > LARGEST_ID)
      return note(
        `${placeOf(record, 'id')}: The id of ${withArticle(model.name)} must be a whole number from 1 to ${LARGEST_ID}, but is ${JSON.stringify(id)}.`,
      );
    const { blank, created, names, pairs, updated } = planOf(model);
    const at = (field?: string) => `${placeOf(record, field)}: ${model.name} ${id}`;
    for (const name of Object.keys(record))
      if (!names.has(name)) note(`${at(name)}: ${unexpected('field', name, [...names])}`);
    // All fields from the start, because V8 is several times slower with objects that get them one by one.
    const given: Record<string, Value> = { ...blank };
    const seed: Seed = { model, id, given, at };
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
        given[field.name] = readValue(field, value, seed, source) ?? null;
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        note(error.message);
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

/** Where a mock without other options serves images. The demo records have this address. */
export const DEFAULT_ORIGIN = 'http://127.0.0.1:4010';

/** Reads the values of fixtures. `idsOf` returns the IDs of the fixtures of a model. */
function createValueReader(known: SeedSource, idsOf: (model: string) => readonly unknown[]) {
  const { origin = DEFAULT_ORIGIN, profile, references, relations } = known;
  const validate = createValueValidators(DEFAULT_PROFILE);
  const { asShown, fill, isDefault, replace } = createCoercion(profile);
  return read;

  function readLines(field: Field, value: unknown, { at, model }: Seed): Value | undefined {
    if (value === undefined) return undefined;
    // Without a link the parent's own field is the only place that says which lines it has.
    const relation = relations.ofParent(model).find((one) => one.field === field);
    const isIds = Array.isArray(value) && value.every((id) => Number.isSafeInteger(id));
    if (relation?.link === undefined && isIds) return value;
    throw new UsageError(
      `${at(field.name)}: ${field.name} can't be set here. Add ${field.lines} records that link to this record.`,
    );
  }

  /** A fixture may be written in any form the default profile takes, such as a time with an offset. */
  function read(
    field: Field,
    value: unknown,
    seed: Seed,
    source: { readonly isDemo: boolean; readonly isChecked: boolean; readonly isOfKit: boolean },
  ): Value | undefined {
    if (field.lines !== undefined) return readLines(field, value, seed);
    const { at, id } = seed;
    if (value === undefined || value === null) {
      if (!field.required || field.readonly) return undefined;
      if (known.lenient) return fill(field, id, firstLinked(field));
      throw new UsageError(
        `${at(field.name)}: ${field.name} is required. Add a value of type ${field.type}, or pass --lenient.`,
      );
    }
    const [wrong] = source.isChecked ? [] : validate(field, value);
    if (wrong) throw new UsageError(`${at(field.name)}: ${field.name}${wrong.pointer} ${wrong.message}`);
    // The images of the demo are where this mock serves them.
    const isMoved = source.isDemo && field.type === 'image';
    const placed = isMoved ? String(value).replace(DEFAULT_ORIGIN, origin) : (value as Value);
    const canonical = decode(field, placed, at);
    if (source.isChecked && isDefault) return canonical;
    const shown = asShown(field, canonical, value as Value);
    if ('value' in shown) return shown.value;
    if (source.isOfKit) return replace(field, canonical, id);
    throw new UsageError(`${at(field.name)}: Under this profile, ${field.name}${shown.wrong}`);
  }

  function firstLinked(field: Field): number | undefined {
    const to = linkedModel(references, field);
    if (to === undefined) return undefined;
    const first = idsOf(to).find((id) => typeof id === 'number');
    // The first generated one.
    return first ?? (known.isGenerated?.(to) ? 1 : undefined);
  }
}

function decode(field: Field, value: Value, at: Seed['at']): Value {
  try {
    return WIRE_TYPES[field.type].decode(value, { field, profile: DEFAULT_PROFILE });
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(`${at(field.name)}: ${field.name} is not a valid ${field.type}: ${message}.`);
  }
}

/** Converts values to those that the profile can show, so that a filter finds the shown values. */
export function createCoercion(profile: Profile) {
  const validate = createValueValidators(profile);
  const isDefault = isDeepStrictEqual(formsOf(profile), formsOf(DEFAULT_PROFILE));
  return {
    isDefault,
    /** Returns the value after a round trip through its wire form, or the reason why it has none. */
    asShown: (field: Field, value: Value, valid?: Value): { value: Value } | { wrong: string } => {
      const { decode, encode } = WIRE_TYPES[field.type];
      const wire = encode(value, { field, profile });
      if (isDefault && wire === valid) return { value };
      const [wrong] = validate(field, wire);
      if (wrong) return { wrong: `${wrong.pointer} ${wrong.message}` };
      return { value: decode(wire, { field, profile }) };
    },
    /** Returns the nearest valid value for one that does not fit; undefined if the field stays unset. */
    replace: (field: Field, value: Value, id: number): Value | undefined => {
      const { 'limits.text': longest } = profileAt(profile, field.key);
      if (isText(field) && longest !== 'none') return [...String(value)].slice(0, longest).join('').trimEnd();
      // A member of another list is as good; another model or address would be one that nothing is at.
      if (field.type !== 'select' && !field.required) return undefined;
      return WIRE_TYPES[field.type].sample(id, { field, profile });
    },
    /** Returns a value for a required field without one: a link to `linked` if possible, else a sample. */
    fill: (field: Field, id: number, linked: number | undefined): Value => {
      if (linked !== undefined && field.type === 'int') return linked;
      if (field.type === 'manyToMany') return linked === undefined ? [] : [linked];
      return WIRE_TYPES[field.type].sample(id, { field, profile });
    },
  };
}

/** The settings that a value's form on the wire rests on. */
function formsOf(profile: Profile): object {
  return Object.fromEntries(
    Object.entries(profile).filter(([name]) => /^(types|limits|values)\b/.test(name)),
  );
}
