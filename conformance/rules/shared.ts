import type { Choice, Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import type { movesOf } from '../../spec/profile/profile.ts';
import { choicesOf } from '../../spec/types/types.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, type Id, isAccepted, isGone } from '../api/answer.ts';
import { isCopy } from '../assert/agreement.ts';
import { blocked, failure, isEnded, skip, unlessEnded, whyDenied } from '../assert/ending.ts';
import { lasting, statusOf } from '../cases/assert.ts';
import { createAccepted } from '../cases/remedy.ts';
import type { CaseContext, SharedRequests } from '../cases/rule.ts';
import { integerIdIn, UNKNOWN_ID } from '../records/identity.ts';
import type { MadeRecord } from '../records/model-records.ts';
import { updateValues, writableFields } from '../records/values/values.ts';
import { needCreate, wholeUpdate } from './updates.ts';

const MOST_IDS_TRIED = 3;

/** An ID that no record has. Where a write to a record would harm others, a retrieve proves it first. */
export const unusedId: SharedRequests<number> = {
  name: 'unused id',
  async ask({ api, isDisposable, model }) {
    if (isDisposable || !model.operations.includes('retrieve')) return UNKNOWN_ID;
    for (let id = UNKNOWN_ID; id > UNKNOWN_ID - MOST_IDS_TRIED; id--)
      if (isGone(await api.retrieve(model.name, id))) return id;
    throw skip(`every ID that the suite tried for a missing ${model.name} has a record`);
  },
};

/** A create of only the required fields, with its response and the sent values. */
export const bareCreate: SharedRequests<Pick<MadeRecord, 'answer' | 'sent'>> = {
  name: 'bare create',
  againAfter5xx: true,
  ask: (context) => createAccepted(context, 'required'),
};

/** A record with only the required fields, and the responses to its create and to a retrieve. */
export const minimal = {
  name: 'minimal',
  againAfter5xx: true,
  async ask(context) {
    const { records } = context;
    const made = madeIn(context, await context.ask(bareCreate)) ?? (await records.make());
    return { made, created: made.answer, retrieved: await records.retrieve(made.id) };
  },
} satisfies SharedRequests<unknown>;

/** A record that was made with all writable fields, in wire form, and is never written again. */
export const whole: SharedRequests<RecordValues> = {
  name: 'whole',
  againAfter5xx: true,
  ask: (context) => onShared(context, three, ({ older }) => context.records.read(older.id)),
};

/** A record with the required fields, for requests that have to leave it as it is. */
export const one: SharedRequests<MadeRecord> = { name: 'one', ask: ({ records }) => records.make() };

/**
 * Three records of a model, made one after the other with all writable fields. Cases may update and delete `own`. `alone`
 * is a retrieve of the first one while it was the only one.
 */
export const three = {
  name: 'three',
  async ask(context) {
    const { api, model, records, samples } = context;
    await needCreate(context);
    const make = () => records.make(samples.values('all'));
    const older = await make();
    const alone = await api.retrieve(model.name, older.id);
    // One with the same texts shows a service that takes them for its key. Some services want them to differ.
    const namesake = { ...samples.values('all'), ...textsOf(context, older.sent) };
    const own = madeIn(context, await records.createFresh(namesake)) ?? (await make());
    return { older, alone, own, newer: await make() };
  },
} satisfies SharedRequests<unknown>;

export type Three = Awaited<ReturnType<typeof three.ask>>;

/** Records with all writable fields, so that one of them has each boolean and each member of a value list. */
export const ofEachValue: SharedRequests<readonly Id[]> = {
  name: 'records of each value',
  async ask({ model, profile, records, samples }) {
    const sizes = writableFields(model).map((field) =>
      field.type === 'bool' ? 2 : (choicesOf({ field, profile })?.length ?? 0),
    );
    const ids: Id[] = [];
    // Each sample has the next member of a list.
    for (let more = Math.max(0, ...sizes); more > 0; more--) {
      const made = await unlessEnded(() => records.make(samples.values('all')));
      if (made) ids.push(made.id);
    }
    return ids;
  },
};

/** The texts of a record by which a service may take another one for it: none that may be copied from another record. */
export function textsOf({ catalogue, model, samples }: CaseContext, sent: RecordValues): RecordValues {
  const texts = model.fields.filter(
    (field) =>
      ['string', 'text'].includes(field.type) &&
      Object.hasOwn(sent, field.name) &&
      !samples.isUnique(field) &&
      !isCopy(field, catalogue),
  );
  return Object.fromEntries(texts.map(({ name }) => [name, sent[name] ?? null]));
}

/** The record that a create answered with; undefined where it answered with no new one. */
function madeIn(
  { api, model, records }: CaseContext,
  { answer, sent }: Pick<MadeRecord, 'answer' | 'sent'>,
): MadeRecord | undefined {
  const id = integerIdIn(api, answer);
  return id === undefined || records.wasThere(id) ? undefined : { model, id, sent, answer };
}

/**
 * Judges the answer to a question that the cases of a model share. If another case has removed its record, asks the
 * question again for this case.
 */
export async function onShared<T, Found>(
  context: CaseContext,
  question: SharedRequests<T>,
  judge: (found: T) => Promise<Found>,
): Promise<Found> {
  try {
    return await judge(await context.ask(question));
  } catch (error) {
    if (!isEnded(error, 'blocked')) throw error;
    return judge(await question.ask(context));
  }
}

/** The minimal records that are deleted. No other case writes to them. */
const taken = new WeakSet<object>();

/**
 * Makes a record, deletes it, and looks where it may still be found. If the delete was no success, nothing else is asked.
 * `record` and `listed` are in wire form.
 */
export const deletion = {
  name: 'deletion',
  againAfter5xx: true,
  async ask(context) {
    const { api, model, records } = context;
    const spare = (await context.ask(minimal)).made;
    const { id, sent } = taken.has(spare) ? await records.make() : spare;
    taken.add(spare);
    const answer = await records.delete(id);
    if (!isAccepted(answer)) return { id, sent, answer };
    const has = (operation: 'retrieve' | 'list') => model.operations.includes(operation);
    const retrieved = has('retrieve') ? await api.retrieve(model.name, id) : undefined;
    const record = retrieved && isAccepted(retrieved) ? api.recordIn(retrieved) : undefined;
    if (record) records.needSame(id, record);
    const listing = has('list') ? await records.listing() : undefined;
    const listed = listing?.records.find((item) => item.id === id);
    if (listed && !record) records.needSame(id, listed);
    return { id, sent, answer, retrieved, record, list: listing?.first, listed };
  },
} satisfies SharedRequests<unknown>;

export type Aftermath = Awaited<ReturnType<typeof deletion.ask>>;

/** The values that no request about another record may change. The service can compute readonly fields again. */
export function stableValues(context: CaseContext, record: RecordValues): RecordValues {
  const origin = context.model.fields.filter(
    (field) => isIdField(field) || ['created', 'createdBy', 'deleted'].includes(field.role ?? ''),
  );
  return {
    ...Object.fromEntries(origin.map(({ name }) => [name, record[name] ?? null])),
    ...lasting(context, record),
  };
}

export async function createWith(context: CaseContext, more: RecordValues): Promise<ApiResponse> {
  await needCreate(context);
  return context.records.create(context.samples.values('required'), { more });
}

/** Updates a record to values in wire form, valid or not; where the profile wants all fields, the others go with them. */
export async function updateWith(
  context: CaseContext,
  { id, sent }: MadeRecord,
  wire: RecordValues,
): Promise<ApiResponse> {
  const { api, codec, model } = context;
  const others = codec.encodeNamed(model.name, updateValues(model, context, {}, sent));
  const answer = await api.update(model.name, id, { ...others, ...wire });
  // Asks for a valid update, because only its success shows that the credentials are not the reason to refuse.
  if (whyDenied(answer) !== undefined) await context.ask(wholeUpdate);
  return answer;
}

/** The service may accept or refuse; it may not answer with a 5xx. */
export function expectUnbroken(answer: ApiResponse, what: string): void {
  if (answer.status >= 500)
    throw failure(`the target crashes on ${what}`, 'any status below 500', statusOf(answer), answer.exchange);
}

/**
 * A record after one request with many fields, in canonical form. A field with the expected value needs no separate
 * request. Each other field gets one.
 */
export type Trial = NonNullable<Awaited<ReturnType<typeof readTrial>>>;

/** Reads back the record of an answer; undefined when that was no success or shows no record. */
export async function readTrial(context: CaseContext, { answer, id, tried }: CreateTrial) {
  if (!isAccepted(answer) || id === undefined) return undefined;
  const after = await context.api.retrieve(context.model.name, id);
  const record = isAccepted(after) ? context.api.recordIn(after) : undefined;
  return record && { tried, found: context.check.read(context.model, record) };
}

/** Creates a record with the values on trial and the required ones. */
export async function tryCreate(context: CaseContext, tried: RecordValues) {
  const { codec, model, records, samples } = context;
  const more = codec.encodeNamed(model.name, tried);
  const answer = await records.create(samples.values('required'), { more });
  return { answer, id: records.ownId(answer), tried };
}

export type CreateTrial = Awaited<ReturnType<typeof tryCreate>>;

/** Creates a record in the first state of a way, and moves it through the others. Throws `blocked` if a move is refused. */
export async function makeOnWay(
  { records, samples }: Pick<CaseContext, 'records' | 'samples'>,
  field: Field,
  [first = '', ...others]: readonly Choice['value'][],
): Promise<MadeRecord> {
  const made = await records.make({ ...samples.values('required', [field]), [field.name]: first });
  for (const next of others) {
    const moved = await records.update(made.id, { [field.name]: next }, made.sent);
    if (!isAccepted(moved)) throw blocked(`${moved.asked} returned ${statusOf(moved)}`, moved.exchange);
  }
  return made;
}

/** The shortest way from the state of a new record; undefined if no allowed move leads to the state. */
export function wayTo(
  state: Choice['value'],
  moves: ReturnType<typeof movesOf>,
): readonly Choice['value'][] | undefined {
  if (!moves?.new) return [state];
  const ways = moves.new.map((first): readonly Choice['value'][] => [first]);
  const known = new Set(moves.new.map(String));
  // The loop also visits the ways that are added meanwhile.
  for (const way of ways) {
    if (String(way.at(-1)) === String(state)) return way;
    for (const next of moves[String(way.at(-1))] ?? [])
      if (!known.has(String(next))) {
        known.add(String(next));
        ways.push([...way, next]);
      }
  }
  return undefined;
}
