import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../../spec/catalogue/field.ts';
import { movesOf } from '../../spec/profile/profile.ts';
import { isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, isAccepted, isRefused } from '../api/answer.ts';
import { type Listing, totalOf } from '../api/listing.ts';
import { agrees } from '../assert/agreement.ts';
import { blocked, type Ended, skip, unlessEnded } from '../assert/ending.ts';
import { lasting, statusOf } from '../cases/assert.ts';
import { createAccepted } from '../cases/remedy.ts';
import type { CaseContext, SharedRequests } from '../cases/rule.ts';
import { integerIdIn, mayBeDuplicate, type SeenRecord, seenIn } from '../records/identity.ts';
import type { MadeRecord } from '../records/model-records.ts';
import { linkTarget, writableFields } from '../records/values/values.ts';

/** The answer to a list that is asked for without a query. */
export const plainList: SharedRequests<ApiResponse> = {
  name: 'plain list',
  againAfter5xx: true,
  ask: ({ api, model }) => api.list(model.name),
};

/**
 * Creates a record with all writable fields, retrieves it, and lists it; undefined where that fails. `records` are all that
 * were seen, with the operation that showed them.
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
    const has = (operation: (typeof model.operations)[number]) => model.operations.includes(operation);

    let made: MadeRecord | undefined;
    let created: ApiResponse | undefined;
    let tried: RecordValues | undefined;
    if (has('create') && !readOnly) {
      const { answer, sent } = await createAccepted(context, 'all');
      created = see('create', answer);
      tried = sent;
      // The next values have other texts and booleans, which the service might refuse.
      if (isAccepted(answer)) await createAccepted(context, 'all');
      const id = integerIdIn(api, created);
      if (id !== undefined && !records.wasThere(id)) made = { model, id, sent, answer: created };
    }
    // The source shows no list but the one without a query (section 4).
    const plain = await context.ask(plainList);
    const shown = isAccepted(plain) ? api.recordsIn(plain) : undefined;
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
    return { records: seen, made, created, sent: tried, retrieved, listing };
  },
} satisfies SharedRequests<unknown>;

/** One field of a record that was updated, and the whole record around it; values are canonical, writable fields only. */
export type UpdateStep = {
  readonly field: Field;
  readonly value: Value;
  /** The values that were sent: that of the field, and those that pins tie to it. */
  readonly change: RecordValues;
  readonly before: RecordValues;
  readonly answer: ApiResponse;
  /** The answer to the retrieve after it. */
  readonly seen: ApiResponse;
  readonly after: RecordValues;
};

/**
 * Updates the writable fields of one record one after the other, and looks at the whole record after each. The last
 * one comes first, so that the end of a range moves before its start does, and a link to a record that no other holds.
 */
export const updates: SharedRequests<readonly UpdateStep[]> = {
  name: 'updates',
  againAfter5xx: true,
  async ask(context) {
    const { api, check, model, records, samples } = context;
    const sent = samples.values('all');
    // Of numbers that follow each other, so that each text comes in all its forms.
    const next = [sent, sent, sent].map((values) => samples.valuesAfter(values));
    let made = await records.make(sent);
    const steps: UpdateStep[] = [];
    let before = lasting(context, await records.readValues(made.id));
    const turns = writableFields(model)
      .toReversed()
      .flatMap((field) => {
        // Both ways, since a service may fail in one direction only, or to each form of a text.
        const times = isText(field) ? 3 : field.type === 'bool' ? 2 : 1;
        return next.slice(0, times).map((values) => ({ field, wanted: values[field.name] }));
      });
    for (const { field, wanted } of turns) {
      const tried = await changeField(context, made, field, before[field.name], wanted);
      const isBack = steps.at(-1)?.field === field;
      // The source does not say that each move can be undone.
      if (!tried || (isBack && isRefused(tried.answer))) continue;
      const seen = await records.retrieve(made.id);
      const after = lasting(context, check.read(model, api.recordIn(seen) ?? {}));
      steps.push({ field, before, seen, after, ...tried });
      if (isAccepted(tried.answer)) made = { ...made, sent: { ...made.sent, ...tried.change } };
      before = after;
    }
    return steps;
  },
};

/** Updates all writable fields of a record to other values; where a move of a state is refused, the states stay. */
export async function updateWhole(
  context: CaseContext,
  { id, sent }: Pick<MadeRecord, 'id' | 'sent'>,
): Promise<{ readonly change: RecordValues; readonly answer: ApiResponse }> {
  const { answer, change } = await orRelinked(context, context.samples.valuesAfter(sent), (values) =>
    context.records.update(id, values, sent),
  );
  const states = context.model.fields.filter((field) => movesFreely(context, field));
  if (!isRefused(answer) || states.length === 0) return { change, answer };
  const calm = { ...change };
  for (const { name } of states)
    if (sent[name] === undefined) delete calm[name];
    else calm[name] = sent[name];
  const again = await context.records.update(id, calm, sent);
  return isAccepted(again) ? { change: calm, answer: again } : { change, answer };
}

