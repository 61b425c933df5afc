import { isDeepStrictEqual } from 'node:util';
import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import { movesOf, profileAt } from '../../spec/profile/profile.ts';
import { linkedModel, parentLink } from '../../spec/references.ts';
import { isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, type Id, isAccepted, isRefused } from '../api/answer.ts';
import { agrees, isCopy, isNone, LISTS, show, surelyShows } from '../assert/agreement.ts';
import { failure, skip, unlessEnded, whyDenied } from '../assert/ending.ts';
import { expectRecord, lasting } from '../cases/assert.ts';
import type { CaseContext, SharedRequests } from '../cases/rule.ts';
import { mayBeDuplicate } from '../records/identity.ts';
import type { MadeRecord } from '../records/model-records.ts';
import { asKept, outsideTarget, updateValues, writableFields } from '../records/values/values.ts';
import { isNumber, isPlain, minimal, observation } from './shared.ts';

/** One field of a record that was updated, and the whole record around it; values are canonical, writable fields only. */
export type UpdateStep = {
  readonly field: Field;
  readonly value: Value;
  /** The values that were sent: that of the field, and those that pins tie to it. */
  readonly change: RecordValues;
  /** The thing outside the catalogue that a field links to, if no other ID of it is known. */
  readonly guessed?: string | undefined;
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
export async function updateWhole(context: CaseContext, { id, sent }: Pick<MadeRecord, 'id' | 'sent'>) {
  const { answer, change } = await orRelinked(context, context.samples.valuesAfter(sent), (values) =>
    context.records.update(id, values, sent),
  );
  const states = context.model.fields.filter((field) => movesFreely(context, field));
  if (!isRefused(answer) || states.length === 0) return { change, answer };
  const calm = { ...change };
  for (const { name } of states) delete calm[name];
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

/**
 * Makes a record and updates it as a whole. Reads it before and after; undefined without a retrieve. Lists it, too, because
 * a service might cache the list without a query.
 */
export const wholeUpdate = {
  name: 'whole update',
  againAfter5xx: true,
  async ask(context) {
    const { api, model, records, samples } = context;
    const { id, sent } = await records.make(samples.values('all'));
    const read = async () => {
      const values = await unlessEnded(() => records.readValues(id));
      if (model.operations.includes('list')) await api.list(model.name);
      return values;
    };
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
): Promise<Pick<UpdateStep, 'answer' | 'change' | 'guessed' | 'value'> | undefined> {
  const isOther = wanted !== undefined && !agrees(field, wanted, current);
  const value = isOther ? wanted : context.samples.otherValue(field, current);
  if (value === undefined) return undefined;
  const change = async (to: Value) => {
    const values = context.samples.tie({ [field.name]: to }, made.sent);
    const sent = await orRelinked(context, values, (one) => context.records.update(made.id, one, made.sent));
    return { value: sent.change[field.name] ?? to, ...sent };
  };
  const first = await change(value);
  const guessed = isOther ? undefined : outsideTarget(field, context.references);
  if (!isRefused(first.answer) || !movesFreely(context, field)) return { ...first, guessed };
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
    const target = linkedModel(references, link);
    const others = writable.filter((other) => other !== link && linkedModel(references, other) === target);
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

/** Updates a record to values in wire form, valid or not; where the profile wants all fields, the others go with them. */
export async function updateWith(context: CaseContext, { id, sent }: MadeRecord, wire: RecordValues) {
  const { api, codec, model } = context;
  const others = codec.encodeNamed(model.name, updateValues(model, context, {}, sent));
  const answer = await api.update(model.name, id, { ...others, ...wire });
  // Asks for a valid update, because only its success shows that the credentials are not the reason to refuse.
  if (whyDenied(answer) !== undefined) await context.ask(wholeUpdate);
  return answer;
}

/** Negative except for a percentage, with the decimals that most services keep: two, and more for a float. */
const ODD_NUMBERS: Partial<Record<TypeName, number>> = {
  int: -7,
  float: -12_345.6789,
  currency: -2.5,
  percent: 12.75,
};

/**
 * Updates of all numbers of a record to odd ones, and then to 0. A service may refuse them: where it does, or breaks,
 * each is tried without the others, because only one of them may be the reason.
 */
export const numberUpdates = {
  name: 'updates of numbers',
  againAfter5xx: true,
  async ask(context) {
    const { model, profile, records, samples } = context;
    const made = await records.make(samples.values('all'));
    const numbers = writableFields(model).filter((field) => isNumber(context, field));
    const change = async (values: RecordValues) => {
      const answer = await records.update(made.id, values, made.sent);
      await records.retrieve(made.id);
      return { id: made.id, change: values, answer };
    };
    const changeTo = async (pick: (field: Field) => Value) => {
      const changes = numbers.map((field) => ({ [field.name]: pick(field) }));
      const all = await change(Object.assign({}, ...changes));
      if (changes.length < 2 || isAccepted(all.answer)) return [all];
      const steps: (typeof all)[] = [];
      for (const one of changes) steps.push(await change(one));
      return steps.some(({ answer }) => answer.status >= 500) ? steps : [all, ...steps];
    };
    const odd = await changeTo((field) => asKept(field, ODD_NUMBERS[field.type] ?? 0, profile));
    return [...odd, ...(await changeTo(() => 0))];
  },
} satisfies SharedRequests<unknown>;

/** A value that a record shows after an update that sent null, an empty list, or an empty string; null after a 5xx. */
type StayingValue = {
  readonly answer: ApiResponse;
  readonly field: Field;
  readonly sent: Value;
  readonly value: Value;
  readonly ignored: boolean;
};

/**
 * Updates that set all optional fields to null, and then optional lists and texts to empty ones. A service may refuse them, or
 * show the default of a record without the field. Returns the first other value of each field, and what null does to it.
 */
export const emptyUpdates = {
  name: 'updates to nothing',
  async ask(context) {
    const { api, check, model, profile, samples } = context;
    const optional = writableFields(model).filter(({ required }) => !required);
    // A form can't express null: an empty text is a value.
    if (optional.length === 0 || profile['request.encoding'] === 'form') return { nulls: new Map() };
    const { kept, nulls } = await emptyNew(context, samples.values('all'), optional);
    if (kept.length === 0) return { nulls };
    const bare = check.read(model, api.recordIn((await context.ask(minimal)).retrieved) ?? {});
    const isDefault = ({ answer, field, value }: StayingValue) =>
      isAccepted(answer) && agrees(field, value, bare[field.name]);
    // The value that was sent first can be the default.
    const others = kept
      .filter(isDefault)
      .map(({ field, value }) => [field.name, samples.otherValue(field, value)]);
    const known = Object.fromEntries(others.filter(([, value]) => value !== undefined));
    const values = samples.tie({ ...samples.values('all'), ...known });
    const again =
      others.length > 0 ? await unlessEnded(() => emptyNew(context, values, optional)) : undefined;
    const wrong = [...kept, ...(again?.kept ?? [])].filter((one) => !isDefault(one)).toReversed();
    for (const [name, effect] of again?.nulls ?? []) if (!nulls.has(name)) nulls.set(name, effect);
    const staying = new Map<string, StayingValue>();
    for (const one of wrong)
      if (one.ignored) nulls.set(one.field.name, { option: 'ignore', answer: one.answer });
      else staying.set(one.field.name, one);
    return { nulls, staying };
  },
} satisfies SharedRequests<{ readonly nulls: NullEffects; readonly staying?: Map<string, StayingValue> }>;

/** The effect of null in an update, by the name of the field. */
type NullEffects = Map<string, { readonly option: 'clear' | 'ignore'; readonly answer: ApiResponse }>;

/** Creates a record, empties it, and fills and empties its lists and its texts again. Returns the values that it shows. */
async function emptyNew(context: CaseContext, values: RecordValues, optional: readonly Field[]) {
  const { catalogue, check, model, records } = context;
  const { id, sent: before } = await records.make(values);
  const kept: StayingValue[] = [];
  const { records: seen } = await context.ask(observation);
  const nulls: NullEffects = new Map();
  const ways: [Value, readonly Field[]][] = [
    [null, optional],
    [[], optional.filter(({ type }) => LISTS.includes(type))],
    ['', optional.filter(isText)],
  ];
  for (const [none, fields] of ways) {
    // One field might be the reason why an update of all is refused.
    const areEmptied = fields.length === 0 || (await empty(none, fields));
    if (!areEmptied && fields.length > 1) for (const field of fields) await empty(none, [field]);
  }
  return { kept, nulls };

  /** Sends one update for some fields. Returns whether the service accepts it. */
  async function empty(none: Value, fields: readonly Field[]): Promise<boolean> {
    const changeTo = (pick: (name: string) => Value) =>
      records.update(id, Object.fromEntries(fields.map(({ name }) => [name, pick(name)])), before);
    if (none !== null && !isAccepted(await changeTo((name) => before[name] ?? null))) return false;
    const changed = await changeTo(() => none);
    if (changed.status >= 500 && fields[0] && fields.length === 1)
      kept.push({ answer: changed, field: fields[0], sent: none, value: null, ignored: false });
    if (!isAccepted(changed)) return false;
    const answer = await records.retrieve(id);
    const shown = check.read(model, expectRecord(context, answer, 'a retrieve'));
    for (const field of fields) {
      const [sent = null, value = null] = [before, shown].map((record) => record[field.name]);
      // A service may compute a copy.
      const isKept = isNone(sent) ? false : surelyShows(field, sent, value);
      if (!isKept && isCopy(field, catalogue)) continue;
      if (!isNone(value)) kept.push({ answer, field, sent: none, value, ignored: isKept && none === null });
      const wasShown = !isNone(sent) && seen.some(({ record }) => !isNone(record[field.name]));
      if (none === null && wasShown && isNone(value)) nulls.set(field.name, { option: 'clear', answer });
    }
    return true;
  }
}

/** The lines that a write gives to a record by their IDs, and a retrieve after it. */
type Written = { readonly sent: readonly Value[]; readonly found: Value; readonly seen: ApiResponse };

/** The accepted writes. An update of another field keeps the lines of the record. */
type LinesById = { create?: Written; update?: Written; 'update of another field'?: Written };

/** Whether the lines of a field are given by ids under the profile: then a create can only send none. */
export function areById({ profile }: Pick<CaseContext, 'profile'>, field: Field): boolean {
  return field.lines !== undefined && profileAt(profile, field.key)['types.lines'] === 'ids';
}

/**
 * Expects that a write stores lines by their IDs. Throws `skip` if no write does, because the source does not say whether
 * lines can move to another parent.
 */
export async function expectLinesById(context: CaseContext, field: Field, way: keyof LinesById) {
  const found = await context.ask(linesById(field));
  const isKept = (one: Written | undefined) => one !== undefined && isSame(one.sent, one.found);
  const written = found[way];
  if (isKept(written)) return;
  const isSure = way === 'update of another field' || isKept(found.create) || isKept(found.update);
  if (!written || !isSure)
    throw skip(`the target rejects or ignores ${field.key} by ID, which the source leaves open`);
  const message = `the ${way} does not store ${field.name}`;
  throw failure(message, show(written.sent), show(written.found), written.seen.exchange);
}

/** Asks for lists of what holds such lines, too. */
export async function listLinesById(context: CaseContext): Promise<void> {
  for (const field of context.model.fields.filter((one) => !one.readonly && areById(context, one)))
    await unlessEnded(() => context.ask(linesById(field)), ['skip']);
}

function linesById(field: Field): SharedRequests<LinesById> {
  return { name: `${field.name} by ids`, ask: (context) => writeLines(context, field) };
}

async function writeLines(context: CaseContext, field: Field): Promise<LinesById> {
  const { api, catalogue, model, records, references, samples } = context;
  const line = catalogue.models.get(field.lines ?? '');
  const link = line && parentLink(line, model, references);
  if (!line?.operations.includes('create') || !link)
    throw skip(`${field.key} by ID can't be tried because its lines can't be created separately`);
  const beside = context.beside(line);
  const first = await records.make(samples.values('all'));
  const parent = link.readonly ? {} : { [link.name]: first.id };
  const makeLine = () => beside.records.make({ ...beside.samples.values('required'), ...parent });
  const ids = [(await makeLine()).id, (await makeLine()).id, (await makeLine()).id];
  const after = samples.valuesAfter(first.sent);
  const other = model.fields.find(
    ({ lines, name, required }) => !required && lines === undefined && Object.hasOwn(after, name),
  );
  const found: LinesById = {};
  const note = async (
    way: keyof LinesById,
    answer: ApiResponse,
    id: Id | undefined,
    sent: readonly Value[],
  ) => {
    if (!isAccepted(answer) || id === undefined) return;
    const seen = await records.retrieve(id);
    found[way] = { sent, found: linesIn(seen), seen };
  };
  const update = async (way: keyof LinesById, change: RecordValues, sent: readonly Value[]) =>
    note(way, await records.update(first.id, change, { ...first.sent, [field.name]: ids }), first.id, sent);
  const isHeld = async () => isSame(linesIn(await records.retrieve(first.id)), ids);
  // If the link of a line is readonly, the parent has to name its lines.
  if (!(await isHeld())) await update('update', { [field.name]: ids }, ids);
  if (other && (await isHeld()))
    await update('update of another field', { [other.name]: after[other.name] ?? null }, ids);
  // Before the update, because a service can delete lines that it removes from their parent.
  const answer = await records.create({ ...samples.values('all'), [field.name]: ids.slice(1) });
  await note('create', answer, records.ownId(answer), ids.slice(1));
  if (!link.readonly) await makeLine();
  if (!found.update) await update('update', { [field.name]: ids.slice(0, 1) }, ids.slice(0, 1));
  await records.retrieve(first.id);
  if (model.operations.includes('list')) await records.listing();
  return found;

  function linesIn(answer: ApiResponse): Value {
    return api.recordIn(answer)?.[field.name] ?? [];
  }
}

/** A link from lines to their parent has no order. */
function isSame(one: Value | readonly Value[], other: Value): boolean {
  return show([one].flat().toSorted()) === show([other].flat().toSorted());
}
