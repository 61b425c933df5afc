import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Choice, Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { type movesOf, profileAt } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import { choicesOf } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, type Id, isAccepted, isGone, isObject } from '../api/answer.ts';
import { type Listing, totalOf } from '../api/listing.ts';
import { isCopy, isOrigin } from '../assert/agreement.ts';
import { blocked, type Ended, failure, isEnded, skip, unlessEnded } from '../assert/ending.ts';
import { lasting, statusOf } from '../cases/assert.ts';
import { createAccepted } from '../cases/remedy.ts';
import { type CaseContext, eachField, type FieldCase, type SharedRequests } from '../cases/rule.ts';
import { integerIdIn, type SeenRecord, seenIn, UNKNOWN_ID } from '../records/identity.ts';
import type { MadeRecord } from '../records/model-records.ts';
import { writableFields } from '../records/values/values.ts';

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

/** The records in the order of their IDs. The source states no order of a list. */
export function byId(records: readonly RecordValues[]): readonly RecordValues[] {
  return records.toSorted((one, other) => Number(one.id) - Number(other.id));
}

/** The answer to a list that is asked for without a query. */
export const plainList: SharedRequests<ApiResponse> = {
  name: 'plain list',
  againAfter5xx: true,
  ask: ({ api, model }) => api.list(model.name),
};

/**
 * Creates a record with all writable fields, retrieves it, and lists it; undefined where that fails. `records` are all that
 * were seen, with the operation that showed them. `unmade` says why the run can't create a record.
 */
export const observation = {
  name: 'observation',
  againAfter5xx: true,
  async ask(context) {
    const { api, model, readOnly, records } = context;
    const seen: SeenRecord[] = [];
    const see = (from: string, answer: ApiResponse): ApiResponse => {
      for (const one of seenIn(context, from, answer)) seen.push(one);
      return answer;
    };
    let made: MadeRecord | undefined;
    let created: ApiResponse | undefined;
    let unmade: Ended | undefined;
    try {
      if (model.operations.includes('create') && !readOnly) {
        const { answer, sent } = await createAccepted(context, 'all');
        created = see('create', answer);
        // The next values have other texts and booleans, which the service might refuse.
        if (isAccepted(answer)) await createAccepted(context, 'all');
        made = madeIn(context, { answer, sent });
      }
    } catch (error) {
      // The records of others show the fields all the same.
      if (!isEnded(error, 'blocked')) throw error;
      unmade = error;
    }
    // The source shows no list but the one without a query (section 4).
    const plain = await context.ask(plainList);
    const shown = api.recordsIn(plain);
    for (const record of shown ?? []) seen.push({ model, from: 'list', record, answer: plain });
    const isWhole = shown && totalOf(plain, context.profile) === shown.length;
    const listing: Listing | undefined = isWhole
      ? { records: shown, complete: true, first: plain }
      : await records.listing();
    if (listing && !isWhole)
      for (const record of listing.records) seen.push({ model, from: 'list', record, answer: listing.first });
    const id =
      made?.id ?? seen.find(({ record }) => Number.isInteger(record.id))?.record.id ?? records.boundId();
    const retrieved = id === undefined ? undefined : see('retrieve', await api.retrieve(model.name, id));
    return { records: seen, made, created, unmade, retrieved, listing };
  },
} satisfies SharedRequests<unknown>;

/** Throws `blocked` unless a create of a valid record succeeds: otherwise a refusal of an invalid one proves nothing. */
export async function needCreate(context: CaseContext): Promise<void> {
  const { created, made, unmade } = await context.ask(observation);
  if (unmade) throw unmade;
  if (created && !made)
    throw blocked(
      `a valid ${context.model.name} could not be created: ${statusOf(created)}${context.records.explain(created)}`,
      created.exchange,
    );
}

/** Why there is no record to look at, such as that the run may not write. */
export async function nothingToSee(context: CaseContext): Promise<Ended> {
  const { model, readOnly, records } = context;
  // Only the owner's data can show a read-only model, and a new database has none of it.
  const listing = await records.listing();
  if (!model.operations.includes('create') && listing)
    return skip(`there is no ${model.name} record, and none can be created; name one with --bindings`);
  if (readOnly) return skip(`there is no ${model.name} record, and a read-only run creates none`);
  await needCreate(context);
  // If the form of the list is unknown, the suite can't see that it is empty.
  const details = listing ? {} : ({ differs: 'response.records' } as const);
  return blocked(`the list shows no ${model.name} record`, undefined, details);
}

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
 * Three records of a model, made one after the other with all writable fields. Cases may update and delete `own`.
 */
