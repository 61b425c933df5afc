import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { readRole } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { movesOf } from '../../spec/profile/profile.ts';
import { choicesOf, isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, isAccepted, isRefused } from '../api/answer.ts';
import { agrees, isCopy, show } from '../assert/agreement.ts';
import { blocked, failure, skip, unjudged, unlessEnded } from '../assert/ending.ts';
import {
  expectAccepted,
  expectRecord,
  expectRecords,
  expectUpdated,
  expectValues,
  isMarkedDeleted,
  needId,
  needIds,
} from '../cases/assert.ts';
import {
  expectAllowedTaken,
  expectNoneNeeded,
  expectNoRefusedChange,
  needSettings,
  optionForList,
  otherOption,
} from '../cases/remedy.ts';
import {
  type Assumption,
  type CaseContext,
  eachField,
  type FieldCase,
  type ListedRule,
  row,
} from '../cases/rule.ts';
import { isWritable } from '../records/values/values.ts';
import {
  bareCreate,
  deletion,
  expectUnbroken,
  isNumber,
  makeOnWay,
  needCreate,
  nothingToSee,
  observation,
  plainList,
  three,
  wayTo,
} from './shared.ts';
import {
  areById,
  emptyUpdates,
  expectLinesById,
  movesFreely,
  numberUpdates,
  updates,
  updateWhole,
  wholeUpdate,
} from './updates.ts';

/** Sent values are kept, and no other value changes (sections 1 and 4). */
export const lifecycleRules: readonly ListedRule[] = [
  row({
    id: 'create.keeps-field',
    title: 'Create and a later retrieve return each field as sent',
    requirement: 'operation-create',
    needs: ['create', 'retrieve'],
    cases: eachField(isWritable),
    async judge(context, { field }) {
      if (areById(context, field)) return expectLinesById(context, field, 'create');
      const { made, retrieved } = await context.ask(observation);
      if (!retrieved || made?.sent[field.name] === undefined) throw skip(`no create sent ${field.key}`);
      expectRecord(context, retrieved, 'a retrieve');
      if (!isCopy(field, context.catalogue)) return;
      // The texts of other creates have other forms, and no other rule sends copies.
      if (isText(field)) await context.ask(three);
      // An update may show that the service stores the field, and does not compute it.
      if (context.model.operations.includes('update')) await unlessEnded(() => context.ask(wholeUpdate));
    },
  }),
  row({
    id: 'update.changes-field',
    title: 'Update and a later retrieve return each new value, for one field or several',
    requirement: 'operation-update',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(isWritable),
    async judge(context, { field }) {
      if (areById(context, field)) return expectLinesById(context, field, 'update');
      const steps = (await context.ask(updates)).filter(({ change }) => Object.hasOwn(change, field.name));
      if (steps.length === 0)
        throw skip(context.samples.whyPinned(field) ?? `${field.key} has no other valid value`);
      for (const { answer, before, change, guessed, seen } of steps) {
        if (guessed && isRefused(answer))
          throw unjudged(`only one ID of a ${guessed} is known; pass two with --bindings`);
        if (isRefused(answer) && movesFreely(context, field))
          throw skip(
            `the target accepts no move of ${field.key} from ${show(before[field.name])}; see the setting transitions`,
          );
        expectUpdated(context, answer, { [field.name]: change[field.name] ?? null });
        expectRecord(context, seen, 'a retrieve');
      }
      await context.ask(wholeUpdate);
      const kept = (await context.ask(emptyUpdates)).staying?.get(field.name);
      if (kept) expectUnbroken(kept.answer, `an update to ${show(kept.sent)}`);
      const { name } = field;
      // If no update is stored, the record of the run reports that.
      const isStored = steps.some(({ after, before }) => !agrees(field, before[name] ?? null, after[name]));
      const message = `an update to ${show(kept?.sent)} leaves a value in ${name}`;
      if (kept && isStored) throw failure(message, show(kept.sent), show(kept.value), kept.answer.exchange);
      if (!isNumber(context, field)) return;
      for (const { answer, change } of await context.ask(numberUpdates))
        if (Object.hasOwn(change, field.name)) expectUnbroken(answer, `an update to ${show(change)}`);
    },
  }),
  row({
    id: 'update.keeps-other-fields',
    title: 'Update of one field keeps the values of the others',
    requirement: 'operation-update',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(isWritable),
    async judge(context, { field }) {
      if (areById(context, field)) return expectLinesById(context, field, 'update of another field');
      const steps = (await context.ask(updates)).filter(({ change }) => !Object.hasOwn(change, field.name));
      // The record of the run compares what each response and retrieve shows, and fails this case.
      if (steps.length === 0) throw skip(`the model has no field to update except ${field.name}`);
    },
  }),
  row({
    id: 'update.keeps-origin',
    title: 'Update keeps id, created, createUser, and deleted',
    requirement: 'field-readonly',
    provenByAnswer: true,
    needs: ['create', 'retrieve', 'update'],
    operation: 'update',
    requests: wholeUpdate,
    async judge(context, _, { answer, change }) {
      expectUpdated(context, answer, change);
    },
    /** A service that sets the time of the create again shows it only in a later second. */
    async later(context, pause) {
      const { answer, before, change, id, sent } = await context.ask(wholeUpdate);
      const created = Date.parse(String(readRole(context.model, 'created', before ?? {})));
      if (!isAccepted(answer) || created % 1000 !== 0) return;
      await pause();
      const again = await updateWhole(context, { id, sent: { ...sent, ...change } });
      if (!context.api.recordIn(again.answer)) await context.records.retrieve(id);
    },
  }),
];

