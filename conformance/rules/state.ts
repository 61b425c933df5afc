import { setTimeout as delay } from 'node:timers/promises';
import { fieldOf, readRole } from '../../spec/catalogue/roles.ts';
import { isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type Id, isAccepted } from '../api/answer.ts';
import { agrees, isNone, show } from '../assert/agreement.ts';
import { failure, skip } from '../assert/ending.ts';
import {
  expectAccepted,
  expectRecord,
  expectRefused,
  expectUpdated,
  expectValues,
  lasting,
} from '../cases/assert.ts';
import { type CaseContext, type ListedRule, row, type SharedRequests, where } from '../cases/rule.ts';
import { writableFields } from '../records/values/values.ts';
import { deletion, isPlain, one } from './shared.ts';
import { type UpdateStep, updates, updateWhole, wholeUpdate } from './updates.ts';

/** Milliseconds in which each service changes a time that has milliseconds. */
const TICK = 20;

const hasUpdated = where((_, model) => fieldOf(model, 'updated') !== undefined);

/** Deletes a record, and then creates some at the same time. */
const atOnce = {
  name: 'concurrent creates',
  againAfter5xx: true,
  async ask({ model, records }) {
    const old = model.operations.includes('delete') ? await records.make() : undefined;
    const deleted = old && { id: old.id, answer: await records.delete(old.id) };
    const made = await together(Array.from({ length: 4 }, () => records.make()));
    return { deleted, ids: made.map(({ id }) => id) };
  },
} satisfies SharedRequests<unknown>;

/** Waits until no request is under way, so that all records that were made are removed. */
async function together<T>(requests: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(requests);
  return Promise.all(requests);
}

/** Expectations of the state of records that the source does not state. */
export const stateAdvice: readonly ListedRule[] = [
  row({
    id: 'advice.update-twice',
    title: 'The same update sent twice gives the same record',
    requirement: 'operation-update',
    needs: ['create', 'retrieve', 'update'],
    requests: wholeUpdate,
    async judge(context, _, { after: first, answer, change, id, sent }) {
      expectUpdated(context, answer, change);
      expectAccepted(await context.records.update(id, change, sent), 'the same update again');
      // An update can create lines again, and other rules judge them.
      const kept = { ...lasting(context, first ?? {}) };
      for (const { lines, name } of context.model.fields) if (lines !== undefined) delete kept[name];
      const second = await context.records.readValues(id);
      expectValues(context, kept, second, 'the record after the second update');
    },
  }),
  {
    id: 'advice.lost-update',
    title: 'Two concurrent updates of different fields keep both values',
    requirement: 'operation-update',
    needs: ['create', 'retrieve', 'update'],
    cases: where(
      // An update that replaces the record undoes the other by right.
      ({ profile }, model) =>
        profile['request.update'] === 'partial' &&
        profile.unknown['request.update'] === undefined &&
        writableFields(model).length > 1,
    ),
    judge: expectBothUpdates,
  },
  row({
    id: 'advice.updated-rises',
    title: 'Update sets updated to a later time',
    requirement: 'common-fields',
    needs: ['create', 'retrieve', 'update'],
    cases: hasUpdated,
    requests: wholeUpdate,
    async judge(context, _, update) {
      expectUpdated(context, update.answer, update.change);
      for (const { name, role = '' } of update.after ? context.model.fields : [])
        if (role.startsWith('updated') && !isNone(update.before?.[name]) && isNone(update.after?.[name]))
          throw failure(`an update sets ${name} to null`, 'a value', 'null');
      const [before, after] = [update.before, update.after].map((record) =>
        readRole(context.model, 'updated', record ?? {}),
      );
      if (typeof before !== 'string' || typeof after !== 'string')
        throw skip(`updated is first ${show(before)}, then ${show(after)}`);
      if (Date.parse(after) < Date.parse(before))
        throw failure('updated moves back in time', `${before} or later`, after);
      // Within a second, only a time with a fraction of a second shows a change.
      if (after !== before || !/\.\d*[1-9]/.test(after)) return;
      // Two updates can be in the same millisecond.
      await delay(TICK);
      const { change, id, sent } = update;
      await updateWhole(context, { id, sent: { ...sent, ...change } });
      if ((await readUpdated(context, id)) === before)
        throw failure('an update does not change updated', `later than ${before}`, after);
    },
  }),
  row({
    id: 'advice.updated-kept',
    title: 'Retrieve does not change updated',
    requirement: 'common-fields',
    needs: ['create', 'retrieve'],
    cases: hasUpdated,
    requests: one,
    async judge(context, _, { id }) {
      const [first, second] = [await readUpdated(context, id), await readUpdated(context, id)];
      if (first !== second) throw failure('a retrieve changes updated', show(first), show(second));
    },
  }),
  row({
    id: 'advice.deleted-stays',
    title: 'Update neither changes nor restores a deleted record',
    requirement: 'operation-delete',
    needs: ['create', 'update', 'delete'],
    requests: deletion,
    async judge(context, _, { answer, id, sent }) {
      expectAccepted(answer, 'a delete');
      context.records.needNotReused(id);
      const updated = await context.records.update(id, context.samples.valuesAfter(sent), sent);
      expectRefused(updated, 'an update of a deleted record');
    },
  }),
  {
    id: 'advice.delete-twice',
    title: 'A second delete of a record causes no server error',
    requirement: 'operation-delete',
    needs: ['create', 'delete'],
    async judge(context) {
      const { api, model } = context;
      const { answer, id } = await context.ask(deletion);
      expectAccepted(answer, 'a delete');
      context.records.needNotReused(id);
      const second = await api.delete(model.name, id);
      if (!isAccepted(second)) expectRefused(second, 'a second delete');
    },
  },
  row({
    id: 'advice.id-not-reused',
    title: 'A new record does not get the ID of a deleted record',
    requirement: 'operation-create',
    needs: ['create', 'delete'],
    requests: atOnce,
    async judge(_context, _, { deleted, ids }) {
      if (deleted) expectAccepted(deleted.answer, 'a delete');
      const message = 'the target reuses the ID of a deleted record';
      if (deleted && ids.includes(deleted.id))
        throw failure(message, `not ${deleted.id}`, String(deleted.id));
    },
  }),
  {
    id: 'advice.create-at-once',
    title: 'Concurrent creates get different IDs',
    requirement: 'operation-create',
    needs: ['create'],
    async judge(context) {
      const { ids } = await context.ask(atOnce);
      if (new Set(ids).size < ids.length)
        throw failure('concurrent creates return the same ID', '4 ids', show(ids));
    },
  },
];

