import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Answer } from '../../api/answer.ts';
import { Failure, whyDenied } from '../../assert/failure.ts';
import { statusOf } from '../../cases/assert.ts';
import type { CaseContext } from '../../cases/rule.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { updateValues } from '../../records/values/values.ts';
import { needCreate, observation } from '../questions/updates.ts';

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
  const { api, codec, model } = context;
  const others = codec.encodeNamed(model.name, updateValues(model, context, {}, sent));
  const answer = await api.update(model.name, id, { ...others, ...wire });
  // Asks for a valid update, because only its success shows that the credentials are not the reason to refuse.
  if (whyDenied(answer) !== undefined) await context.ask(observation);
  return answer;
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
