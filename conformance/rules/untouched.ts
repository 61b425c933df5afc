import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf, isIdField } from '../../spec/catalogue/roles.ts';
import { whyFormless } from '../../spec/profile/profile.ts';
import { linkedModel } from '../../spec/references.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, type Id, isAccepted, isRefused } from '../api/answer.ts';
import { agrees, isNone, repeats, show } from '../assert/agreement.ts';
import { failure, skip, unlessEnded } from '../assert/ending.ts';
import {
  expectAccepted,
  expectRecord,
  expectRefused,
  expectUpdated,
  expectValues,
  isMarkedDeleted,
  needId,
} from '../cases/assert.ts';
import { expectNoRefusedChange } from '../cases/remedy.ts';
import { type CaseContext, type ListedRule, row, type SharedRequests } from '../cases/rule.ts';
import { isMarked } from '../records/identity.ts';
import type { MadeRecord } from '../records/model-records.ts';
import { asKept, holdsLines } from '../records/values/values.ts';
import {
  type CreateTrial,
  createWith,
  deletion,
  eachPlace,
  type FieldPlace,
  madeIn,
  minimal,
  one,
  onShared,
  placeOf,
  readTrial,
  type SentTrial,
  shownAt,
  stableValues,
  type Three,
  textsOf,
  three,
  tryCreate,
  valueAt,
} from './shared.ts';
import { updateWhole, updateWith } from './updates.ts';

/** A record, and how it looks after a create and an update of another one, `own`, that name its id. */
const namedNeighbor = {
  name: 'neighbor that is named',
  async ask(context) {
    const { codec, model, records, samples } = context;
    const { id } = await context.ask(one);
    const before = await records.readValues(id);
    await createWith(context, { id });
    const created = await records.readValues(id);
    const own = await records.make();
    await updateWith(context, own, { ...codec.encodeNamed(model.name, samples.valuesAfter(own.sent)), id });
    return { before, created, own, updated: await records.readValues(id) };
  },
} satisfies SharedRequests<unknown>;

/**
 * Readonly fields are not writable (section 4, rule 2): a service can ignore or refuse them, but not store them. The
 * suite sends all of them in one request, and then each one that this request does not prove in its own request.
 */
export const readonlyRules: readonly ListedRule[] = [
  row({
    id: 'readonly.on-create',
    title: 'Create does not store the value of a readonly field',
    requirement: 'field-readonly',
    needs: ['create', 'retrieve'],
    cases: eachPlace(({ readonly }) => readonly),
    async judge(context, item) {
      const place = placeOf(item);
      const { field, lines } = place;
      if (!lines && isIdField(field)) await expectNeighborKept(context, 'create');
      if (!lines && isCleared(await context.ask(readonlyCreated), field)) return;
      const { value, wire } = await unlike(context, place);
      const answer = await createWith(context, wire);
      if (refused(answer, field)) return;
      const id = needId(context, answer, `a create with readonly ${field.name}`);
      await expectNotStored(context, id, place, value);
    },
  }),
  row({
    id: 'readonly.on-update',
    title: 'Update does not store the value of a readonly field',
    requirement: 'field-readonly',
    needs: ['create', 'retrieve', 'update'],
    cases: eachPlace(({ readonly }) => readonly),
    async judge(context, item) {
      const place = placeOf(item);
      const { field, lines } = place;
      if (!lines && isIdField(field)) await expectNeighborKept(context, 'update');
      if (!lines && field.role === 'deleted') await expectStaysDeleted(context);
      const isCleanTrial = (trial: SentTrial | undefined) => isCleared(trial, field);
      if (!lines && (await context.ask(readonlyUpdates)).every(isCleanTrial)) return;
      const made = await context.records.make();
      const { value, wire } = await unlike(context, place);
      const { codec, model, samples } = context;
      // Some services store a readonly field if it is the only one, others if the update has writable fields.
      for (const beside of [{}, codec.encodeNamed(model.name, samples.valuesAfter(made.sent))]) {
        refused(await updateWith(context, made, { ...beside, ...wire }), field);
        await expectNotStored(context, made.id, place, value);
      }
    },
  }),
];

export const readonlyCreate: SharedRequests<CreateTrial> = {
  name: 'create with readonly fields',
  ask: async (context) => tryCreate(context, await valuesUnlike(context)),
};

const readonlyCreated: SharedRequests<SentTrial | undefined> = {
  name: 'record of a create with readonly fields',
  ask: async (context) => readTrial(context, await context.ask(readonlyCreate)),
};

