import type { Field } from '../../../spec/catalogue/field.ts';
import { readRole } from '../../../spec/catalogue/roles.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import type { Id } from '../../api/places.ts';
import { agrees } from '../../assert/agreement.ts';
import { lasting } from '../../assert/assert.ts';
import { Blocked } from '../../assert/failure.ts';
import type { CaseContext, Question } from '../../plan/rule.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { movesOf, writableFields } from '../../records/values/values.ts';

/** One field of a record that was updated, and the whole record around it; values are canonical, writable fields only. */
export type UpdateStep = {
  readonly field: Field;
  readonly value: Value;
  readonly before: RecordValues;
  readonly answer: Answer;
  /** The answer to the retrieve after it. */
  readonly seen: Answer;
  readonly after: RecordValues;
};

/**
 * Updates the writable fields of one record one after the other, and looks at the whole record after each. The last
 * one comes first, so that the end of a range moves before its start does, and a link to a record that no other holds.
 */
export const updates: Question<readonly UpdateStep[]> = {
  name: 'updates',
  againAfter5xx: true,
  async ask(context) {
    const { api, check, model, records, samples } = context;
    const sent = samples.values('all');
    // Of numbers that follow each other, so that each text comes in all its forms.
    const next = [sent, sent, sent].map((values) => samples.valuesAfter(values));
    let made = await records.make(sent);
    const steps: UpdateStep[] = [];
    let before = lasting(context, await records.readValues(made.id));
    const turns = writableFields(model)
      .toReversed()
      .flatMap((field) =>
        next.slice(0, timesOf(field)).map((values) => ({ field, wanted: values[field.name] })),
      );
    for (const { field, wanted } of turns) {
      const tried = await changeField(context, made, field, before[field.name], wanted);
      const isBack = steps.at(-1)?.field === field;
      // The source does not say that each move can be undone.
      if (!tried || (isBack && isRefused(tried.answer))) continue;
      const seen = await records.retrieve(made.id);
      const after = lasting(context, check.read(model, api.recordIn(seen) ?? {}));
      steps.push({ field, before, seen, after, ...tried });
      if (isAccepted(tried.answer)) made = { ...made, sent: { ...made.sent, [field.name]: tried.value } };
      before = after;
    }
    await needPartial(context, made, steps);
    return steps;
  },
};

/** How often a field is updated: both ways, since a service may fail in one direction only, or to each form of a text. */
function timesOf(field: Field): number {
  if (isText(field)) return 3;
  return field.type === 'bool' ? 2 : 1;
}

/**
 * Throws Blocked when each update of one field changes others, and an update of all fields is accepted: the target then
 * speaks another option of `request.update`.
 */
async function needPartial(
  { api, codec, model, profile }: CaseContext,
  { id, sent }: MadeRecord,
  steps: readonly UpdateStep[],
): Promise<void> {
  const refused = steps.find(({ answer }) => isRefused(answer));
  const isKept = ({ after, before, field }: UpdateStep) =>
    model.fields.every(
      (other) => other === field || agrees(other, before[other.name] ?? null, after[other.name]),
    );
  // After the first update of a field, the others may be unset, so that the next one has nothing to change.
  const accepted = steps.filter(({ answer }) => isAccepted(answer));
  const first = new Map(accepted.toReversed().map((step) => [step.field, step]));
  if (profile['request.update'] === 'full' || !refused || [...first.values()].some(isKept)) return;
  const values = { ...sent, [refused.field.name]: refused.value };
  const whole = await api.update(model.name, id, codec.encodeNamed(model.name, values));
  if (isAccepted(whole))
    throw new Blocked(
      'request.update differs: the target rejects an update with some fields, but accepts one with all fields',
      whole.exchange,
      'request.update',
    );
}

/** Updates all writable fields of a record to other values; where a move of a state is refused, the states stay. */
export async function updateWhole(
  context: CaseContext,
  { id, sent }: Pick<MadeRecord, 'id' | 'sent'>,
): Promise<{ readonly change: RecordValues; readonly answer: Answer }> {
  const change = context.samples.valuesAfter(sent);
  const answer = await context.records.update(id, change, sent);
  const states = context.model.fields.filter((field) => movesFreely(context, field));
  if (!isRefused(answer) || states.length === 0) return { change, answer };
  const calm = { ...change };
  for (const { name } of states)
    if (sent[name] === undefined) delete calm[name];
    else calm[name] = sent[name];
  const again = await context.records.update(id, calm, sent);
  return isAccepted(again) ? { change: calm, answer: again } : { change, answer };
}

/** A record before and after an update of all writable fields; canonical values. */
export type WholeUpdate = {
  readonly id: Id;
  readonly sent: RecordValues;
  readonly change: RecordValues;
  readonly answer: Answer;
  readonly before: RecordValues;
  readonly after: RecordValues;
  /** The time of creation on the wire, before and after. */
  readonly created: readonly [before: Value | undefined, after: Value | undefined];
};

/** Makes a record and updates it as a whole. */
export const wholeUpdate: Question<WholeUpdate> = {
  name: 'whole update',
  againAfter5xx: true,
  async ask(context) {
    const { check, model, records, samples } = context;
    const { id, sent } = await records.make(samples.values('all'));
    const first = await records.read(id);
    const { answer, change } = await updateWhole(context, { id, sent });
    const last = await records.read(id);
    const [before, after] = [check.read(model, first), check.read(model, last)];
    return {
      id,
      sent,
      change,
      answer,
      before,
      after,
      created: [readRole(model, 'created', first), readRole(model, 'created', last)],
    };
  },
};

/** An update that unsets all optional fields. A service may refuse it. */
export const nullUpdate: Question<void> = {
  name: 'update to nulls of what is optional',
  async ask({ model, profile, records, samples }) {
    const optional = writableFields(model).filter(({ required }) => !required);
    // A form can't express null: an empty text is a value.
    if (optional.length === 0 || profile['request.encoding'] === 'form') return;
    const made = await records.make(samples.values('all'));
    const nothing = Object.fromEntries(optional.map(({ name }) => [name, null]));
    // What the record shows afterwards is judged with all that is known of it.
    if (isAccepted(await records.update(made.id, nothing, made.sent))) await records.retrieve(made.id);
  },
};

/**
 * A field with a value list of which the profile says that any value may follow any other. Where the target refuses a
 * move, `profile.transitions` tells; to other rules one move is as good as another.
 */
export function movesFreely({ profile }: CaseContext, field: Field): boolean {
  return field.choices !== undefined && movesOf(field, profile) === undefined;
}

async function changeField(
  context: CaseContext,
  made: MadeRecord,
  field: Field,
  current: Value | undefined,
  wanted: Value | undefined,
): Promise<{ readonly value: Value; readonly answer: Answer } | undefined> {
  const isOther = wanted !== undefined && !agrees(field, wanted, current);
  const value = isOther ? wanted : context.samples.otherValue(field, current);
  if (value === undefined) return undefined;
  const change = async (to: Value) => ({
    value: to,
    answer: await context.records.update(made.id, { [field.name]: to }, made.sent),
  });
  const first = await change(value);
  if (!isRefused(first.answer)) return first;
  if (!movesFreely(context, field)) return first;
  for (const choice of field.choices ?? []) {
    const next = [value, current].includes(choice.value) ? undefined : await change(choice.value);
    if (next && !isRefused(next.answer)) return next;
  }
  return first;
}
