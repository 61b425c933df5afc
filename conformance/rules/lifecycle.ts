import type { Field } from '../../spec/field.ts';
import type { RecordValues } from '../../spec/record-codec.ts';
import type { CaseContext } from '../context.ts';
import { expectAccepted, expectRecord, expectValues, lasting, needCreate } from '../expect.ts';
import { Blocked, eachField, Failure, once, type Rule, Skip } from '../rule.ts';
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
      );
      expectValues(
        context,
        wanted,
        readIn(context, expectRecord(context, retrieved, 'a retrieve')),
        'a retrieve after the create',
      );
    }),
  },
  {
    id: 'create.distinct',
    title: 'Two creates make two records with ids of their own',
    requirement: 'operation-create',
    level: 'stated',
    needs: ['create', 'retrieve'],
    cases: once(
      async (context) => {
        const [one, other] = [await context.make(), await context.make()];
        if (one.id === other.id) throw new Failure('two creates gave one id', 'two ids', `${one.id} twice`);
        expectValues(
          context,
          one.sent,
          await context.readValues(one.id),
          'the first record after the second create',
        );
      },
      { operation: 'create' },
    ),
  },
  {
    id: 'list.shows-record',
    title: 'A created record stands in the list once, as a retrieve shows it',
    requirement: 'operation-list',
    level: 'stated',
    needs: ['create', 'retrieve', 'list'],
    cases: once(
      async (context) => {
        const { id } = await context.make();
        const found = (await context.listed()).filter((record) => record.id === id);
        const [listed] = found;
        if (!listed || found.length > 1)
          throw new Failure(
            'a created record does not stand in the list once',
            `id ${id} once`,
            `${found.length} times`,
          );
        expectValues(
          context,
          lasting(context, await context.readValues(id)),
          readIn(context, listed),
          'the record in the list',
        );
      },
      { operation: 'list' },
    ),
  },
  {
    id: 'update.changes-field',
    title: 'A field sent with an update has its new value, in the answer and in a retrieve',
    requirement: 'operation-update',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(isWritable, async (context, field) => {
      await needCreate(context);
      const step = (await context.updates()).find((candidate) => candidate.field === field);
      if (!step) throw new Skip(`there is no other value that ${field.key} may take`);
      const wanted = { [field.name]: step.value };
      const shown = readIn(context, expectRecord(context, step.answer, `an update of ${field.name}`));
      expectValues(context, wanted, shown, 'the answer to the update', step.answer);
      expectValues(context, wanted, step.after, 'a retrieve after the update', step.answer);
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
      for (const step of await context.updates()) {
        if (step.field === field || agrees(field, step.before[field.name] ?? null, step.after[field.name]))
          continue;
        const [before, after] = [show(step.before[field.name]), show(step.after[field.name])];
        throw new Failure(
          `an update of ${step.field.name} changes ${field.name}`,
          before,
          after,
          step.answer.exchange,
        );
      }
    }),
  },
  {
    id: 'update.keeps-origin',
    title: 'An update leaves id, created and createUser as they were',
    requirement: 'field-readonly',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: once(
      async (context) => {
        const { id, before } = await updateOnce(context);
        const after = await context.readValues(id);
        for (const field of context.model.fields)
          if (
            ['id', 'created', 'createUser'].includes(field.name) &&
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
  {
    id: 'update.keeps-other-records',
    title: 'An update leaves another record of the model as it was',
    requirement: 'operation-update',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: once(
      async (context) => {
        const neighbour = await context.make(context.values('all'));
        const before = await context.readValues(neighbour.id);
        await updateOnce(context);
        expectValues(
          context,
          before,
          await context.readValues(neighbour.id),
          'another record after the update',
        );
      },
      { operation: 'update' },
    ),
  },
  {
    id: 'delete.keeps-other-records',
    title: 'A delete leaves another record of the model as it was',
    requirement: 'operation-delete',
    level: 'stated',
    needs: ['create', 'retrieve', 'delete'],
    cases: once(
      async (context) => {
        const { api, model } = context;
        const neighbours = [await context.make(), await context.make()];
        const { id } = await context.make();
        const before = await Promise.all(neighbours.map((record) => context.readValues(record.id)));
        expectAccepted(await api.delete(model.name, id), 'a delete');
        context.forget(id);
        for (const [index, record] of neighbours.entries()) {
          const after = await api.retrieve(model.name, record.id);
          const shown = readIn(
            context,
            expectRecord(context, after, 'a retrieve of another record after the delete'),
          );
          expectValues(context, before[index] ?? {}, shown, 'another record after the delete');
        }
      },
      { operation: 'delete' },
    ),
  },
];

/** Makes a record and updates what can be updated; returns the record as it was between the two. */
async function updateOnce(context: CaseContext): Promise<{ id: number; before: RecordValues }> {
  const { model } = context;
  await needCreate(context);
  const { id, sent } = await context.make(context.values('all'));
  const before = await context.readValues(id);
  const field = model.fields.find(
    (candidate) =>
      isWritable(candidate) && context.otherValue(candidate, before[candidate.name]) !== undefined,
  );
  const change = field ? { [field.name]: context.otherValue(field, before[field.name]) ?? null } : {};
  const answer = await context.update(id, change, sent);
  expectAccepted(answer, 'an update');
  return { id, before };
}

function readIn(context: CaseContext, wire: RecordValues): RecordValues {
  return context.check.read(context.model, wire);
}

function pick(values: RecordValues, field: Field): RecordValues {
  const value = values[field.name];
  if (value === undefined) throw new Skip(`${field.key} links to a model of which no record could be made`);
  return { [field.name]: value };
}