/** Sends the readonly fields without others, then next to writable ones, and reads the record after each. */
const readonlyUpdates: SharedRequests<readonly (SentTrial | undefined)[]> = {
  name: 'updates with readonly fields',
  async ask(context) {
    const { own: made } = await context.ask(namedNeighbor);
    const tried = await valuesUnlike(context);
    const trials: (SentTrial | undefined)[] = [];
    for (const beside of [{}, context.samples.valuesAfter(made.sent)]) {
      const answer = await send(context, made, { ...beside, ...tried });
      trials.push(await readTrial(context, { answer, id: made.id, tried }));
      if (!isAccepted(answer)) break;
    }
    return trials;
  },
};

function isCleared(trial: SentTrial | undefined, field: Field): boolean {
  const tried = trial?.tried[field.name];
  return tried !== undefined && !repeats(field, tried, trial?.found[field.name]);
}

function send(context: CaseContext, made: MadeRecord, change: RecordValues): Promise<ApiResponse> {
  return updateWith(context, made, context.codec.encodeNamed(context.model.name, change));
}

/** A value that the service would not choose by itself, in canonical form, and the part of a body that has it. */
async function unlike(context: CaseContext, place: FieldPlace) {
  const { check, codec, model, profile } = context;
  const { field, lines } = place;
  const [given] = shownAt(await minimalRecord(context), place);
  const value = otherThan(context, field, check.readValue(field, given ?? null));
  if (value === undefined) throw skip(`${field.key} has only one valid value, so a change would not show`);
  const wire = lines
    ? valueAt(context, place, WIRE_TYPES[field.type].encode(value, { field, profile }))
    : codec.encodeNamed(model.name, { [field.name]: value });
  return { value, wire };
}

async function expectNotStored(context: CaseContext, id: Id, place: FieldPlace, value: Value): Promise<void> {
  const { field, lines } = place;
  const shown = shownAt(await context.records.read(id), place);
  if (!shown.some((own) => repeats(field, value, context.check.readValue(field, own ?? null)))) return;
  const where = lines ? ` in one of ${lines.name}` : '';
  const message = `the target stores a sent value of the readonly ${field.name}${where}`;
  throw failure(message, `any value but ${show(value)}`, show(lines ? shown : shown[0]));
}

/** Fails when a request with the id of another record in its body changed that record. */
async function expectNeighborKept(context: CaseContext, operation: 'create' | 'update'): Promise<void> {
  const seen = await context.ask(namedNeighbor);
  const before = operation === 'create' ? seen.before : seen.created;
  const what = `a record whose ID was in the body of ${operation === 'create' ? 'a create' : 'an update'}`;
  // Only one record can be the default one.
  const kept = Object.entries(stableValues(context, before)).filter(([, value]) => value !== true);
  expectValues(context, Object.fromEntries(kept), seen[`${operation}d`], what);
}

async function expectStaysDeleted(context: CaseContext): Promise<void> {
  const { api, model, records } = context;
  const mark = fieldOf(model, 'deleted');
  if (!mark || !model.operations.includes('delete')) return;
  const { answer, id, record, retrieved, sent } = await context.ask(deletion);
  const isGone = retrieved && (isRefused(retrieved) || (record && isMarkedDeleted(context, record)));
  // Other rules judge the delete itself.
  if (!isGone) return;
  records.needNotReused(id);
  await send(context, { model, id, sent, answer }, { [mark.name]: false });
  const after = await api.retrieve(model.name, id);
  if (!isAccepted(after)) return;
  const found = expectRecord(context, after, 'a retrieve of a deleted record');
  if (isMarkedDeleted(context, found)) return;
  // The id may have been given to a new record meanwhile.
  await records.needDeleted(id);
  records.adopt(after);
  throw failure('an update restores a deleted record', 'deleted as before', show(found[mark.name]));
}

/** Whether the request was refused. A service may refuse or ignore a readonly field. */
function refused(answer: ApiResponse, field: Field): boolean {
  if (isAccepted(answer)) return false;
  expectRefused(answer, `a request with readonly ${field.name}`);
  return true;
}

async function minimalRecord(context: CaseContext): Promise<RecordValues> {
  return expectRecord(context, (await context.ask(minimal)).retrieved, 'a retrieve');
}

