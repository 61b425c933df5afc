import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { type ApiResponse, type Id, isAccepted, isRefused } from '../api/answer.ts';
import { unlessEnded } from '../assert/ending.ts';
import { expectAccepted, expectUpdated } from '../cases/assert.ts';
import type { CaseContext, ListedRule, SharedRequests } from '../cases/rule.ts';
import { integerIdIn } from '../records/identity.ts';
import { linkTarget } from '../records/values/values.ts';
import { onShared, type Three, textsOf, three } from './shared.ts';
import { updateWhole } from './updates.ts';

/** Creates a record of the model, and one record of each model that can link to it. Undefined if there is none. */
export const linked = {
  name: 'linked',
  async ask(context) {
    const fields = linkingFields(context);
    if (fields.length === 0) return undefined;
    const { records, samples } = context;
    const one = await unlessEnded(() => records.make(samples.neutral(samples.values('all'))));
    if (!one) return undefined;
    const linking: { context: CaseContext; id: Id }[] = [];
    for (const [model, links] of fields) {
      const beside = { ...context, ...context.beside(model), model };
      const id = await unlessEnded(() => link(beside, links, one.id));
      if (id !== undefined) linking.push({ context: beside, id });
    }
    return { one, linking };
  },
} satisfies SharedRequests<unknown>;

/** A request about one record does not change others (section 4). */
export const otherRecordRules: readonly ListedRule[] = [
  {
    id: 'create.distinct',
    title: 'Two creates make two records with different IDs',
    requirement: 'operation-create',
    needs: ['create', 'retrieve'],
    operation: 'create',
    judge: (context) =>
      onShared(context, three, async ({ newer, older }) => {
        await context.records.assertNothingStored([newer.sent], () => context.records.create(newer.sent));
        await readNeighbors(context, { newer, older });
      }),
  },
  {
    id: 'update.keeps-other-records',
    title: 'Update does not change other records and creates none',
    requirement: 'operation-update',
    needs: ['create', 'retrieve', 'update'],
    operation: 'update',
    async judge(context) {
      await onShared(context, three, (three) => updateApart(context, three));
      const found = await context.ask(linked);
      if (!found) return;
      await updateWhole(context, found.one);
      await readLinking(found);
    },
  },
  {
    id: 'delete.keeps-other-records',
    title: 'Delete does not change other records',
    requirement: 'operation-delete',
    needs: ['create', 'retrieve', 'delete'],
    operation: 'delete',
    async judge(context) {
      await onShared(context, three, (three) => deleteApart(context, three));
      const found = await context.ask(linked);
      // Some services refuse to delete a record that others link to.
      if (found && isAccepted(await context.records.delete(found.one.id))) await readLinking(found);
    },
  },
];

async function updateApart(context: CaseContext, three: Three): Promise<void> {
  await readNeighbors(context, three);
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
    await readNeighbors(context, three);
  }
  await context.records.assertNothingStored(versions, () => context.records.update(id, sent, sent));
}

async function deleteApart(context: CaseContext, three: Three): Promise<void> {
  const { id, sent } = three.own;
  // An update may have given it other texts than its neighbor has.
  if (context.model.operations.includes('update'))
    await context.records.update(id, textsOf(context, three.older.sent), sent);
  await readNeighbors(context, three);
  expectAccepted(await notGone(context, await context.records.delete(id), id), 'a delete');
  await readNeighbors(context, three);
}

async function readNeighbors({ records }: CaseContext, { newer, older }: Pick<Three, 'newer' | 'older'>) {
  for (const { id } of [older, newer]) await records.read(id);
}

type Linked = NonNullable<Awaited<ReturnType<typeof linked.ask>>>;

async function readLinking({ linking }: Linked): Promise<void> {
  for (const { context, id } of linking) await context.api.retrieve(context.model.name, id);
}

/** Throws `blocked` where a refusal is about a record that is gone: another case may have taken it away. */
async function notGone(context: CaseContext, answer: ApiResponse, id: Id): Promise<ApiResponse> {
  if (isRefused(answer)) await context.records.read(id);
  return answer;
}

/** The writable links of each other model, and none of lines, which follow their parent. */
function linkingFields({ catalogue, model, references }: CaseContext): [Model, Field[]][] {
  const isLine = (one: Model, other: Model) => one.fields.some(({ lines }) => lines === other.name);
  return [...catalogue.models.values()].flatMap((other): [Model, Field[]][] => {
    const has = (operation: 'create' | 'retrieve') => other.operations.includes(operation);
    if (!has('create') || !has('retrieve') || isLine(model, other) || isLine(other, model)) return [];
    const links = other.fields.filter(
      (one) =>
        !one.readonly &&
        ['int', 'manyToMany'].includes(one.type) &&
        linkTarget(one, references) === model.name,
    );
    return links.length > 0 ? [[other, links]] : [];
  });
}

async function link(context: CaseContext, links: readonly Field[], to: Id): Promise<Id | undefined> {
  const { api, model, prepareLinks, records, samples } = context;
  // A service that lacks the other model gets no write to it.
  if (!isAccepted(await api.list(model.name))) return undefined;
  await prepareLinks(model, links);
  const sent = links.filter((field, index) => index === 0 || field.required);
  const value = ({ type }: Field) => (type === 'manyToMany' ? [Number(to)] : Number(to));
  const { answer } = await records.createFresh({
    ...samples.values('all', links),
    ...Object.fromEntries(sent.map((field) => [field.name, value(field)])),
  });
  const id = integerIdIn(api, answer);
  if (id === undefined || records.wasThere(id)) return undefined;
  await records.read(id);
  return id;
}
