import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import { Blocked, Failure, Skip, whyDenied } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { expectRefused, expectValues, lasting, needId } from '../../cases/assert.ts';
import type { CaseContext, Question } from '../../cases/rule.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { one, onShared } from '../questions/shared.ts';
import { isNumber, needCreate, observation } from '../questions/updates.ts';
import { type FieldPlace, valueAt } from './in-lines.ts';
import { updateWith } from './writes.ts';

/** A kind of invalid write. The target refuses it and stores nothing, or stores something valid in its place. */
export type InvalidWrite = {
  readonly name: string;
  readonly by: 'create' | 'update';
  /** The invalid values for a field, in wire form; undefined leaves it out. Empty where no value is surely invalid. */
  valuesFor(field: Field, plan: Contract): readonly (Value | undefined)[];
  /** Checks what a target shows that accepts the write. Without this, the target must refuse. */
  checkAccepted?(context: CaseContext, place: FieldPlace, accepted: AcceptedWrite): void;
};

/** An accepted write, and the record that it left, in wire form, each time that the target showed it. */
export type AcceptedWrite = {
  readonly answer: Answer;
  readonly shown: readonly RecordValues[];
  readonly what: string;
};

/** Expects that the target refuses an invalid value of a field and stores nothing, or stores something valid. */
export async function expectInvalid(
  context: CaseContext,
  write: InvalidWrite,
  place: FieldPlace,
  index = 0,
): Promise<void> {
  await needCreate(context);
  if (!place.lines && isRefusedCleanly(await context.ask(oneForEachField(write, index)), place.field)) return;
  await expectInvalidAlone(context, write, place, write.valuesFor(place.field, context)[index]);
}

/** The same with any value, in a separate write. */
export async function expectInvalidAlone(
  context: CaseContext,
  write: InvalidWrite,
  place: FieldPlace,
  value: Value | undefined,
): Promise<void> {
  const { field, lines } = place;
  const how = value === undefined ? `without ${field.name}` : `with ${field.name} ${show(value)}`;
  const verb = write.by === 'create' ? 'a create' : 'an update';
  const what = `${verb} ${how}${lines ? ` in one of its ${lines.name}` : ''}`;
  const attempt = write.by === 'create' ? tryCreate : tryUpdate;
  await attempt(context, write, place, { value, what });
}

type Attempt = { readonly value: Value | undefined; readonly what: string };

async function tryCreate(context: CaseContext, write: InvalidWrite, place: FieldPlace, attempt: Attempt) {
  const { what } = attempt;
  const { stored, wire } = invalidCreate(context, place, attempt.value);
  const send = async () => {
    const answer = await context.api.create(context.model.name, wire);
    context.records.adopt(answer);
    return answer;
  };
  const answer = await send();
  if (!isAccepted(answer) || !write.checkAccepted) {
    expectRefused(answer, what);
    return context.records.assertNothingStored([stored], send);
  }
  const shown = [
    context.api.recordIn(answer) ?? {},
    await context.records.read(needId(context, answer, what)),
  ];
  write.checkAccepted(context, place, { answer, shown, what });
}

async function tryUpdate(context: CaseContext, write: InvalidWrite, place: FieldPlace, attempt: Attempt) {
  const { check, model, records, samples } = context;
  const { what } = attempt;
  const sendTo = async (made: MadeRecord) => {
    const before = await records.readValues(made.id);
    const answer = await updateInvalid(context, made, valueAt(context, place, attempt.value));
    const after = await records.read(made.id);
    if (isAccepted(answer) && write.checkAccepted)
      return write.checkAccepted(context, place, { answer, shown: [after], what });
    expectRefused(answer, what);
    expectValues(context, lasting(context, before), check.read(model, after), `${what} is refused`);
  };
  // Only a write that must be refused leaves a shared record as it is.
  return write.checkAccepted
    ? sendTo(await records.make(samples.values('all')))
    : onShared(context, one, sendTo);
}

/** A create in wire form, and the values by which a list would show that it was stored. */
function invalidCreate(context: CaseContext, place: FieldPlace, value: Value | undefined) {
  const { codec, model, samples } = context;
  const { name } = place.lines ?? place.field;
  const { [name]: _, ...others } = samples.values('required');
  return {
    wire: { ...codec.encodeNamed(model.name, others), ...valueAt(context, place, value) },
    // Where nothing else was sent, a record without a value for the field is the one.
    stored: Object.keys(others).length === 0 ? { [name]: null } : others,
  };
}

/**
 * An update with an invalid value, in wire form, beside other values that are valid: a refused one stores none of them.
 * Where an update of all fields is refused, they might be the reason, so that they are left out.
 */
async function updateInvalid(context: CaseContext, made: MadeRecord, wire: RecordValues): Promise<Answer> {
  const { updated } = await context.ask(observation);
  const valid = updated && isAccepted(updated) ? plainValues(context, made) : {};
  return updateWith(context, made, { ...context.codec.encodeNamed(context.model.name, valid), ...wire });
}

/** Other texts and numbers: a link, a state, a truth or the end of a range may depend on something. */
function plainValues(context: CaseContext, { sent }: MadeRecord): RecordValues {
  const values = context.samples.valuesAfter(sent);
  const isPlain = (field: Field) => isText(field) || isNumber(context, field);
  const fields = context.model.fields.filter((field) => isPlain(field) && Object.hasOwn(values, field.name));
  return Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? null]));
}

/**
 * The answers to one invalid write for each field, and whether no refused write stored anything. That is checked once,
 * after the last write. A field that is not cleared by this is tried alone.
 */
type InvalidWrites = { readonly answers: ReadonlyMap<Field, Answer>; readonly noTrace: boolean };

/** Sends one invalid write for each field: with its first invalid value, its second one, and so on. */
export function oneForEachField(write: InvalidWrite, index = 0): Question<InvalidWrites> {
  return {
    name: `${write.name} ${index}`,
    ask(context) {
      const values = new Map<Field, Value | undefined>();
      for (const field of context.model.fields) {
        const tried = write.valuesFor(field, context);
        if (index < tried.length) values.set(field, tried[index]);
      }
      return write.by === 'create' ? createEach(context, values) : updateEach(context, values);
    },
  };
}

/** The target refused the write for the field, and no refused one left a trace. */
function isRefusedCleanly({ answers, noTrace }: InvalidWrites, field: Field): boolean {
  const answer = answers.get(field);
  return noTrace && answer !== undefined && isRefused(answer) && whyDenied(answer) === undefined;
}

async function createEach(
  context: CaseContext,
  values: ReadonlyMap<Field, Value | undefined>,
): Promise<InvalidWrites> {
  const answers = new Map<Field, Answer>();
  const refused: RecordValues[] = [];
  for (const [field, value] of values) {
    const { stored, wire } = invalidCreate(context, { field }, value);
    const answer = await context.api.create(context.model.name, wire);
    context.records.adopt(answer);
    answers.set(field, answer);
    if (isRefused(answer)) refused.push(stored);
  }
  return { answers, noTrace: await holds(() => context.records.assertNothingStored(refused)) };
}

/** Updates one record that was made with all fields: it has a value to lose in each. */
async function updateEach(
  context: CaseContext,
  values: ReadonlyMap<Field, Value | undefined>,
): Promise<InvalidWrites> {
  const { before, made } = await recordWithAll(context);
  const answers = new Map<Field, Answer>();
  for (const [field, value] of values)
    answers.set(field, await updateInvalid(context, made, valueAt(context, { field }, value)));
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
