import { isDeepStrictEqual } from 'node:util';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { isDeleted, readRole } from '../../../spec/catalogue/roles.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isGone, isRefused } from '../../api/answer.ts';
import type { Id } from '../../api/places.ts';
import { withoutCopies } from '../../assert/agreement.ts';
import {
  expectAccepted,
  expectRecord,
  expectUpdated,
  expectValues,
  lasting,
  statusOf,
} from '../../assert/assert.ts';
import { Blocked, Failure, Skip } from '../../assert/failure.ts';
import { type CaseContext, type ListedRule, once, type Question } from '../../plan/rule.ts';
import { integerIdIn } from '../../records/ids.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { linkTarget } from '../../records/values/values.ts';
import { onShared, type Three, textsOf, three } from '../questions/shared.ts';
import { updateWhole } from '../questions/updates.ts';
import {
  expectNoNewRecord,
  expectUnchanged,
  stableValues,
  withoutLostSeconds,
} from '../support/kept-values.ts';

/** Creates a record of the model, and one record of each model that can link to it. Undefined if there is none. */
export const linked: Question<Linked | undefined> = {
  name: 'linked',
  async ask(context) {
    const fields = linkingFields(context);
    if (fields.length === 0) return undefined;
    const { records, samples } = context;
    const one = await orUndefined(records.make(samples.neutral(samples.values('all'))));
    if (!one) return undefined;
    const linking: LinkingRecord[] = [];
    for (const [model, links] of fields) {
      const found = await orUndefined(link({ ...context, ...context.beside(model), model }, links, one.id));
      if (found) linking.push(found);
    }
    return { one, linking };
  },
};

/** A request about one record does not change others (section 4). */
export const otherRecordRules: readonly ListedRule[] = [
  {
    id: 'create.distinct',
    title: 'Two creates make two records with different IDs',
    requirement: 'operation-create',
    needs: ['create', 'retrieve'],
    cases: once((context) => onShared(context, three, (three) => expectDistinct(context, three)), {
      operation: 'create',
    }),
  },
  {
    id: 'update.keeps-other-records',
    title: 'Update does not change other records and creates none',
    requirement: 'operation-update',
    needs: ['create', 'retrieve', 'update'],
    cases: once(
      async (context) => {
        await onShared(context, three, (three) => expectUpdateApart(context, three));
        await expectLinkingKeptByUpdate(context);
      },
      { operation: 'update' },
    ),
  },
  {
    id: 'delete.keeps-other-records',
    title: 'Delete does not change other records',
    requirement: 'operation-delete',
    needs: ['create', 'retrieve', 'delete'],
    cases: once(
      async (context) => {
        await onShared(context, three, (three) => expectDeleteApart(context, three));
        await expectLinkingKeptByDelete(context);
      },
      { operation: 'delete' },
    ),
  },
];

async function expectDistinct(context: CaseContext, { alone, newer, older, own }: Three): Promise<void> {
  await expectNoNewRecord(context, [newer.sent], 'a create', () => context.records.create(newer.sent));
  const first = expectRecord(context, alone, 'a retrieve of the first record');
  const before = context.check.read(context.model, first);
  expectValues(context, asSent(context, older.sent, before), before, 'the first record', alone);
  if (older.id === own.id || older.id === newer.id)
    throw new Failure('two creates return the same ID', 'two IDs', `${older.id} twice`);
  await expectUnchanged(context, older.id, before, 'the first record after another create');
  const last = await context.records.readValues(newer.id);
  expectValues(context, asSent(context, newer.sent, last), last, 'the last record');
}

/** What a service has to keep of what was sent; copies follow something else. */
function asSent({ catalogue, model }: CaseContext, sent: RecordValues, found: RecordValues): RecordValues {
  return withoutLostSeconds(model, withoutCopies(model, sent, catalogue), found);
}

async function expectUpdateApart(context: CaseContext, three: Three): Promise<void> {
  const expectKept = await watchNeighbors(context, three);
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
    await expectKept('another record after the update');
  }
  await expectNoNewRecord(context, versions, 'an update', () => context.records.update(id, sent, sent));
}

async function expectDeleteApart(context: CaseContext, three: Three): Promise<void> {
  const { id, sent } = three.own;
  // An update may have given it other texts than its neighbor has.
  if (context.model.operations.includes('update'))
    await context.records.update(id, textsOf(context, three.older.sent), sent);
  const expectKept = await watchNeighbors(context, three);
  expectAccepted(await notGone(context, await context.records.delete(id), id), 'a delete');
  context.records.forget(id);
  await expectKept('another record after the delete');
}

