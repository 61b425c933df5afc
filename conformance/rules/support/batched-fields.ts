import type { Field } from '../../../spec/catalogue/field.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import type { Id } from '../../api/places.ts';
import type { CaseContext } from '../../plan/rule.ts';

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