/** Values of readonly fields that the service does not choose itself. Only these can show that a sent one was stored. */
async function valuesUnlike(context: CaseContext): Promise<RecordValues> {
  const given = context.check.read(context.model, await minimalRecord(context));
  const fields = context.model.fields.filter((field) => field.readonly && !whyFormless(field, context));
  const pairs = fields.map((field) => [field.name, otherThan(context, field, given[field.name])]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

function otherThan(context: CaseContext, field: Field, given: Value | undefined): Value | undefined {
  const { profile } = context;
  for (let tries = 0; tries < 5; tries++) {
    // Far from what a service counts up to by itself, so that an id or a total is not met by chance.
    const sample = WIRE_TYPES[field.type].sample(900_000_000 + context.samples.number() * 10 + tries, {
      field,
      profile,
    });
    const value = asKept(field, sample, profile);
    if (!agrees(field, value, given)) return value;
  }
  return undefined;
}

/** Creates a record of the model, and one record of each model that can link to it. Undefined if there is none. */
const linked = {
  name: 'linked',
  async ask(context) {
    const fields = linkingFields(context);
    if (fields.length === 0) return undefined;
    const { records, samples } = context;
    const one = await unlessEnded(() => records.make(samples.neutral(samples.values('all'))));
    if (!one) return undefined;
    const linking: { context: CaseContext; id: Id; required: readonly Field[] }[] = [];
    for (const [model, links] of fields) {
      const beside = { ...context, ...context.beside(model), model };
      const made = await unlessEnded(() => link(beside, links, one.id));
      if (made) linking.push({ context: beside, ...made });
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
    await expectNoRefusedChange(context, { id, sent }, change, await notGone(context, answer, id));
    expectUpdated(context, answer, change);
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
  // The record was updated before, unlike that of the case of deletes.
  await context.api.retrieve(context.model.name, id);
  await readNeighbors(context, three);
}

async function readNeighbors({ records }: CaseContext, { newer, older }: Pick<Three, 'newer' | 'older'>) {
  for (const { id } of [older, newer]) await records.read(id);
}

type Linked = NonNullable<Awaited<ReturnType<typeof linked.ask>>>;

/** Expects that records keep their required links. */
async function readLinking({ linking }: Linked): Promise<void> {
  for (const { context, id, required } of linking) {
    const { api, model } = context;
    const answer = await api.retrieve(model.name, id);
    const record = api.recordIn(answer);
    if (!record || isMarked(model, record)) continue;
    const lost = required.find(({ name }) => isNone(record[name]));
    if (!lost) continue;
    const message = `a record lost its required ${lost.key}`;
    throw failure(message, 'a value', show(record[lost.name]), answer.exchange);
  }
}

/** Throws `blocked` where a refusal is about a record that is gone: another case may have taken it away. */
async function notGone(context: CaseContext, answer: ApiResponse, id: Id): Promise<ApiResponse> {
  if (isRefused(answer)) await context.records.read(id);
  return answer;
}

/** The writable links of each other model, and none of lines, which follow their parent. */
function linkingFields({ catalogue, model, references }: CaseContext): [Model, Field[]][] {
  const models = [...catalogue.models.values()];
  return models.flatMap((other): [Model, Field[]][] => {
    const has = (operation: 'create' | 'retrieve') => other.operations.includes(operation);
    // A line can be added to the record of another case.
    const isLine = models.some((parent) => holdsLines(parent, other));
    if (!has('create') || !has('retrieve') || isLine || holdsLines(other, model)) return [];
    const links = other.fields.filter(
      (one) =>
        !one.readonly &&
        ['int', 'manyToMany'].includes(one.type) &&
        linkedModel(references, one) === model.name,
    );
    return links.length > 0 ? [[other, links]] : [];
  });
}

/** Creates a record that links to another. Returns the required links that it shows. */
async function link(context: CaseContext, links: readonly Field[], to: Id) {
  const { api, model, prepareLinks, records, samples } = context;
  // A service that lacks the other model gets no write to it.
  if (!isAccepted(await api.list(model.name))) return undefined;
  await prepareLinks(model, links);
  const sent = links.filter((field, index) => index === 0 || field.required);
  const value = ({ type }: Field) => (type === 'manyToMany' ? [Number(to)] : Number(to));
  const linked = Object.fromEntries(sent.map((field) => [field.name, value(field)]));
  const made = madeIn(context, await records.createFresh({ ...samples.values('all', links), ...linked }));
  if (!made) return undefined;
  const record = await records.read(made.id);
  return { id: made.id, required: links.filter(({ name, required }) => required && !isNone(record[name])) };
}
