import type { Field } from '../../../spec/catalogue/field.ts';
import { isText } from '../../../spec/types/types.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { expectRefused, expectValues, lasting, statusOf } from '../../assert/assert.ts';
import { Failure, whyDenied } from '../../assert/failure.ts';
import type { CaseContext } from '../../plan/rule.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { isNumber, needCreate, observation } from '../questions/updates.ts';

/** Creates a valid record with more fields, in wire form. */
export async function createWith(context: CaseContext, more: RecordValues): Promise<Answer> {
  await needCreate(context);
  return context.records.create(context.samples.values('required'), { more });
}

/** Updates a record to values in wire form, valid or not; where the profile wants all fields, the others go with them. */
export async function updateWith(
  context: CaseContext,
  { id, sent }: MadeRecord,
  wire: RecordValues,
): Promise<Answer> {
  const { api, codec, model, profile } = context;
  const others = profile['request.update'] === 'full' ? codec.encodeNamed(model.name, sent) : {};
  const answer = await api.update(model.name, id, { ...others, ...wire });
  // Asks for a valid update, because only its success shows that the credentials are not the reason to refuse.
  if (whyDenied(answer) !== undefined) await context.ask(observation);
  return answer;
}

/** A create, in wire form, and the values by which a record shows that it was stored. */
export type InvalidCreate = { readonly wire: RecordValues; readonly stored: RecordValues };

/** The values that would show in a list that a create without the field, or with an invalid value, was stored. */
export function traceOf(others: RecordValues, field: Field): RecordValues {
  // Where nothing else was sent, a record without a value for the field is the one.
  return Object.keys(others).length === 0 ? { [field.name]: null } : others;
}

/** Sends an invalid create. Gives undefined where it is refused and stores nothing, and else the answer. */
export async function tryInvalidCreate(
  context: CaseContext,
  { stored, wire }: InvalidCreate,
  what: string,
): Promise<Answer | undefined> {
  await needCreate(context);
  const send = async () => {
    const answer = await context.api.create(context.model.name, wire);
    context.records.adopt(answer);
    return answer;
  };
  const answer = await send();
  if (isAccepted(answer)) return answer;
  expectRefused(answer, what);
  await context.records.assertNothingStored([stored], send);
  return undefined;
}

/** Expects that a create is refused and stores nothing. */
export async function expectCreateRefused(context: CaseContext, create: InvalidCreate, what: string) {
  const answer = await tryInvalidCreate(context, create, what);
  if (answer) expectRefused(answer, what);
}

/**
 * An invalid update, in wire form, with other values that are valid beside it: a refused one stores none of them. Where
 * an update of all fields is refused, they might be the reason, so that they are left out.
 */
export async function updateInvalid(
  context: CaseContext,
  made: MadeRecord,
  wire: RecordValues,
): Promise<Answer> {
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

/** Sends an invalid update. Gives undefined where it is refused and changes nothing, and else the record after it. */
export async function tryInvalidUpdate(
  context: CaseContext,
  made: MadeRecord,
  wire: RecordValues,
  what: string,
): Promise<{ readonly answer: Answer; readonly after: RecordValues } | undefined> {
  const before = await context.records.readValues(made.id);
  const answer = await updateInvalid(context, made, wire);
  const after = await context.records.read(made.id);
  if (isAccepted(answer)) return { answer, after };
  expectRefused(answer, what);
  const found = context.check.read(context.model, after);
  expectValues(context, lasting(context, before), found, `${what} is refused`);
  return undefined;
}

/** The service may accept or refuse; it may not answer with a 5xx. */
export function expectUnbroken(answer: Answer, what: string): void {
  if (answer.status >= 500)
    throw new Failure(
      `the target crashes on ${what}`,
      'any status below 500',
      statusOf(answer),
      answer.exchange,
    );
}