/** Each operation exists and answers with the right kind of thing (section 4). */
export const operationRules: readonly ListedRule[] = [
  row({
    id: 'operations.list',
    title: 'List returns a list of records',
    requirement: 'operation-list',
    needs: ['list'],
    operation: 'list',
    requests: plainList,
    async judge(context, _, answer) {
      await needSettings(context, answer, 'a list', optionForList);
      expectRecords(context, answer);
    },
  }),
  row({
    id: 'operations.retrieve',
    title: 'Retrieve returns the record with the ID',
    requirement: 'operation-retrieve',
    needs: ['retrieve'],
    operation: 'retrieve',
    requests: observation,
    async judge(context, _, { made, records, retrieved }) {
      const id = made?.id ?? records.find(({ from }) => from === 'list')?.record.id;
      if (!retrieved) throw await nothingToSee(context);
      const record = expectRecord(context, retrieved, 'a retrieve');
      expectId(record, id, 'a retrieve', retrieved);
    },
  }),
  row({
    id: 'operations.create',
    title: 'Create returns the record with its ID',
    requirement: 'operation-create',
    needs: ['create'],
    triesRefused: true,
    operation: 'create',
    requests: observation,
    async judge(context, _, { created, unmade }) {
      if (!created) throw unmade ?? blocked('no create was tried');
      await needSettings(context, created, 'a create of all writable fields', otherOption);
      needIds(context, created);
      expectNewId(context, created, 'a create of all writable fields');
      await expectAllowedTaken(context, false);
    },
  }),
  {
    id: 'operations.create-required',
    title: 'Create accepts a record with only the required fields, with any strings and booleans',
    requirement: 'field-optional',
    needs: ['create'],
    triesRefused: true,
    operation: 'create',
    async judge(context) {
      // It finds out which values are refused.
      const { made } = await context.ask(observation);
      const { answer, sent } = await context.ask(bareCreate);
      await needSettings(context, answer, 'a create of the required fields', otherOption);
      if (made) await expectNoneNeeded(context, { answer, sent });
      needIds(context, answer, sent);
      expectNewId(context, answer, 'a create of the required fields');
      await expectAllowedTaken(context, true);
    },
  },
  row({
    id: 'operations.update',
    title: 'Update is a POST with the ID in the path and returns the record',
    requirement: 'operation-update',
    needs: ['create', 'update'],
    operation: 'update',
    requests: wholeUpdate,
    async judge(context, _, made) {
      const { answer, change } = made;
      await expectNoRefusedChange(context, made, change, answer);
      expectUpdated(context, answer);
      expectId(expectRecord(context, answer, 'an update'), made.id, 'an update', answer);
    },
  }),
  row({
    id: 'operations.delete',
    title: 'Delete removes the record or marks it as deleted',
    requirement: 'operation-delete',
    needs: ['create', 'retrieve', 'delete'],
    triesRefused: true,
    operation: 'delete',
    requests: deletion,
    async judge(context, _, { answer, list, listed, retrieved }) {
      expectAccepted(answer, 'a delete');
      const what = 'a retrieve of a deleted record';
      const isShown = retrieved !== undefined && isAccepted(retrieved);
      const record = isShown ? expectRecord(context, retrieved, what) : undefined;
      if (retrieved) expectUnbroken(retrieved, what);
      for (const [shown, by] of [[record, retrieved] as const, [listed, list] as const]) {
        if (!shown || isMarkedDeleted(context, shown)) continue;
        const found = show(readRole(context.model, 'deleted', shown));
        throw failure('a deleted record still exists', 'a 4xx status, or deleted set', found, by?.exchange);
      }
    },
  }),
];