export const three = {
  name: 'three',
  async ask(context) {
    const { api, model, records, samples } = context;
    await needCreate(context);
    const make = () => records.make(samples.values('all'));
    const older = await make();
    // While it is the only one.
    await api.retrieve(model.name, older.id);
    // One with the same texts shows a service that takes them for its key. Some services want them to differ.
    const namesake = { ...samples.values('all'), ...textsOf(context, older.sent) };
    const own = madeIn(context, await records.createFresh(namesake)) ?? (await make());
    return { older, own, newer: await make() };
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
export function madeIn(
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
 * `record` and `listed` are in wire form. With `isSeen`, the list shows whether it has the record.
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
    const record = api.recordIn(retrieved);
    if (record) records.needSame(id, record);
    const listing = has('list') ? await records.listing() : undefined;
    const listed = listing?.records.find((item) => item.id === id);
    if (listed && !record) records.needSame(id, listed);
    const isSeen = listed !== undefined || listing?.complete === true;
    return { id, sent, answer, retrieved, record, list: listing?.first, listed, isSeen };
  },
} satisfies SharedRequests<unknown>;

/** The values that no request about another record may change. The service can compute readonly fields again. */
export function stableValues(context: CaseContext, record: RecordValues): RecordValues {
  const { fields } = context.model;
  const origin = fields.filter((field) => isIdField(field) || isOrigin(field) || field.role === 'deleted');
  return {
    ...Object.fromEntries(origin.map(({ name }) => [name, record[name] ?? null])),
    ...lasting(context, record),
  };
}

export async function createWith(context: CaseContext, more: RecordValues): Promise<ApiResponse> {
  await needCreate(context);
  return context.records.create(context.samples.values('required'), { more });
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
export type SentTrial = NonNullable<Awaited<ReturnType<typeof readTrial>>>;

/** Reads back the record of an answer; undefined when that was no success or shows no record. */
export async function readTrial(context: CaseContext, { answer, id, tried }: CreateTrial) {
  if (!isAccepted(answer) || id === undefined) return undefined;
  const record = context.api.recordIn(await context.api.retrieve(context.model.name, id));
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
export function wayTo(state: Choice['value'], moves: ReturnType<typeof movesOf>) {
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

/** A field of the model or, with `lines`, of the lines that such a field holds: `product` in `lines`. */
export type FieldPlace = { readonly field: Field; readonly lines?: Field };

/** A case for each field that the filter lets through, and for each such field of lines that are sent in full. */
export function eachPlace(wanted: (field: Field, plan: Contract) => boolean) {
  return (model: Model, plan: Contract): readonly FieldCase[] => [
    ...eachField(wanted)(model, plan),
    ...model.fields.flatMap((lines): FieldCase[] => {
      const line = plan.catalogue.models.get(lines.lines ?? '');
      if (!line || lines.readonly || profileAt(plan.profile, lines.key)['types.lines'] === 'ids') return [];
      // The link of a line to its parent is implied by where the line stands.
      const parent = parentLink(line, model, plan.references);
      return line.fields
        .filter((field) => field !== parent && wanted(field, plan))
        .map((part) => ({ field: lines, part, detail: part.name }));
    }),
  ];
}

export function placeOf({ field, part }: FieldCase): FieldPlace {
  return part ? { field: part, lines: field } : { field };
}

/**
 * The part of a body, in wire form, that has a value for a field, or none when that is undefined. Of lines it is valid
 * lines, the first of which has that value.
 */
export function valueAt(
  { codec, model, samples }: CaseContext,
  { field, lines }: FieldPlace,
  value: Value | undefined,
): RecordValues {
  const own = value === undefined ? {} : { [field.name]: value };
  if (!lines) return own;
  const sent = codec.encodeNamed(model.name, { [lines.name]: samples.values('all')[lines.name] ?? [] });
  const [first, ...others] = sent[lines.name] as readonly RecordValues[];
  const { [field.name]: _, ...rest } = first ?? {};
  return { [lines.name]: [{ ...rest, ...own }, ...others] };
}

/** Returns the value of a field in a record, in wire form: one value, or one of each line. */
export function shownAt(record: RecordValues | undefined, { field, lines }: FieldPlace) {
  if (!record) return [];
  if (!lines) return [record[field.name]];
  const shown = record[lines.name];
  return Array.isArray(shown) ? shown.filter(isObject).map((line) => line[field.name]) : [];
}

/** The fields whose lines are shown as records of a model that has an id. */
export function linesWithIds({ catalogue, model, profile }: CaseContext): Field[] {
  return model.fields.filter(
    ({ key, lines = '' }) =>
      profileAt(profile, key)['types.lines'] === 'objects' &&
      catalogue.models.get(lines)?.fields.some(isIdField) === true,
  );
}

/** A number that is no link. */
export function isNumber({ references }: CaseContext, { key, type }: Field): boolean {
  return ['int', 'float', 'currency', 'percent'].includes(type) && !references.has(key);
}

/** A state may allow no move. */
export function isPlain({ choices, lines }: Field): boolean {
  return choices === undefined && lines === undefined;
}
