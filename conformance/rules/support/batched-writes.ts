import type { Field } from '../../../spec/catalogue/field.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isRefused } from '../../api/answer.ts';
import { expectValues, lasting } from '../../assert/assert.ts';
import { Failure, Skip } from '../../assert/failure.ts';
import type { CaseContext } from '../../plan/rule.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { updateWith } from './invalid-requests.ts';

/**
 * The answers to one invalid request for each field, and whether no refused request stored anything. That is checked
 * once, after the last request. A field that is not cleared by this is tried alone.
 */
export type BatchedWrites = { readonly answers: ReadonlyMap<Field, Answer>; readonly noTrace: boolean };

/** A create, in wire form, and the values by which a record shows that it was stored. */
export type InvalidCreate = { readonly wire: RecordValues; readonly stored?: RecordValues | undefined };

/** The target refused the request for the field, and no refused one left a trace. */
export function isRefusedCleanly({ answers, noTrace }: BatchedWrites, field: Field): boolean {
  const answer = answers.get(field);
  return noTrace && answer !== undefined && isRefused(answer);
}

/** The values that would show in a list that a create without the field, or with an invalid value, was stored. */
export function traceOf(others: RecordValues, field: Field): RecordValues {
  // Where nothing else was sent, a record without a value for the field is the one.
  return Object.keys(others).length === 0 ? { [field.name]: null } : others;
}

/** One create for each field. */
export async function createEach(
  context: CaseContext,
  creates: ReadonlyMap<Field, InvalidCreate>,
): Promise<BatchedWrites> {
  const answers = new Map<Field, Answer>();
  const refused: RecordValues[] = [];
  for (const [field, { stored, wire }] of creates) {
    const answer = await context.api.create(context.model.name, wire);
    context.records.adopt(answer);
    answers.set(field, answer);
    if (stored && isRefused(answer)) refused.push(stored);
  }
  return { answers, noTrace: await holds(() => context.records.assertNothingStored(refused)) };
}

/** One update for each field, all of the same record. */
export async function updateEach(
  context: CaseContext,
  made: MadeRecord,
  wires: ReadonlyMap<Field, Value>,
): Promise<BatchedWrites> {
  const before = lasting(context, await context.records.readValues(made.id));
  const answers = new Map<Field, Answer>();
  for (const [field, wire] of wires)
    answers.set(field, await updateWith(context, made, { [field.name]: wire }));
  const after = await context.records.readValues(made.id);
  // An accepted update may have restored what a refused one had changed.
  const noneAccepted = [...answers.values()].every(isRefused);
  return {
    answers,
    noTrace: noneAccepted && (await holds(async () => expectValues(context, before, after, ''))),
  };
}

async function holds(claim: () => Promise<void>): Promise<boolean> {
  try {
    await claim();
    return true;
  } catch (error) {
    // Whose a new record is may show where the field is tried alone.
    if (error instanceof Failure || error instanceof Skip) return false;
    throw error;
  }
}