function expectId({ id }: RecordValues, wanted: unknown, what: string, answer: ApiResponse): void {
  if (id !== wanted)
    throw failure(`${what} returns another record`, `id ${show(wanted)}`, `id ${show(id)}`, answer.exchange);
}

function expectNewId(context: CaseContext, answer: ApiResponse, what: string): void {
  expectAccepted(answer, `${what}${context.records.explain(answer)}`);
  const { id } = expectRecord(context, answer, what);
  if (!Number.isInteger(id))
    throw failure('a create returns no integer ID', 'an integer', show(id), answer.exchange);
  if (context.records.wasThere(id))
    throw failure('a create returns the ID of an existing record', 'a new ID', show(id), answer.exchange);
}

/** The value lists of sections 2 and 3, and those the profile adds. */
export const valueRules: readonly ListedRule[] = [
  row({
    ...eachValue((field) => field.choices !== undefined),
    id: 'values.accepted',
    title: 'Each value of a list is accepted and returned',
    requirement: 'value-list',
    triesRefused: true,
  }),
];

export const profileValueRules: readonly Assumption[] = [
  row({
    ...eachValue((field) => field.choices === undefined),
    id: 'profile.values-accepted',
    title: 'Each value of a list in the profile is accepted and returned',
    requirement: 'value-list-not-shown',
    setting: 'values',
  }),
];

type ValueCase = FieldCase & { readonly values: readonly [Value] };

function eachValue(isSuch: (field: Field) => boolean) {
  return {
    needs: ['create', 'retrieve'] as const,
    cases: ({ fields }: Model, { profile }: Contract): ValueCase[] =>
      fields.flatMap((field) => {
        const choices =
          !field.readonly && field.type === 'select' && isSuch(field) ? choicesOf({ field, profile }) : [];
        return (choices ?? []).map(({ value }) => ({ field, detail: String(value), values: [value] }));
      }),
    judge: expectAcceptedValue,
  };
}

async function expectAcceptedValue(context: CaseContext, { field, values: [value] }: ValueCase) {
  const { profile, records, samples } = context;
  // A move to the value accepts it as well as a create.
  const way = wayTo(value as string | number, movesOf(field, profile));
  if (way && way.length > 1) {
    const { id } = await makeOnWay(context, field, way);
    const found = await records.readValues(id);
    return expectValues(context, { [field.name]: value }, found, 'a retrieve after the moves');
  }
  const create = (member: Value, base: RecordValues) => records.create({ ...base, [field.name]: member });
  const base = samples.values('required');
  const answer = await create(value, base);
  const what = `${field.name} ${show(value)}`;
  if (!isAccepted(answer)) {
    let isOtherAccepted = false;
    for (const other of choicesOf({ field, profile }) ?? [])
      if (other.value !== value) isOtherAccepted ||= isAccepted(await create(other.value, base));
    // Again with other values in the other fields, so that only this value can be the reason of a refusal.
    if (isOtherAccepted) expectAccepted(await create(value, samples.values('required')), what);
    await needCreate(context);
    await needSettings(context, answer, what, otherOption);
  }
  needIds(context, answer);
  expectAccepted(answer, what);
  const id = needId(context, answer, `a create with ${what}`);
  expectValues(context, { [field.name]: value }, await records.readValues(id), 'a retrieve after the create');
}