/** Sends an update, and once more with other links where another record might have the same ones. */
async function orRelinked(
  { records }: CaseContext,
  change: RecordValues,
  update: (change: RecordValues) => Promise<ApiResponse>,
): Promise<{ readonly change: RecordValues; readonly answer: ApiResponse }> {
  const answer = await update(change);
  const other = mayBeDuplicate(answer) ? await records.relink(change) : change;
  return isDeepStrictEqual(other, change)
    ? { change, answer }
    : { change: other, answer: await update(other) };
}

/** Makes a record and updates it as a whole. Reads it before and after; undefined without a retrieve. */
export const wholeUpdate = {
  name: 'whole update',
  againAfter5xx: true,
  async ask(context) {
    const { records, samples } = context;
    const { id, sent } = await records.make(samples.values('all'));
    const read = () => unlessEnded(() => records.readValues(id));
    const before = await read();
    const update = await updateWhole(context, { id, sent });
    return { id, sent, ...update, before, after: await read() };
  },
} satisfies SharedRequests<unknown>;

/**
 * A field with a value list of which the profile says that any value may follow any other. Where the target refuses a
 * move, `profile.transitions` tells; to other rules one move is as good as another.
 */
export function movesFreely({ profile }: CaseContext, field: Field): boolean {
  return field.choices !== undefined && movesOf(field, profile) === undefined;
}

async function changeField(
  context: CaseContext,
  made: MadeRecord,
  field: Field,
  current: Value | undefined,
  wanted: Value | undefined,
): Promise<Pick<UpdateStep, 'answer' | 'change' | 'value'> | undefined> {
  const isOther = wanted !== undefined && !agrees(field, wanted, current);
  const value = isOther ? wanted : context.samples.otherValue(field, current);
  if (value === undefined) return undefined;
  const change = async (to: Value) => {
    const values = context.samples.tie({ [field.name]: to }, made.sent);
    const sent = await orRelinked(context, values, (one) => context.records.update(made.id, one, made.sent));
    return { value: sent.change[field.name] ?? to, ...sent };
  };
  const first = await change(value);
  if (!isRefused(first.answer) || !movesFreely(context, field)) return first;
  for (const choice of field.choices ?? []) {
    const next = [value, current].includes(choice.value) ? undefined : await change(choice.value);
    if (next && !isRefused(next.answer)) return next;
  }
  return first;
}

/** Updates one field of a record with all writable fields, without any other; undefined if no field has another value. */
export async function singleUpdate(context: CaseContext, made: MadeRecord, before: RecordValues) {
  const { api, codec, model, records, references, samples } = context;
  const { id, sent } = made;
  const next = samples.valuesAfter(sent);
  const writable = writableFields(model);
  // A service may refuse two links of one record to the same record.
  const isHeld = (link: Field) => {
    const target = linkTarget(link, references);
    const others = writable.filter((other) => other !== link && linkTarget(other, references) === target);
    return target !== undefined && others.some(({ name }) => before[name] === next[link.name]);
  };
  const changed = writable.filter(
    (candidate) =>
      !agrees(candidate, next[candidate.name] ?? null, before[candidate.name]) && !isHeld(candidate),
  );
  // The last field, so that the end of a range moves and not its start.
  const isAlone = (candidate: Field) => isPlain(candidate) && !samples.isTied(candidate);
  const field = changed.findLast(isAlone) ?? changed.at(-1);
  if (!field) return undefined;
  const change = { [field.name]: next[field.name] ?? null };
  const { answer } = await orRelinked(context, change, (values) =>
    api.update(model.name, id, codec.encodeNamed(model.name, values)),
  );
  return { after: await records.readValues(id), answer, before, field, made };
}

/** A state may allow no move. */
export function isPlain({ choices, lines }: Field): boolean {
  return choices === undefined && lines === undefined;
}

/** Throws `blocked` unless a create of a valid record succeeds: otherwise a refusal of an invalid one proves nothing. */
export async function needCreate(context: CaseContext): Promise<void> {
  const { created, made } = await context.ask(observation);
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
  if (!model.operations.includes('create') && (await records.listing()))
    return skip(`there is no ${model.name} record, and none can be created; name one with --bindings`);
  if (readOnly) return skip(`there is no ${model.name} record, and a read-only run creates none`);
  await needCreate(context);
  // If the form of the list is unknown, the suite can't see that it is empty.
  return blocked(`there is no ${model.name} record; create at least one`, undefined, {
    differs: 'response.records',
  });
}
