import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import type { Id } from '../../api/places.ts';
import { expectAccepted, expectRecord, expectUpdated, expectValues } from '../../assert/assert.ts';
import { withoutCopies } from '../../assert/copies.ts';
import { Failure } from '../../assert/failure.ts';
import { type CaseContext, type ListedRule, once } from '../../plan/rule.ts';
import { expectLinkingKept, linked } from '../questions/linking-records.ts';
import { onShared, type Three, textsOf, three } from '../questions/shared.ts';
import { updateWhole } from '../questions/updates.ts';
import { withoutLostSeconds } from '../support/kept-values.ts';
import { expectNoNewRecord, expectUnchanged, stableValues } from '../support/unchanged.ts';

/** A request about one record does not change others (section 4). */
export const otherRecordRules: readonly ListedRule[] = [
  {
    id: 'create.distinct',
    title: 'Two creates make two records with different IDs',
    requirement: 'operation-create',
    needs: ['create', 'retrieve'],
    cases: once((context) => onShared(context, three, (three) => expectDistinct(context, three)), {
      operation: 'create',
    }),
  },
  {
    id: 'update.keeps-other-records',
    title: 'Update does not change other records and creates none',
    requirement: 'operation-update',
    needs: ['create', 'retrieve', 'update'],
    cases: once(
      async (context) => {
        await onShared(context, three, (three) => expectUpdateApart(context, three));
        await expectLinkingKeptByUpdate(context);
      },
      { operation: 'update' },
    ),
  },
  {
    id: 'delete.keeps-other-records',
    title: 'Delete does not change other records',
    requirement: 'operation-delete',
    needs: ['create', 'retrieve', 'delete'],
    cases: once(
      async (context) => {
        await onShared(context, three, (three) => expectDeleteApart(context, three));
        await expectLinkingKeptByDelete(context);
      },
      { operation: 'delete' },
    ),
  },
];

async function expectDistinct(context: CaseContext, { alone, newer, older, own }: Three): Promise<void> {
  await expectNoNewRecord(context, [newer.sent], 'a create', () => context.records.create(newer.sent));
  const first = expectRecord(context, alone, 'a retrieve of the first record');
  const before = context.check.read(context.model, first);
  expectValues(context, asSent(context, older.sent, before), before, 'the first record', alone);
  if (older.id === own.id || older.id === newer.id)
    throw new Failure('two creates return the same ID', 'two IDs', `${older.id} twice`);
  await expectUnchanged(context, older.id, before, 'the first record after another create');
  const last = await context.records.readValues(newer.id);
  expectValues(context, asSent(context, newer.sent, last), last, 'the last record');
}

/** What a service has to keep of what was sent; copies follow something else. */
function asSent({ catalogue, model }: CaseContext, sent: RecordValues, found: RecordValues): RecordValues {
  return withoutLostSeconds(model, withoutCopies(model, sent, catalogue), found);
}

async function expectUpdateApart(context: CaseContext, three: Three): Promise<void> {
  const expectKept = await watchNeighbors(context, three);
  const { id } = three.own;
  let { sent } = three.own;
  // A service that keeps a history might store the old row as another record.
  const versions = [sent];
  // Twice, since a boolean that the neighbor shares with the first update differs in the second.
  for (let times = 0; times < 2; times++) {
    const { answer, change } = await updateWhole(context, { id, sent });
    expectUpdated(context, await notGone(context, answer, id), change);
    sent = { ...sent, ...change };
    versions.push(sent);
    await expectKept('another record after the update');
  }
  await expectNoNewRecord(context, versions, 'an update', () => context.records.update(id, sent, sent));
}

async function expectDeleteApart(context: CaseContext, three: Three): Promise<void> {
  const { id, sent } = three.own;
  // An update may have given it other texts than its neighbor has.
  if (context.model.operations.includes('update'))
    await context.records.update(id, textsOf(context, three.older.sent), sent);
  const expectKept = await watchNeighbors(context, three);
  expectAccepted(await notGone(context, await context.records.delete(id), id), 'a delete');
  context.records.forget(id);
  await expectKept('another record after the delete');
}

async function expectLinkingKeptByUpdate(context: CaseContext): Promise<void> {
  const found = await context.ask(linked);
  if (!found) return;
  const { answer } = await updateWhole(context, found.one);
  if (isAccepted(answer))
    await expectLinkingKept(found, `an update of the ${context.model.name} it links to`);
}

async function expectLinkingKeptByDelete(context: CaseContext): Promise<void> {
  const found = await context.ask(linked);
  const { model, records } = context;
  // Some services refuse to delete a record that others link to.
  if (!found || !isAccepted(await records.delete(found.one.id))) return;
  records.forget(found.one.id);
  await expectLinkingKept(found, `a delete of the ${model.name} it links to`, model);
}

/** Throws Blocked where a refusal is about a record that is gone: another case may have taken it away. */
async function notGone(context: CaseContext, answer: Answer, id: Id): Promise<Answer> {
  if (isRefused(answer)) await context.records.read(id);
  return answer;
}

/** Looks at the records made before and after the one in the middle; what it gives looks whether they changed. */
async function watchNeighbors(
  context: CaseContext,
  { newer, older }: Three,
): Promise<(what: string) => Promise<void>> {
  const neighbors: [Id, RecordValues][] = [];
  for (const { id } of [older, newer])
    neighbors.push([id, stableValues(context, await context.records.readValues(id))]);
  return async (what) => {
    for (const [id, before] of neighbors) await expectUnchanged(context, id, before, what);
  };
}
