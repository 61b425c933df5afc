import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../api/answer.ts';
import { type Id, isObject } from '../api/places.ts';
import { type CaseContext, eachField, type FieldCase } from '../cases/rule.ts';

/** A field of the model or, with `lines`, of the lines that such a field holds: `product` in `lines`. */
export type FieldPlace = { readonly field: Field; readonly lines?: Field };

/** A case for each field that the filter lets through, and for each such field of lines that are sent in full. */
export function eachPlace(wanted: (field: Field, plan: Contract) => boolean) {
  return (model: Model, plan: Contract): readonly FieldCase[] => [
    ...eachField(wanted)(model, plan),
    ...model.fields.flatMap((lines): FieldCase[] => {
      const line = plan.catalogue.models.get(lines.lines ?? '');
      if (!line || lines.readonly || profileAt(plan.profile, lines.key)['types.lines'] === 'ids') return [];
      // The link of a line to its parent is implied by where the line stands.
      const parent = parentLink(line, model, plan.references);
      return line.fields
        .filter((field) => field !== parent && wanted(field, plan))
        .map((part) => ({ field: lines, part, detail: part.name }));
    }),
  ];
}

export function placeOf({ field, part }: FieldCase): FieldPlace {
  return part ? { field: part, lines: field } : { field };
}

/**
 * The part of a body, in wire form, that has a value for a field, or none when that is undefined. Of lines it is valid
 * lines, the first of which has that value.
 */
export function valueAt(
  { codec, model, samples }: CaseContext,
  { field, lines }: FieldPlace,
  value: Value | undefined,
): RecordValues {
  const own = value === undefined ? {} : { [field.name]: value };
  if (!lines) return own;
  const sent = codec.encodeNamed(model.name, { [lines.name]: samples.values('all')[lines.name] ?? [] });
  const [first, ...others] = sent[lines.name] as readonly RecordValues[];
  const { [field.name]: _, ...rest } = first ?? {};
  return { [lines.name]: [{ ...rest, ...own }, ...others] };
}

/** What a record, in wire form, shows of a field: one value, or of lines one of each. */
export function shownAt(
  record: RecordValues | undefined,
  { field, lines }: FieldPlace,
): readonly (Value | undefined)[] {
  if (!record) return [];
  if (!lines) return [record[field.name]];
  const shown = record[lines.name];
  return Array.isArray(shown) ? shown.filter(isObject).map((line) => line[field.name]) : [];
}

/** The fields whose lines are shown as records of a model that has an id. */
export function linesWithIds({ catalogue, model, profile }: CaseContext): Field[] {
  return model.fields.filter(
    ({ key, lines = '' }) =>
      profileAt(profile, key)['types.lines'] === 'objects' &&
      catalogue.models.get(lines)?.fields.some(isIdField) === true,
  );
}

/**
 * What a record holds after one request with many fields. A field with the expected value needs no request of its
 * own; any other field is tried alone.
 */
export type Trial = {
  /** The canonical values that were sent on trial. */
  readonly tried: RecordValues;
  /** The canonical record afterwards. */
  readonly found: RecordValues;
};

/** One trial for each round; undefined where the request was refused. */
export type Trials = readonly (Trial | undefined)[];

/** Reads back the record of an answer; undefined when that was no success or shows no record. */
export async function readTrial(
  context: CaseContext,
  { answer, id, tried }: CreateTrial,
): Promise<Trial | undefined> {
  if (!isAccepted(answer) || id === undefined) return undefined;
  const after = await context.api.retrieve(context.model.name, id);
  const record = isAccepted(after) ? context.api.recordIn(after) : undefined;
  return record && { tried, found: context.check.read(context.model, record) };
}

/** A create with values on trial. */
export type CreateTrial = {
  readonly answer: Answer;
  readonly id: Id | undefined;
  readonly tried: RecordValues;
};

/** Creates a record with the values on trial and the required ones. */
export async function tryCreate(context: CaseContext, tried: RecordValues): Promise<CreateTrial> {
  const { api, codec, model } = context;
  const values = { ...context.samples.values('required'), ...tried };
  const answer = await api.create(model.name, codec.encodeNamed(model.name, values));
  return { answer, id: context.records.adopt(answer), tried };
}

/** Creates a record for each round: with the first value of each field, with the second one, and so on. */
export async function tryInTurn(
  context: CaseContext,
  valuesOf: ReadonlyMap<Field, readonly Value[]>,
): Promise<Trials> {
  const trials: (Trial | undefined)[] = [];
  const rounds = Math.max(0, ...[...valuesOf.values()].map(({ length }) => length));
  for (let round = 0; round < rounds; round++) {
    const tried: Record<string, Value> = {};
    for (const [{ name }, values] of valuesOf) {
      const value = values[round];
      if (value !== undefined) tried[name] = value;
    }
    trials.push(await readTrial(context, await tryCreate(context, tried)));
  }
  return trials;
}
