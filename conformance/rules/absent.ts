import { isDeepStrictEqual } from 'node:util';
import { withArticle } from '../../spec/article.ts';
import { type Model, OPERATIONS, type Operation } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, type Id, isAccepted, isGone, isId } from '../api/answer.ts';
import { pathOf, sendOperation, written } from '../api/api.ts';
import { failure, skip, unjudged } from '../assert/ending.ts';
import { expectRecord, expectRefused, expectValues, lasting, statusOf } from '../cases/assert.ts';
import { type CaseContext, type ListedRule, row } from '../cases/rule.ts';
import { isMarked, nameOf, UNKNOWN_ID } from '../records/identity.ts';
import type { MadeRecord } from '../records/model-records.ts';
import { byId, nothingToSee, one, onShared, plainList, stableValues, unusedId } from './shared.ts';

/** Models and records that do not exist do not answer (section 4, rules 1 and 3). */
export const absentRecordRules: readonly ListedRule[] = [
  {
    id: 'absent.model',
    title: 'A request with a misspelled model name is rejected',
    requirement: 'model-names',
    needs: [],
    cases: (model, { catalogue }) =>
      misspellings(model, [...catalogue.models.keys()]).map((name) => ({ detail: name })),
    judge: async (context, { detail: name = '' }) =>
      expectNothing(context, await context.api.list(name), `a list of ${name}`),
  },
  ...(['retrieve', 'update', 'delete'] as const).map(
    (operation): ListedRule => ({
      id: `absent.record-${operation}`,
      title: `${operation === 'update' ? 'An' : 'A'} ${operation} with an unknown ID is rejected${operation === 'delete' ? ', or does nothing' : ''}`,
      requirement: 'id-in-path',
      provenByAnswer: true,
      needs: [operation],
      operation,
      async judge(context) {
        // Another record shows whether the delete removed one.
        if (operation === 'delete' && context.model.operations.includes('create'))
          await onShared(context, one, (made) => expectNoRecord(context, operation, made));
        else await expectNoRecord(context, operation);
        if (operation === 'retrieve' && !context.readOnly) await expectNoOtherModel(context);
      },
    }),
  ),
];

/** Methods and operations that do not exist do not answer (section 4, rules 1 and 3). */
export const absentOperationRules: readonly ListedRule[] = [
  ...(['PUT', 'PATCH'] as const).map(
    (method): ListedRule => ({
      id: `absent.${method.toLowerCase()}`,
      title: `${method} on a record, an unknown ID, or the collection is rejected and changes nothing`,
      requirement: 'no-put-or-patch',
      needs: ['retrieve'],
      writes: true,
      judge: (context) =>
        context.model.operations.includes('create')
          ? onShared(context, one, ({ id }) => expectNoMethodOnOwn(context, method, id))
          : expectNoMethodOnOthers(context, method),
    }),
  ),
  row({
    id: 'absent.operation',
    title: 'An operation that the source excludes from the model is rejected and stores nothing',
    requirement: 'read-only-model',
    needs: [],
    writes: true,
    cases: (model) =>
      OPERATIONS.flatMap((operation) =>
        model.operations.includes(operation) ? [] : { detail: operation, operation },
      ),
    judge: (context, { operation }) => expectAbsent(context, operation),
  }),
  {
    id: 'absent.delete-all',
    title: 'DELETE without an ID is rejected and deletes nothing',
    requirement: 'operation-delete',
    needs: ['create', 'retrieve', 'list', 'delete'],
    afterAll: true,
    judge: expectNoDeleteOfAll,
  },
];

type Method = 'PUT' | 'PATCH';

/** Sends the method to a record that the run created, to an unknown ID, and to the collection. */
async function expectNoMethodOnOwn(context: CaseContext, method: Method, id: Id): Promise<void> {
  const before = await context.records.readValues(id);
  const values = context.samples.valuesAfter(before);
  await expectNoOperation(context, await send(context, method, id, values), `${method} on a record`);
  await expectNoMethodElsewhere(context, method, values);
  const after = await context.records.readValues(id);
  expectValues(context, lasting(context, before), after, `the record after ${method}`);
}

/** Sends the method to a listed record of a disposable target, and else to an ID that no record has. */
async function expectNoMethodOnOthers(context: CaseContext, method: Method): Promise<void> {
  if (!context.isDisposable) return expectNothingAtUnused(context, method);
  const values = context.samples.valuesAfter({});
  const id = (await context.records.listed()).find((record) => isId(record.id))?.id;
  if (isId(id)) await expectNoHarm(context, id, method);
  await expectNoMethodElsewhere(context, method, values);
}

