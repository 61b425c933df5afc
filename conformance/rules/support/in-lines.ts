import type { Field } from '../../../spec/catalogue/field.ts';
import { isIdField } from '../../../spec/catalogue/roles.ts';
import type { Contract } from '../../../spec/contract.ts';
import { whyFormless } from '../../../spec/profile/profile.ts';
import { parentLink } from '../../../spec/references.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { type Id, isObject } from '../../api/places.ts';
import { Skip } from '../../assert/failure.ts';
import { type Case, type CaseContext, eachField, type Rule } from '../../plan/rule.ts';

/** A part of the lines that a field holds: `lines` and `product`. */
export type LinePart = { readonly lines: Field; readonly part: Field };

/** A case for each field that the filter lets through, and for each such part of lines that are sent in full. */
export function eachFieldAndPart(
  wanted: (field: Field, plan: Contract) => boolean,
  ofField: (context: CaseContext, field: Field) => Promise<void>,
  ofPart: (context: CaseContext, place: LinePart) => Promise<void>,
): Rule['cases'] {
  return (model, plan) => {
    const places = model.fields.flatMap((lines): LinePart[] => {
      const line = plan.catalogue.models.get(lines.lines ?? '');
      if (!line || lines.readonly || plan.profile['types.lines'] === 'ids') return [];
      // The link of a line to its parent is implied by where the line stands.
      const parent = parentLink(line, model, plan.references);
      return line.fields.filter((part) => part !== parent).map((part) => ({ lines, part }));
    });
    const ofParts = places
      .filter(({ part }) => wanted(part, plan))
      .map(
        (place): Case => ({
          field: place.lines,
          detail: place.part.name,
          run: (context) => {
            const why = whyFormless(place.part, context);
            if (why !== undefined) throw new Skip(why);
            return ofPart(context, place);
          },
        }),
      );
    return [...eachField(wanted, ofField)(model, plan), ...ofParts];
  };
}

/** Valid lines in wire form, the first of which has another value for a part, or none when that is undefined. */
export function invalidLines(
  { codec, model, samples }: CaseContext,
  { lines, part }: LinePart,
  value: Value | undefined,
): RecordValues {
  const sent = codec.encodeNamed(model.name, { [lines.name]: samples.values('all')[lines.name] ?? [] });
  const [first, ...others] = sent[lines.name] as readonly RecordValues[];
  const { [part.name]: _, ...rest } = first ?? {};
  const changed = value === undefined ? rest : { ...rest, [part.name]: value };
  return { [lines.name]: [changed, ...others] };
}

/** What the lines of a record, both in wire form, show of a part. */
export function partsShown(
  record: RecordValues | undefined,
  { lines, part }: LinePart,
): readonly (Value | undefined)[] {
  const shown = record?.[lines.name];
  return Array.isArray(shown) ? shown.filter(isObject).map((line) => line[part.name]) : [];
}

/** The fields whose lines are shown as records of a model that has an id. */
export function linesWithIds({ catalogue, model, profile }: CaseContext): Field[] {
  return model.fields.filter(
    ({ lines = '' }) =>
      profile['types.lines'] === 'objects' && catalogue.models.get(lines)?.fields.some(isIdField) === true,
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
  answer: Answer,
  id: Id | undefined,
  tried: RecordValues,
): Promise<Trial | undefined> {
  if (!isAccepted(answer) || id === undefined) return undefined;
  const after = await context.api.retrieve(context.model.name, id);
  const record = isAccepted(after) ? context.api.recordIn(after) : undefined;
  return record && { tried, found: context.check.read(context.model, record) };
}

/** The answer to a create, and what it shows. */
export type CreateTrial = { readonly answer: Answer; readonly trial: Trial | undefined };

/** Creates a record with the values on trial beside the required ones, and reads it back. */
export async function tryCreate(context: CaseContext, tried: RecordValues): Promise<CreateTrial> {
  const { api, codec, model } = context;
  const values = { ...context.samples.values('required'), ...tried };
  const answer = await api.create(model.name, codec.encodeNamed(model.name, values));
  return { answer, trial: await readTrial(context, answer, context.records.adopt(answer), tried) };
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
    trials.push((await tryCreate(context, tried)).trial);
  }
  return trials;
}
