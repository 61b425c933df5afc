import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Answer } from '../../api/answer.ts';
import { expectRefused, expectValues, lasting } from '../../assert/assert.ts';
import type { CaseContext } from '../../plan/rule.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { needCreate } from '../questions/observation.ts';

/** Creates a valid record with more fields, in wire form. */
export async function createWith(context: CaseContext, more: RecordValues): Promise<Answer> {
  await needCreate(context);
  return context.records.create(context.samples.values('required'), { more });
}

/** Updates a record to values in wire form, valid or not; where the profile wants all fields, the others go with them. */
export function updateWith(
  { api, codec, model, profile }: CaseContext,
  { id, sent }: MadeRecord,
  wire: RecordValues,
): Promise<Answer> {
  const others = profile['request.update'] === 'full' ? codec.encodeNamed(model.name, sent) : {};
  return api.update(model.name, id, { ...others, ...wire });
}

/** Expects that a create is refused and stores nothing. */
export async function expectCreateRefused(
  context: CaseContext,
  values: RecordValues,
  wire: RecordValues,
  what: string,
) {
  await needCreate(context);
  const answer = await context.api.create(context.model.name, wire);
  context.records.adopt(answer);
  expectRefused(answer, what);
  await context.records.assertNothingStored([values]);
}

/** Expects that an update is refused and changes nothing. */
export async function expectUpdateRefused(
  context: CaseContext,
  made: MadeRecord,
  wire: RecordValues,
  what: string,
) {
  const before = await context.records.readValues(made.id);
  expectRefused(await updateWith(context, made, wire), what);
  expectValues(
    context,
    lasting(context, before),
    await context.records.readValues(made.id),
    'a refused update changes the record',
  );
}