/** Sends the method to an unknown ID. The collection has records of others, so only a disposable target gets it there. */
async function expectNoMethodElsewhere(context: CaseContext, method: Method, values: RecordValues) {
  const ids = [await context.ask(unusedId), ...(context.isDisposable ? [undefined] : [])];
  for (const id of ids) {
    const answer = await send(context, method, id, values);
    context.records.adopt(answer);
    await expectNoOperation(context, answer, `${method} on ${pathOf(context.model.name, id)}`);
  }
}

/** Sends an operation or a method. If it has a body, these are the values, by default new ones. */
function send(
  { api, codec, model, profile, samples }: CaseContext,
  what: Operation | Method,
  id: unknown,
  values?: RecordValues,
): Promise<ApiResponse> {
  const hasBody = what !== 'list' && what !== 'retrieve' && what !== 'delete';
  const wire = hasBody ? codec.encodeNamed(model.name, values ?? samples.valuesAfter({})) : {};
  return what === 'PUT' || what === 'PATCH'
    ? api.send({ method: what, path: pathOf(model.name, id), ...written(wire, profile) })
    : sendOperation(api, what, model.name, id, wire);
}

/** Sent only to a disposable target, and only if all records of the list are the run's own. */
async function expectNoDeleteOfAll(context: CaseContext): Promise<void> {
  const { api, model } = context;
  // A new one, since a list that is behind may show an older one and not what others made after it.
  const { id } = context.isDisposable ? await context.records.make() : {};
  if (id === undefined || !(await context.records.holdsOnlyOwn(id)))
    throw skip(
      `the suite sends DELETE without an ID only on this machine, and only when it created all ${model.name} records`,
    );
  const answer = await api.send({ method: 'DELETE', path: pathOf(model.name) });
  const after = await api.retrieve(model.name, id);
  if (!isAccepted(after) || isDeleted(model, context.check.read(model, api.recordIn(after) ?? {})))
    throw failure('DELETE without an ID deletes records', 'a 4xx status', statusOf(answer), answer.exchange);
  await expectNoOperation(context, answer, 'DELETE without an id');
}

async function expectAbsent(context: CaseContext, operation: Operation): Promise<void> {
  const { isDisposable, model } = context;
  const isOnRecord = operation === 'update' || operation === 'delete';
  if (isOnRecord && !isDisposable) return expectNothingAtUnused(context, operation);
  const before = await context.records.listed();
  const id = before[0]?.id ?? context.records.boundId();
  if (operation !== 'create' && id === undefined) throw await nothingToSee(context);
  if (isOnRecord && isId(id)) await expectNoHarm(context, id, operation);
  else {
    const answer = await send(context, operation, id);
    if (operation === 'create') context.records.adopt(answer);
    await expectNoOperation(context, answer, `${operation} on ${model.name}`);
  }
  const after = await context.records.listed();
  if (isDeepStrictEqual(byId(after), byId(before))) return;
  // Other clients change records, and over pages without an order, a record can repeat in place of another.
  if (!isDeepStrictEqual(byId(await context.records.listed()), byId(after)))
    throw unjudged(`the list of ${model.name} also changes without a write`);
  const message = `${operation} changes records, but ${model.name} does not have this operation`;
  throw failure(message, `${before.length} records as before`, `${after.length} records`);
}

/**
 * Sends a request that must not exist to an ID that no record has. Only 405 and 501 say that there is no such operation;
 * another refusal can be about the missing record.
 */
async function expectNothingAtUnused(context: CaseContext, what: Operation | Method): Promise<void> {
  const { model, records } = context;
  const unused = await context.ask(unusedId);
  const answer = await send(context, what, unused);
  records.adopt(answer);
  if (isAccepted(answer) || answer.status >= 500)
    return expectNoOperation(context, answer, `${what} on ${model.name}/${unused}`);
  if (answer.status !== 405)
    throw unjudged(
      `status ${answer.status} for an ID without a record does not show whether ${model.name} has ${what}; the suite tries it on a record only on this machine`,
    );
}

/** Throws `failure` if a request that must not exist damages a record that the run did not create. */
async function expectNoHarm(context: CaseContext, id: Id, what: Operation | Method): Promise<void> {
  const { model } = context;
  const before = await readOther(context, id);
  const values = what === 'delete' ? {} : context.samples.valuesAfter(before ?? {});
  const answer = await send(context, what, id, values);
  const after = before && (await readOther(context, id));
  // No other client can delete a record of a model without a delete. It can be changed by other means.
  const isChanged = isAccepted(answer) && !isDeepStrictEqual(after, before);
  const harm = before && !after ? 'deleted' : isChanged ? 'changed' : undefined;
  if (harm !== undefined) {
    const name = nameOf({ model, id });
    const message = `${name} was ${harm} by ${what}, which ${model.name} does not have`;
    const found = `${statusOf(answer)}; ${name} was ${harm}, and the suite can't restore it`;
    const expected = 'a 4xx status, or 501, and the record as before';
    throw failure(message, expected, found, answer.exchange, { harm: `${name} ${harm}` });
  }
  await expectNoOperation(context, answer, `${what} on ${model.name}/${id}`);
}

