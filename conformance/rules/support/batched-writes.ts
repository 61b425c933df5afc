import type { Field } from '../../../spec/catalogue/field.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isRefused } from '../../api/answer.ts';
import { expectValues, lasting } from '../../assert/assert.ts';
import { Blocked, Failure, Skip, whyDenied } from '../../assert/failure.ts';
import type { CaseContext } from '../../plan/rule.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { observation } from '../questions/updates.ts';
import { type InvalidCreate, updateInvalid } from './invalid-requests.ts';

/**
 * The answers to one invalid request for each field, and whether no refused request stored anything. That is checked
 * once, after the last request. A field that is not cleared by this is tried alone.
 */
export type BatchedWrites = { readonly answers: ReadonlyMap<Field, Answer>; readonly noTrace: boolean };

/** The target refused the request for the field, and no refused one left a trace. */
export function isRefusedCleanly({ answers, noTrace }: BatchedWrites, field: Field): boolean {
  const answer = answers.get(field);
  return noTrace && answer !== undefined && isRefused(answer) && whyDenied(answer) === undefined;
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
    if (isRefused(answer)) refused.push(stored);
  }
  return { answers, noTrace: await holds(() => context.records.assertNothingStored(refused)) };
}

/** One update for each field, all of the record that was made with all of them: it has a value to lose in each. */
export async function updateEach(
  context: CaseContext,
  wires: ReadonlyMap<Field, Value>,
): Promise<BatchedWrites> {
  const { before, made } = await recordWithAll(context);
  const answers = new Map<Field, Answer>();
  for (const [field, wire] of wires)
    answers.set(field, await updateInvalid(context, made, { [field.name]: wire }));
  const after = await context.records.readValues(made.id);
  // An accepted update may have restored what a refused one had changed.
  const noneAccepted = [...answers.values()].every(isRefused);
  return {
    answers,
    noTrace: noneAccepted && (await holds(async () => expectValues(context, before, after, ''))),
  };
}

/**
 * The record of the observation, or another one where that can't be read any more, or was moved to another state, which
 * may allow no change at all.
 */
async function recordWithAll(context: CaseContext): Promise<{ made: MadeRecord; before: RecordValues }> {
  const { model, records, samples } = context;
  const hasStates = model.fields.some(({ choices, readonly }) => choices !== undefined && !readonly);
  const seen = hasStates ? undefined : (await context.ask(observation)).made;
  const before = seen && (await records.readValues(seen.id).catch(unlessBlocked));
  if (seen && before) return { made: seen, before: lasting(context, before) };
  const made = await records.make(samples.values('all'));
  return { made, before: lasting(context, await records.readValues(made.id)) };
}

function unlessBlocked(error: unknown): undefined {
  if (!(error instanceof Blocked)) throw error;
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
