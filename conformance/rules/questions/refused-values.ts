import type { Field } from '../../../spec/catalogue/field.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { needIds, statusOf } from '../../assert/assert.ts';
import { Failure } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import type { CaseContext } from '../../plan/rule.ts';
import { mayBeDuplicate } from '../../records/ids.ts';
import { isDigits, type Samples } from '../../records/values/samples.ts';

/** Creates that are sent to find the value. */
const MOST_TRIES = 30;

/**
 * Throws Failure for the value for which a create is refused, where one that differs in this value alone is accepted.
 * `sent` was refused.
 */
export async function expectNoRefusedValue(context: CaseContext, sent: RecordValues): Promise<void> {
  const { model, references, samples } = context;
  const fields = model.fields.filter(
    ({ key, lines, name }) => Object.hasOwn(sent, name) && lines === undefined && !references.has(key),
  );
  // Truth values and members of lists are stated; a value of another type may be a matter of its form.
  const order = ['bool', 'select'];
  fields.sort((one, other) => order.indexOf(other.type) - order.indexOf(one.type));
  for (const field of fields.slice(0, MOST_TRIES)) {
    const value = sent[field.name];
    // Texts have accents or digits by turns.
    const others = field.type === 'bool' ? [!value] : [1, 2].map(() => samples.otherValue(field, value));
    for (const other of others) {
      if (value === undefined || other === undefined) continue;
      if (!isAccepted(await context.records.create({ ...sent, [field.name]: other }))) continue;
      await expectTaken(context, sent, field, value, other);
      break;
    }
  }
}

/** Throws Failure where another value of a required text or truth value is refused. `sent` was accepted. */
export async function expectOtherValues(context: CaseContext, sent: RecordValues): Promise<void> {
  const isAsked = (field: Field) => field.required && (field.type === 'bool' || isText(field));
  for (const { field, value } of await refusedValues(context, sent, isAsked))
    await expectTaken(context, sent, field, value, sent[field.name] ?? null);
}

/** Leaves optional truth values whose other value is refused out of all that is sent later. `sent` was accepted. */
export async function leaveOutTruths(context: CaseContext, sent: RecordValues): Promise<void> {
  const { records, samples } = context;
  const isAsked = (field: Field) => !field.required && field.type === 'bool';
  for (const { answer, field, value } of await refusedValues(context, sent, isAsked))
    if (isAccepted(await records.create(samples.fresh(sent))))
      samples.leaveOut(field, `${field.key} is left out: ${show(value)} is refused, ${statusOf(answer)}`);
}

/** All at once first: as a rule all are accepted. */
async function refusedValues(
  { model, records, references, samples }: CaseContext,
  sent: RecordValues,
  isAsked: (field: Field) => boolean,
) {
  const fields = model.fields.filter(
    (field) =>
      isAsked(field) &&
      Object.hasOwn(sent, field.name) &&
      !references.has(field.key) &&
      samples.whyUnsent(field) === undefined,
  );
  const change = async (some: readonly Field[]) => {
    const others = Object.fromEntries(
      some.map((field) => [field.name, otherKind(samples, field, sent[field.name]) ?? null]),
    );
    return { others, answer: await records.create({ ...samples.fresh(sent), ...others }) };
  };
  const refused: { readonly field: Field; readonly value: Value; readonly answer: Answer }[] = [];
  if (fields.length === 0 || isAccepted((await change(fields)).answer)) return refused;
  for (const field of fields) {
    const { answer, others } = await change([field]);
    if (!isAccepted(answer)) refused.push({ field, value: others[field.name] ?? null, answer });
  }
  return refused;
}

/** The other truth value; digits for letters, or letters for digits. */
function otherKind(samples: Samples, field: Field, value: Value | undefined): Value | undefined {
  if (field.type === 'bool') return value !== true;
  const others = [1, 2, 3].map(() => samples.value(field));
  return others.find((other) => isDigits(other) !== isDigits(value)) ?? value;
}

/** Once more, with other values in the other fields, so that only this value can be the reason. */
async function expectTaken(
  context: CaseContext,
  sent: RecordValues,
  field: Field,
  value: Value,
  twin: Value,
): Promise<void> {
  const again = (one: Value) => context.records.create({ ...context.samples.fresh(sent), [field.name]: one });
  const taken = await again(twin);
  const answer = await again(value);
  // What another record has already is no matter of the value.
  if (!isAccepted(taken) || isAccepted(answer) || mayBeDuplicate(answer)) return;
  needIds(context, answer, sent);
  throw new Failure(
    `the target does not accept ${field.name} ${show(value)}, but accepts the same create with ${show(twin)}`,
    'a 2xx status',
    statusOf(answer),
    answer.exchange,
  );
}