/** Returns the values of a record that change only by a write; undefined if it is not readable, or not in the list. */
async function readOther(context: CaseContext, id: Id): Promise<RecordValues | undefined> {
  const { api, check, model, records } = context;
  const answer = model.operations.includes('retrieve') ? await api.retrieve(model.name, id) : undefined;
  const retrieved = api.recordIn(answer);
  const find = async () => (await records.listed()).find((record) => record.id === id);
  // Over pages without an order, one look can miss it.
  const listed = (await find()) ?? (retrieved && (await find()));
  const record = retrieved ?? listed;
  if (!record || !listed || (answer && isGone(answer))) return undefined;
  const values = check.read(model, record);
  return isDeleted(model, values) ? undefined : lasting(context, values);
}

/** 501 means that there is no such method, as expected; any other 5xx is a failure. */
async function expectNoOperation(context: CaseContext, answer: ApiResponse, what: string): Promise<void> {
  if (answer.status === 501) return;
  if (isAccepted(answer) || answer.status >= 500)
    throw failure(`the target does not reject ${what}`, 'a 4xx status, or 501', statusOf(answer));
  await expectNothing(context, answer, what);
}

async function expectNoRecord(
  context: CaseContext,
  operation: 'retrieve' | 'update' | 'delete',
  witness?: MadeRecord,
): Promise<void> {
  const { api, codec, model } = context;
  const what = `${withArticle(operation)} of an unknown record`;
  const values = operation === 'update' ? context.samples.values('all') : {};
  const before = witness && (await context.records.readValues(witness.id));
  const id = operation === 'retrieve' ? UNKNOWN_ID : await context.ask(unusedId);
  const wire = codec.encodeNamed(model.name, values);
  const send = () => sendOperation(api, operation, model.name, id, wire);
  const answer = await send();
  // A record that does not exist is already deleted: many services return a success, and section 7 shows no error.
  const isGone = operation === 'delete' && isAccepted(answer) && api.recordIn(answer)?.id === undefined;
  if (!isGone) await expectNothing(context, answer, what);
  await context.records.assertNothingStored([values], send);
  if (!witness || !before) return;
  const seen = await api.retrieve(model.name, witness.id);
  const after = context.check.read(model, expectRecord(context, seen, `a retrieve after ${what}`));
  expectValues(context, stableValues(context, before), after, `a record after ${what}`, seen);
}

/** A retrieve does not return a record of another model, whose ID no record of the model has. */
async function expectNoOtherModel({ api, catalogue, model, records }: CaseContext): Promise<void> {
  // The run created or found records of the models that others link to, or the user named them.
  const names = [...catalogue.models.keys()].filter((name) => name !== model.name);
  const other = names.find((name) => records.linkTo(name) !== undefined) ?? '';
  const id = records.linkTo(other);
  if (id === undefined || !model.operations.includes('list')) return;
  const isFree = async () => {
    const listing = api.isOwn(model.name, id) ? undefined : await records.listing();
    return listing?.complete === true && !listing.records.some((one) => one.id === id);
  };
  if (!(await isFree())) return;
  const answer = await api.retrieve(model.name, id);
  const shown = api.recordIn(answer);
  if (!shown || isMarked(model, shown) || !(await isFree())) return;
  // It can be a record of the model that the list omits.
  const theirs = api.recordIn(await api.retrieve(other, id)) ?? {};
  const both = Object.keys(shown).filter((name) => Object.hasOwn(theirs, name));
  if (both.length < 2 || !both.every((name) => isDeepStrictEqual(shown[name], theirs[name]))) return;
  const message = `a retrieve of ${withArticle(model.name)} returns ${withArticle(other)} with the ID`;
  throw failure(message, 'a 4xx status', statusOf(answer), answer.exchange);
}

/** Expects a refusal. If the list is answered, a 403 is one, since the credentials are accepted. */
async function expectNothing(context: CaseContext, answer: ApiResponse, what: string): Promise<void> {
  const { operations } = context.model;
  if (answer.status === 403 && operations.includes('list') && isAccepted(await context.ask(plainList)))
    return;
  expectRefused(answer, what);
}

/**
 * Near a model's name, and no model: a letter doubled, a letter lost, a plural, and where two letters are alike, the next
 * ones so instead (`ommitedSale` is spelled exactly so, section 2.3). Many frameworks ignore case in paths.
 */
function misspellings(model: Model, names: readonly string[]): string[] {
  const { name } = model;
  const near = [
    `${name}${name.at(-1)}`,
    name.slice(0, -1),
    `${name}s`,
    name.replace(/(.)\1([aeiou])([^aeiou])/, '$1$2$3$3'),
  ];
  return [...new Set(near)].filter((one) => one !== '' && one !== name && !names.includes(one));
}
