import type { Field } from '../../../spec/catalogue/field.ts';
import { readRole } from '../../../spec/catalogue/roles.ts';
import { isText } from '../../../spec/types/types.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import { isCopy, withoutCopiesInLines } from '../../assert/agreement.ts';
import {
  expectAccepted,
  expectRecord,
  expectRecords,
  expectUpdated,
  isMarkedDeleted,
  needIds,
  needSettings,
  statusOf,
} from '../../assert/assert.ts';
import { Blocked, Failure, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { type CaseContext, eachField, type ListedRule, once } from '../../plan/rule.ts';
import { deletion } from '../questions/deletion.ts';
import { areById, expectLinesById } from '../questions/lines-by-id.ts';
import { expectAllowedTaken, expectNoRefusedChange } from '../questions/refused-fields.ts';
import { bareCreate, plainList, three } from '../questions/shared.ts';
import {
  isNumber,
  movesFreely,
  needCreate,
  nothingToSee,
  nullUpdate,
  numberUpdates,
  observation,
  updates,
  type WholeUpdate,
  wholeUpdate,
} from '../questions/updates.ts';
import { expectUnbroken } from '../support/invalid-requests.ts';
import { expectKept, expectSame, originFields } from '../support/kept-values.ts';
import { settingForCreate, settingForList, settingForMinimal } from '../support/other-setting.ts';

const isWritable = (field: Field) => !field.readonly;

/** Sent values are kept, and no other value changes (sections 1 and 4). */
export const lifecycleRules: readonly ListedRule[] = [
  {
    id: 'create.keeps-field',
    title: 'Create and a later retrieve return each field as sent',
    requirement: 'operation-create',
    needs: ['create', 'retrieve'],
    cases: eachField(isWritable, async (context, field) => {
      await needCreate(context);
      if (areById(context, field)) return expectLinesById(context, field, 'byCreate');
      const { made, retrieved } = await context.ask(observation);
      if (!made || !retrieved) throw new Blocked('no record was created');
      const wanted = pick(made.sent, field);
      await expectKept(
        context,
        wanted,
        readIn(context, expectRecord(context, made.answer, 'a create')),
        'the response to the create',
        made.answer,
      );
      await expectKept(
        context,
        wanted,
        readIn(context, expectRecord(context, retrieved, 'a retrieve')),
        'a retrieve after the create',
        retrieved,
      );
      await expectCopies(context, field);
    }),
  },
  {
    id: 'update.changes-field',
    title: 'Update and a later retrieve return each new value, for one field or several',
    requirement: 'operation-update',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(isWritable, async (context, field) => {
      await needCreate(context);
      if (areById(context, field)) return expectLinesById(context, field, 'byUpdate');
      const steps = (await context.ask(updates)).filter((candidate) => candidate.field === field);
      if (steps.length === 0) throw new Skip(`${field.key} has no other valid value`);
      for (const { answer, before, seen, value } of steps) {
        if (isRefused(answer) && movesFreely(context, field))
          throw new Skip(
            `the target accepts no move of ${field.key} from ${show(before[field.name])}; see the setting transitions`,
          );
        const wanted = { [field.name]: value };
        expectUpdated(context, answer, wanted);
        await expectShown(context, wanted, answer, seen);
      }
      await expectWhole(context, field);
      if (!field.required) await context.ask(nullUpdate);
      if (!isNumber(context, field)) return;
      for (const { answer, change, seen } of await context.ask(numberUpdates)) {
        if (!Object.hasOwn(change, field.name)) continue;
        expectUnbroken(answer, `an update to ${show(change)}`);
        if (isAccepted(answer)) await expectShown(context, pick(change, field), answer, seen);
      }
    }),
  },
  {
    id: 'update.keeps-other-fields',
    title: 'Update of one field keeps the values of the others',
    requirement: 'operation-update',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(isWritable, async (context, field) => {
      await needCreate(context);
      if (areById(context, field)) return expectLinesById(context, field, 'beside');
      const steps = (await context.ask(updates)).filter((step) => step.field !== field);
      if (steps.length === 0) throw new Skip(`the model has no field to update except ${field.name}`);
      for (const step of steps) {
        const what = `an update of ${step.field.name}`;
        const before = withoutCopiesInLines(context.model, step.before, context.catalogue);
        await expectSame(context, field, before, step.after, `${what} changes ${field.name}`, step.seen);
        const shown = recordOf(context, step.answer);
        if (shown)
          await expectSame(
            context,
            field,
            step.after,
            shown,
            `${what} returns another ${field.name}`,
            step.answer,
          );
      }
    }),
  },
  {
    id: 'update.keeps-origin',
    title: 'Update keeps id, created, createUser, and deleted',
    requirement: 'field-readonly',
    provenByAnswer: true,
    needs: ['create', 'retrieve', 'update'],
    cases: once(
      async (context) => {
        await needCreate(context);
        const { after, answer, before, change, created } = await context.ask(wholeUpdate);
        expectUpdated(context, answer, change);
        expectSameMoment(created);
        const shown = recordOf(context, answer);
        for (const field of originFields(context.model)) {
          await expectSame(context, field, before, after, `an update changes ${field.name}`);
          if (shown)
            await expectSame(context, field, after, shown, `an update returns another ${field.name}`, answer);
        }
      },
      { operation: 'update' },
    ),
  },
];

/** Each operation exists and answers with the right kind of thing (section 4). */
export const operationRules: readonly ListedRule[] = [
  {
    id: 'operations.list',
    title: 'List returns a list of records',
    requirement: 'operation-list',
    needs: ['list'],
    cases: once(
      async (context) => {
        const answer = await context.ask(plainList);
        await needSettings(context, answer, 'a list', settingForList);
        expectRecords(context, answer);
      },
      { operation: 'list' },
    ),
  },
  {
    id: 'operations.retrieve',
    title: 'Retrieve returns the record with the ID',
    requirement: 'operation-retrieve',
    needs: ['retrieve'],
    cases: once(
      async (context) => {
        const { made, records, retrieved } = await context.ask(observation);
        const id = made?.id ?? records.find(({ from }) => from === 'list')?.record.id;
        if (!retrieved) throw await nothingToSee(context);
        const record = expectRecord(context, retrieved, 'a retrieve');
        if (record.id !== id)
          throw new Failure(
            'a retrieve returns another record',
            `id ${show(id)}`,
            `id ${show(record.id)}`,
            retrieved.exchange,
          );
      },
      { operation: 'retrieve' },
    ),
  },
  {
    id: 'operations.create',
    title: 'Create returns the record with its ID',
    requirement: 'operation-create',
    needs: ['create'],
    cases: once(
      async (context) => {
        const { created } = await context.ask(observation);
        if (!created) throw new Blocked('no create was tried');
        await needSettings(context, created, 'a create of all writable fields', settingForCreate);
        needIds(context, created);
        expectNewId(context, created, 'a create of all writable fields');
        await expectAllowedTaken(context, false);
      },
      { operation: 'create' },
    ),
  },
  {
    id: 'operations.create-required',
    title: 'Create accepts a record with only the required fields, with any strings and booleans',
    requirement: 'field-optional',
    needs: ['create'],
    cases: once(
      async (context) => {
        // It finds out which values are refused.
        await context.ask(observation);
        const { answer, sent } = await context.ask(bareCreate);
        await needSettings(context, answer, 'a create of the required fields', settingForMinimal);
        needIds(context, answer, sent);
        expectNewId(context, answer, 'a create of the required fields');
        await expectAllowedTaken(context, true);
      },
      { operation: 'create' },
    ),
  },
  {
    id: 'operations.update',
    title: 'Update is a POST with the ID in the path and returns the record',
    requirement: 'operation-update',
    needs: ['create', 'update'],
    cases: once(
      async (context) => {
        const { change = {}, made, updated } = await context.ask(observation);
        await needCreate(context);
        if (!made || !updated) throw new Blocked(`a valid ${context.model.name} could not be created`);
        if (isRefused(updated)) await expectNoRefusedChange(context, made, change, updated);
        expectUpdated(context, updated);
        const record = expectRecord(context, updated, 'an update');
        if (record.id !== made.id)
          throw new Failure(
            'an update returns another record',
            `id ${made.id}`,
            `id ${show(record.id)}`,
            updated.exchange,
          );
      },
      { operation: 'update' },
    ),
  },
  {
    id: 'operations.delete',
    title: 'Delete removes the record or marks it as deleted',
    requirement: 'operation-delete',
    needs: ['create', 'retrieve', 'delete'],
    cases: once(
      async (context) => {
        const { answer, id, list, listed, retrieved } = await context.ask(deletion);
        expectAccepted(answer, 'a delete');
        if (retrieved && isAccepted(retrieved)) {
          const record = expectRecord(context, retrieved, 'a retrieve after a delete');
          if (!isMarkedDeleted(context, record))
            throw new Failure(
              'a deleted record still exists',
              'a 4xx status, or deleted set',
              show(readRole(context.model, 'deleted', record)),
              retrieved.exchange,
            );
        } else if (retrieved && retrieved.status >= 500) {
          throw new Failure(
            'a retrieve of a deleted record fails',
            'a 4xx status, or the record',
            statusOf(retrieved),
            retrieved.exchange,
          );
        }
        if (listed && !isMarkedDeleted(context, listed))
          throw new Failure(
            'the list contains a deleted record',
            'no such record, or deleted set',
            `id ${id}`,
            list?.exchange,
          );
      },
      { operation: 'delete' },
    ),
  },
];

function expectNewId(context: CaseContext, answer: Answer, what: string): void {
  expectAccepted(answer, `${what}${context.records.explain(answer)}`);
  const { id } = expectRecord(context, answer, what);
  if (!Number.isInteger(id))
    throw new Failure('a create returns no ID', 'an integer', show(id), answer.exchange);
  if (context.records.wasThere(id))
    throw new Failure('a create returns the ID of an existing record', 'a new ID', show(id), answer.exchange);
}

/** Points in time on the wire, of one precision: what a second hides shows in its fractions. */
function expectSameMoment([before, after]: WholeUpdate['created']): void {
  if (typeof before !== 'string' || typeof after !== 'string' || before.length !== after.length) return;
  const moments = [Date.parse(before), Date.parse(after)];
  if (!moments.some(Number.isNaN) && moments[0] !== moments[1])
    throw new Failure('an update changes created', show(before), show(after));
}

/** The texts of other creates that may be copies, which no other rule judges: each of them has another form. */
async function expectCopies(context: CaseContext, field: Field): Promise<void> {
  if (!isText(field) || !isCopy(field, context.catalogue)) return;
  const { newer, older, own } = await context.ask(three);
  for (const { answer, sent } of [older, own, newer]) {
    const shown = recordOf(context, answer);
    if (shown && Object.hasOwn(sent, field.name))
      await expectKept(context, pick(sent, field), shown, 'the response to another create', answer);
  }
}

async function expectShown(
  context: CaseContext,
  wanted: RecordValues,
  answer: Answer,
  seen: Answer,
): Promise<void> {
  const shown = readIn(context, expectRecord(context, answer, 'an update'));
  await expectKept(context, wanted, shown, 'the response to the update', answer);
  const found = readIn(context, expectRecord(context, seen, 'a retrieve'));
  await expectKept(context, wanted, found, 'a retrieve after the update', seen);
}

/** The update of all fields. Other rules judge whether it is refused. */
async function expectWhole(context: CaseContext, field: Field): Promise<void> {
  const { after, answer, change } = await context.ask(wholeUpdate);
  const shown = recordOf(context, answer);
  const value = change[field.name];
  if (!shown || value === undefined) return;
  const wanted = { [field.name]: value };
  await expectKept(context, wanted, shown, 'the response to an update of all fields', answer);
  await expectKept(context, wanted, after, 'a retrieve after an update of all fields');
}

/** The record that an answer shows; undefined where it is no success, or shows none. */
function recordOf(context: CaseContext, answer: Answer): RecordValues | undefined {
  const wire = isAccepted(answer) ? context.api.recordIn(answer) : undefined;
  return wire && readIn(context, wire);
}

function readIn(context: CaseContext, wire: RecordValues): RecordValues {
  return context.check.read(context.model, wire);
}

function pick(values: RecordValues, field: Field): RecordValues {
  const value = values[field.name];
  if (value === undefined)
    throw new Skip(
      `${field.key} was not sent because the record that it links to could not be created, or the target rejected it`,
    );
  return { [field.name]: value };
}
