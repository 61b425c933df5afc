import type { Field } from '../../../spec/catalogue/field.ts';
import { isText } from '../../../spec/types/types.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import { isCopy, withoutCopiesInLines } from '../../assert/agreement.ts';
import { expectRecord, expectUpdated } from '../../assert/assert.ts';
import { Blocked, Failure, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { type CaseContext, eachField, type ListedRule, once } from '../../plan/rule.ts';
import { areById, expectLinesById } from '../questions/lines-by-id.ts';
import { three } from '../questions/shared.ts';
import {
  isNumber,
  movesFreely,
  needCreate,
  nullUpdate,
  numberUpdates,
  observation,
  updates,
  type WholeUpdate,
  wholeUpdate,
} from '../questions/updates.ts';
import { expectUnbroken } from '../support/invalid-requests.ts';
import { expectKept, expectSame, originFields } from '../support/kept-values.ts';

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
