import type { Field } from '../../spec/field.ts';
import type { RecordValues } from '../../spec/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../api.ts';
import type { CaseContext } from '../context.ts';
import { expectRecord, expectUpdated, expectValues, needCreate } from '../expect.ts';
import { Blocked, eachField, Failure, once, type Rule, Skip } from '../rule.ts';
import { mayBeZero, movesFreely, updateToZero } from '../updating.ts';
import { agrees } from '../values.ts';
import { show } from '../wire-check.ts';

const isWritable = (field: Field) => !field.readonly;

/** What was sent is kept, and nothing else is touched (sections 1 and 4). */
export const lifecycleRules: readonly Rule[] = [
  {
    id: 'create.keeps-field',
    title: 'A field sent with a create comes back in the answer and in a retrieve',
    requirement: 'operation-create',
    level: 'stated',
    needs: ['create', 'retrieve'],
    cases: eachField(isWritable, async (context, field) => {
      await needCreate(context);
      const { made, retrieved } = await context.observe();
      if (!made || !retrieved) throw new Blocked('no record was made');
      const wanted = pick(made.sent, field);
      expectValues(
        context,
        wanted,
        readIn(context, expectRecord(context, made.answer, 'a create')),
        'the answer to the create',
        made.answer,
      );
      expectValues(
        context,
        wanted,
        readIn(context, expectRecord(context, retrieved, 'a retrieve')),
        'a retrieve after the create',
        retrieved,
      );
    }),
  },
  {
    id: 'update.changes-field',
    title: 'A field sent with an update has its new value, in the answer and in a retrieve',
    requirement: 'operation-update',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(isWritable, async (context, field) => {
      await needCreate(context);
      const steps = (await context.updates()).filter((candidate) => candidate.field === field);
      if (steps.length === 0) throw new Skip(`there is no other value that ${field.key} may take`);
      for (const { answer, before, seen, value } of steps) {
        if (isRefused(answer) && movesFreely(context, field))
          throw new Skip(
            `no move of ${field.key} from ${show(before[field.name])} is accepted; see profile.transitions`,
          );
        const wanted = { [field.name]: value };
        expectUpdated(context, answer, wanted);
        expectShown(context, wanted, answer, seen);
      }
      if (!mayBeZero(context, field)) return;
      const { answer, seen } = await context.ask(updateToZero);
      if (isAccepted(answer)) expectShown(context, { [field.name]: 0 }, answer, seen);
    }),
  },
  {
    id: 'update.keeps-other-fields',
    title: 'A field keeps its value when another one is updated',
    requirement: 'operation-update',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(isWritable, async (context, field) => {
      await needCreate(context);
      const steps = (await context.updates()).filter((step) => step.field !== field);
      if (steps.length === 0) throw new Skip(`there is no other field to update than ${field.name}`);
      for (const step of steps) {
        if (agrees(field, step.before[field.name] ?? null, step.after[field.name])) continue;
        const [before, after] = [show(step.before[field.name]), show(step.after[field.name])];
        throw new Failure(
          `an update of ${step.field.name} changes ${field.name}`,
          before,
          after,
          step.seen.exchange,
        );
      }
    }),
  },
  {
    id: 'update.keeps-origin',
    title: 'An update leaves id, created, createUser and deleted as they were',
    requirement: 'field-readonly',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: once(
      async (context) => {
        await needCreate(context);
        const { after, answer, before, change } = await context.wholeUpdate();
        expectUpdated(context, answer, change);
        for (const field of context.model.fields)
          if (
            ['id', 'created', 'createUser', 'deleted'].includes(field.name) &&
            field.common &&
            !agrees(field, before[field.name] ?? null, after[field.name])
          )
            throw new Failure(
              `an update changes ${field.name}`,
              show(before[field.name]),
              show(after[field.name]),
            );
      },
      { operation: 'update' },
    ),
  },
];

function expectShown(context: CaseContext, wanted: RecordValues, answer: Answer, seen: Answer): void {
  const shown = readIn(context, expectRecord(context, answer, 'an update'));
  expectValues(context, wanted, shown, 'the answer to the update', answer);
  const found = readIn(context, expectRecord(context, seen, 'a retrieve'));
  expectValues(context, wanted, found, 'a retrieve after the update', seen);
}

function readIn(context: CaseContext, wire: RecordValues): RecordValues {
  return context.check.read(context.model, wire);
}

function pick(values: RecordValues, field: Field): RecordValues {
  const value = values[field.name];
  if (value === undefined) throw new Skip(`${field.key} links to a model of which no record could be made`);
  return { [field.name]: value };
}
