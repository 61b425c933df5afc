import { fieldOf } from '../../../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import { isAccepted, isRefused } from '../../../api/answer.ts';
import { expectRecord, expectValues, isMarkedDeleted } from '../../../assert/assert.ts';
import { Failure } from '../../../assert/failure.ts';
import { show } from '../../../assert/wire-check.ts';
import type { CaseContext, Question } from '../../../plan/rule.ts';
import type { MadeRecord } from '../../../records/records-core.ts';
import { deletion } from '../../questions/deletion.ts';
import { one } from '../../questions/shared.ts';
import { createWith, updateWith } from '../../support/invalid-requests.ts';
import { stableValues } from '../../support/unchanged.ts';

/** Fails when a request with the id of another record in its body changed that record. */
export async function expectNeighborKept(
  context: CaseContext,
  operation: 'create' | 'update',
): Promise<void> {
  const seen = await context.ask(namedNeighbor);
  const before = operation === 'create' ? seen.before : seen.created;
  const what = `a record whose id stood in the body of ${operation === 'create' ? 'a create' : 'an update'}`;
  expectValues(context, stableValues(context, before), seen[`${operation}d`], what);
}

/** A record, and how it looks after a create and an update of another one, `own`, that name its id. */
export const namedNeighbor: Question<
  Readonly<Record<'before' | 'created' | 'updated', RecordValues>> & { readonly own: MadeRecord }
> = {
  name: 'neighbor that is named',
  async ask(context) {
    const { codec, model, records, samples } = context;
    const { id } = await context.ask(one);
    const before = await records.readValues(id);
    await createWith(context, { id });
    const created = await records.readValues(id);
    const own = await records.make();
    await updateWith(context, own, { ...codec.encodeNamed(model.name, samples.valuesAfter(own.sent)), id });
    return { before, created, own, updated: await records.readValues(id) };
  },
};

/** Fails when an update restores a deleted record. */
export async function expectStaysDeleted(context: CaseContext): Promise<void> {
  const { api, codec, model, records } = context;
  const mark = fieldOf(model, 'deleted');
  if (!mark || !model.operations.includes('delete')) return;
  const { answer, id, record, retrieved, sent } = await context.ask(deletion);
  const isGone = retrieved && (isRefused(retrieved) || (record && isMarkedDeleted(context, record)));
  // Other rules judge the delete itself.
  if (!isGone) return;
  records.needNoHeir(id);
  await updateWith(
    context,
    { model, id, sent, answer },
    codec.encodeNamed(model.name, { [mark.name]: false }),
  );
  const after = await api.retrieve(model.name, id);
  if (!isAccepted(after)) return;
  const found = expectRecord(context, after, 'a retrieve of a deleted record');
  if (isMarkedDeleted(context, found)) return;
  // The id may have been given to a new record meanwhile.
  await records.needDeleted(id);
  records.adopt(after);
  throw new Failure('an update restores a deleted record', 'deleted as before', show(found[mark.name]));
}
