import type { Field } from '../../../spec/catalogue/field.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isAccepted, isRefused } from '../../api/answer.ts';
import { expectRecord, expectValues, isMarkedDeleted } from '../../assert/expect.ts';
import { createWith, updateWith } from '../../assert/invalid-requests.ts';
import { show } from '../../assert/wire-check.ts';
import { Failure } from '../../plan/rule.ts';
import type { CaseContext } from '../../records/context.ts';
import { makeOne } from '../support/shared.ts';
import { steady } from '../support/unchanged.ts';

/** The id of the record, or its mark of deletion: what it does where it is taken, its own record does not tell. */
export function isCommon({ common, name }: Field, wanted: 'id' | 'deleted'): boolean {
  return common && name === wanted;
}

/** Fails when a request with the id of another record in its body was done to that one. */
export async function expectNeighbourKept(
  context: CaseContext,
  operation: 'create' | 'update',
): Promise<void> {
  const seen = await context.ask(nameNeighbour);
  const before = operation === 'create' ? seen.before : seen.created;
  const what = `a record whose id stood in the body of ${operation === 'create' ? 'a create' : 'an update'}`;
  expectValues(context, steady(context, before), seen[`${operation}d`], what);
}

/** A record, and how it looks after a create and an update of another one that name its id. */
async function nameNeighbour(
  context: CaseContext,
): Promise<Readonly<Record<'before' | 'created' | 'updated', RecordValues>>> {
  const { codec, model } = context;
  const { id } = await context.ask(makeOne);
  const before = await context.readValues(id);
  await createWith(context, { id });
  const created = await context.readValues(id);
  const own = await context.make();
  await updateWith(context, own, { ...codec.encodeNamed(model.name, context.valuesAfter(own.sent)), id });
  return { before, created, updated: await context.readValues(id) };
}

/** Fails when an update takes the mark of deletion off a record. */
export async function expectStaysDeleted(context: CaseContext): Promise<void> {
  const { api, codec, model } = context;
  if (!model.operations.includes('delete')) return;
  const { answer, id, record, retrieved, sent } = await context.deletion();
  const isGone = retrieved && (isRefused(retrieved) || (record && isMarkedDeleted(context, record)));
  // Whether a delete does what it says, other rules tell.
  if (!isGone) return;
  await updateWith(context, { id, sent, answer }, codec.encodeNamed(model.name, { deleted: false }));
  const after = await api.retrieve(model.name, id);
  if (!isAccepted(after)) return;
  const found = expectRecord(context, after, 'a retrieve of a deleted record');
  if (isMarkedDeleted(context, found)) return;
  context.adopt(after);
  throw new Failure('an update brings a deleted record back', 'deleted as before', show(found.deleted));
}