async function expectLinkingKeptByUpdate(context: CaseContext): Promise<void> {
  const found = await context.ask(linked);
  if (!found) return;
  const { answer } = await updateWhole(context, found.one);
  if (isAccepted(answer))
    await expectLinkingKept(found, `an update of the ${context.model.name} it links to`);
}

async function expectLinkingKeptByDelete(context: CaseContext): Promise<void> {
  const found = await context.ask(linked);
  const { model, records } = context;
  // Some services refuse to delete a record that others link to.
  if (!found || !isAccepted(await records.delete(found.one.id))) return;
  records.forget(found.one.id);
  await expectLinkingKept(found, `a delete of the ${model.name} it links to`, model);
}

/** Throws Blocked where a refusal is about a record that is gone: another case may have taken it away. */
async function notGone(context: CaseContext, answer: Answer, id: Id): Promise<Answer> {
  if (isRefused(answer)) await context.records.read(id);
  return answer;
}

/** Looks at the records made before and after the one in the middle; what it gives looks whether they changed. */
async function watchNeighbors(
  context: CaseContext,
  { newer, older }: Three,
): Promise<(what: string) => Promise<void>> {
  const neighbors: [Id, RecordValues][] = [];
  for (const { id } of [older, newer])
    neighbors.push([id, stableValues(context, await context.records.readValues(id))]);
  return async (what) => {
    for (const [id, before] of neighbors) await expectUnchanged(context, id, before, what);
  };
}

/** A record that links to the one in question, with the values that a retrieve showed last. */
type LinkingRecord = {
  readonly context: CaseContext;
  readonly id: Id;
  readonly created: Value | undefined;
  /** Throws Skip for a record in wire form that is another one with the ID. */
  readonly needSame: (record: RecordValues) => void;
  values: RecordValues;
};

/** A record, and one record of each model that links to it. */
type Linked = { readonly one: MadeRecord; readonly linking: LinkingRecord[] };

/**
 * Throws Failure if a write to the linked record changed a record that links to it. A delete can remove the records that
 * link to it, or their links.
 */
export async function expectLinkingKept({ linking }: Linked, what: string, to?: Model): Promise<void> {
  const judges: (() => void)[] = [];
  for (const item of linking) {
    const { context, id, values } = item;
    const answer = await context.api.retrieve(context.model.name, id);
    const record = isAccepted(answer) ? context.api.recordIn(answer) : undefined;
    const name = `${context.model.name}/${id}`;
    if (!to && isGone(answer))
      throw new Failure(`${name} no longer exists after ${what}`, 'the record', statusOf(answer));
    const now = record && context.check.read(context.model, record);
    if (!record || !now || (to && (isDeleted(context.model, now) || isAnother(item, record, now)))) continue;
    const kept = to ? withoutLinks(context, values, to) : values;
    judges.push(() => expectValues(context, kept, now, `${name} after ${what}`, answer));
    // The next write is judged by what this one left.
    item.values = keptValues(context, now);
  }
  for (const judge of judges) judge();
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

async function link(
  context: CaseContext,
  links: readonly Field[],
  to: Id,
): Promise<LinkingRecord | undefined> {
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
  const shown = await records.readValues(id);
  return {
    context,
    id,
    created: readRole(model, 'created', shown),
    needSame: records.sameAs(id),
    values: keptValues(context, shown),
  };
}

/** Whether the record went with the deleted one, and a new record has its ID. */
function isAnother(
  { context, created, needSame }: LinkingRecord,
  wire: RecordValues,
  now: RecordValues,
): boolean {
  try {
    needSame(wire);
    return !isDeepStrictEqual(readRole(context.model, 'created', now), created);
  } catch (error) {
    if (error instanceof Skip) return true;
    throw error;
  }
}

/** The writable values that follow no other record. */
function keptValues(context: CaseContext, values: RecordValues): RecordValues {
  return withoutCopies(context.model, lasting(context, values), context.catalogue);
}

function withoutLinks({ model, references }: CaseContext, values: RecordValues, to: Model): RecordValues {
  const links = new Set(
    model.fields.filter((field) => linkTarget(field, references) === to.name).map(({ name }) => name),
  );
  return Object.fromEntries(Object.entries(values).filter(([name]) => !links.has(name)));
}

/** Undefined if the target refuses what is only a means here; other cases judge it. */
async function orUndefined<T>(made: Promise<T>): Promise<T | undefined> {
  return made.catch((error) => {
    if (error instanceof Blocked || error instanceof Skip) return undefined;
    throw error;
  });
}
