import type { RecordValues } from '../../spec/record-codec.ts';
import type { CaseContext, MadeRecord } from '../context.ts';
import { expectAccepted, expectValues, needCreate } from '../expect.ts';
import { Failure, once, type Rule } from '../rule.ts';
import { updateWhole } from '../updating.ts';
import { expectNoNewRecord, expectSteady, steady } from './steady.ts';

/** What is done to one record leaves the others alone (section 4). */
export const otherRecordRules: readonly Rule[] = [
  {
    id: 'create.distinct',
    title: 'Two creates make two records with ids of their own',
    requirement: 'operation-create',
    level: 'stated',
    needs: ['create', 'retrieve'],
    cases: once(
      async (context) => {
        await needCreate(context);
        const one = await context.make(context.values('all'));
        const before = await context.readValues(one.id);
        expectValues(context, one.sent, before, 'the first record');
        const other = await context.make(context.values('all'));
        if (one.id === other.id) throw new Failure('two creates gave one id', 'two ids', `${one.id} twice`);
        await expectSteady(context, one.id, before, 'the first record after the second create');
        expectValues(context, other.sent, await context.readValues(other.id), 'the second record');
      },
      { operation: 'create' },
    ),
  },
  {
    id: 'update.keeps-other-records',
    title: 'An update leaves the other records of the model as they were, and makes none',
    requirement: 'operation-update',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: once(
      async (context) => {
        const { own, neighbours } = await makeThree(context);
        let { sent } = own;
        // Twice: a truth value that a neighbour shares with the first update is another one in the second.
        for (let times = 0; times < 2; times++) {
          const { answer, change } = await updateWhole(context, { id: own.id, sent });
          expectAccepted(answer, 'an update');
          sent = { ...sent, ...change };
          for (const { before, id } of neighbours)
            await expectSteady(context, id, before, 'another record after the update');
        }
        await expectNoNewRecord(context, sent, 'an update');
      },
      { operation: 'update' },
    ),
  },
  {
    id: 'delete.keeps-other-records',
    title: 'A delete leaves the other records of the model as they were',
    requirement: 'operation-delete',
    level: 'stated',
    needs: ['create', 'retrieve', 'delete'],
    cases: once(
      async (context) => {
        const { own, neighbours } = await makeThree(context);
        expectAccepted(await context.api.delete(context.model.name, own.id), 'a delete');
        context.forget(own.id);
        for (const { before, id } of neighbours)
          await expectSteady(context, id, before, 'another record after the delete');
      },
      { operation: 'delete' },
    ),
  },
];

type Neighbour = { readonly id: number; readonly before: RecordValues };

/** A record with one made before it and one made after it. */
async function makeThree(
  context: CaseContext,
): Promise<{ own: MadeRecord; neighbours: readonly Neighbour[] }> {
  await needCreate(context);
  const make = () => context.make(context.values('all'));
  const [older, own, newer] = [await make(), await make(), await make()];
  const neighbours: Neighbour[] = [];
  for (const { id } of [older, newer]) {
    const before = steady(context, await context.readValues(id));
    neighbours.push({ id, before });
  }
  return { own, neighbours };
}
