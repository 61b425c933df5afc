import { isDeepStrictEqual } from 'node:util';
import { OPERATIONS, type Operation } from '../../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import type { Id } from '../../api/places.ts';
import { pathOf, written } from '../../api/request.ts';
import { expectValues, lasting, statusOf } from '../../assert/assert.ts';
import { Failure, Skip } from '../../assert/failure.ts';
import { type CaseContext, type ListedRule, once } from '../../plan/rule.ts';
import { UNKNOWN_ID } from '../../records/ids.ts';
import { nothingToSee } from '../questions/observation.ts';
import { one, onShared } from '../questions/shared.ts';
import { expectNothing } from './absent-records.ts';

/** Methods and operations that do not exist do not answer (section 4, rules 1 and 3). */
export const absentOperationRules: readonly ListedRule[] = [
  ...(['PUT', 'PATCH'] as const).map(
    (method): ListedRule => ({
      id: `absent.${method.toLowerCase()}`,
      title: `${method} on a record, an unknown ID, or the collection is rejected and changes nothing`,
      requirement: 'no-put-or-patch',
      needs: ['retrieve'],
      writes: true,
      cases: once(async (context) =>
        context.model.operations.includes('create')
          ? onShared(context, one, ({ id }) => expectNoMethod(context, method, id))
          : expectNoMethod(context, method, await findListedId(context)),
      ),
    }),
  ),
  {
    id: 'absent.operation',
    title: 'An operation that the source excludes from the model is rejected and stores nothing',
    requirement: 'read-only-model',
    needs: [],
    writes: true,
    cases: (model) =>
      OPERATIONS.filter((operation) => !model.operations.includes(operation)).map((operation) => ({
        detail: operation,
        operation,
        run: (context) => expectAbsent(context, operation),
      })),
  },
  {
    id: 'absent.delete-all',
    title: 'DELETE without an ID is rejected and deletes nothing',
    requirement: 'operation-delete',
    needs: ['create', 'retrieve', 'list', 'delete'],
    afterAll: true,
    cases: once(expectNoDeleteOfAll),
  },
];

/** Sends the method to a record, to an unknown id and to all records; without a record only to the latter two. */
async function expectNoMethod(
  context: CaseContext,
  method: 'PUT' | 'PATCH',
  id: Id | undefined,
): Promise<void> {
  const { api, codec, model, profile } = context;
  const before = id === undefined ? {} : await context.records.readValues(id);
  const wire = codec.encodeNamed(model.name, context.samples.valuesAfter(before));
  const ask = (path: string) => api.send({ method, path, ...written(wire, profile) });
  if (id !== undefined)
    await expectNoOperation(context, await ask(pathOf(model.name, id)), `${method} on a record`);
  for (const path of [pathOf(model.name, UNKNOWN_ID), pathOf(model.name)]) {
    const answer = await ask(path);
    context.records.adopt(answer);
    await expectNoOperation(context, answer, `${method} on ${path}`);
  }
  if (id === undefined) return;
  const after = await context.records.readValues(id);
  expectValues(context, lasting(context, before), after, `the record after ${method}`);
}

/** Sent only to this machine, and only if all records of the list are the run's own. */
async function expectNoDeleteOfAll(context: CaseContext): Promise<void> {
  const { api, model } = context;
  const { answer: made } = await context.ask(one);
  const { hostname } = new URL(made.exchange.request.url);
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname) && made.headers.via === undefined;
  // A new one, since a list that is behind may show an older one and not what others made after it.
  const { id } = isHere ? await context.records.make() : {};
  if (id === undefined || !(await context.records.holdsOnlyOwn(id)))
    throw new Skip(
      `the suite sends DELETE without an ID only on this machine, and only when it created all ${model.name} records`,
    );
  const answer = await api.send({ method: 'DELETE', path: pathOf(model.name) });
  const after = await api.retrieve(model.name, id);
  if (!isAccepted(after) || context.check.read(model, api.recordIn(after) ?? {}).deleted === true)
    throw new Failure(
      'DELETE without an ID deletes records',
      'a 4xx status',
      statusOf(answer),
      answer.exchange,
    );
  await expectNoOperation(context, answer, 'DELETE without an id');
}

async function findListedId(context: CaseContext): Promise<Id | undefined> {
  const id = (await context.records.listed()).map((record) => record.id).find(Number.isInteger);
  return typeof id === 'number' ? id : undefined;
}

const MOST_LOOKS = 3;

async function expectAbsent(context: CaseContext, operation: Operation): Promise<void> {
  const { model } = context;
  for (let looks = 1; ; looks++) {
    const before = await context.records.listed();
    const id = before[0]?.id ?? context.records.boundId();
    if (operation !== 'create' && id === undefined) throw await nothingToSee(context);
    const answer = await ask(context, operation, id);
    if (operation === 'create') context.records.adopt(answer);
    await expectNoOperation(context, answer, `${operation} on ${model.name}`);
    const after = await context.records.listed();
    // The source states no order of a list.
    if (isDeepStrictEqual(byId(after), byId(before))) return;
    // Others may change records between two looks; they hardly do so each time.
    if (looks === MOST_LOOKS)
      throw new Failure(
        `${operation} changes records, but ${model.name} does not have this operation`,
        `${before.length} records as before`,
        `${after.length} records`,
      );
  }
}

function byId(records: readonly RecordValues[]): readonly RecordValues[] {
  return records.toSorted((one, other) => Number(one.id) - Number(other.id));
}

function ask(
  { api, codec, model, samples }: CaseContext,
  operation: Operation,
  id: unknown,
): Promise<Answer> {
  const wire = () => codec.encodeNamed(model.name, samples.values('all'));
  switch (operation) {
    case 'create':
      return api.create(model.name, wire());
    case 'update':
      return api.update(model.name, id, wire());
    case 'delete':
      return api.delete(model.name, id);
    case 'retrieve':
      return api.retrieve(model.name, id);
    case 'list':
      return api.list(model.name);
  }
}

/** 501 means that there is no such method, as expected; any other 5xx is a failure. */
async function expectNoOperation(context: CaseContext, answer: Answer, what: string): Promise<void> {
  if (answer.status === 501) return;
  if (isAccepted(answer) || answer.status >= 500)
    throw new Failure(`the target does not reject ${what}`, 'a 4xx status, or 501', statusOf(answer));
  await expectNothing(context, answer, what);
}