async function readUpdated({ model, records }: CaseContext, id: Id): Promise<Value | undefined> {
  return readRole(model, 'updated', await records.readValues(id));
}

/** Updates two fields of a record at the same time. Each of them kept the value of a single update before. */
async function expectBothUpdates(context: CaseContext): Promise<void> {
  const { check, model, records, samples } = context;
  const isKept = ({ after, answer, field, value }: UpdateStep) =>
    isAccepted(answer) && agrees(field, value, after[field.name]) && isPlain(field) && !samples.isTied(field);
  const kept = (await context.ask(updates)).filter(isKept).map(({ field }) => field);
  // Texts first, because they seldom depend on other fields.
  const fields = [...new Set(kept)].toSorted((one, other) => Number(isText(other)) - Number(isText(one)));
  const made = await records.make(samples.values('all'));
  const before = await records.readValues(made.id);
  const changes = fields.flatMap((field) => {
    const value = samples.otherValue(field, before[field.name]);
    return value === undefined ? [] : [{ field, value }];
  });
  const both = changes.slice(0, 2);
  if (both.length < 2) throw skip(`${model.name} has no two fields that keep what an update sends`);
  const answers = await together(
    both.map(({ field, value }) => records.update(made.id, { [field.name]: value }, made.sent)),
  );
  if (!answers.every(isAccepted)) throw skip('the target rejects one of two concurrent updates');
  const seen = await records.retrieve(made.id);
  const after = check.read(model, expectRecord(context, seen, 'a retrieve'));
  for (const [index, { field, value }] of both.entries()) {
    const shown = after[field.name];
    if (agrees(field, value, shown) || !agrees(field, before[field.name] ?? null, shown)) continue;
    const other = both[1 - index]?.field.name;
    const message = `an update of ${field.name} is lost in a concurrent update of ${other}`;
    throw failure(message, show(value), show(shown), seen.exchange);
  }
}
