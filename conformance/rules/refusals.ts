import { withArticle } from '../../spec/article.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { movesOf, profileAt } from '../../spec/profile/profile.ts';
import { choicesOf, isText, refusesBlank, WIRE_TYPES } from '../../spec/types/types.ts';
import { NO_SCALAR, type Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, isAccepted, isRefused } from '../api/answer.ts';
import { agrees, isCopy, isUnset, mayHaveForm, show } from '../assert/agreement.ts';
import { failure, unlessEnded, whyDenied } from '../assert/ending.ts';
import { expectRefused, expectValues, lasting, needId } from '../cases/assert.ts';
import {
  type Assumption,
  type CaseContext,
  type FieldCase,
  type ListedRule,
  row,
  type SharedRequests,
} from '../cases/rule.ts';
import type { MadeRecord } from '../records/model-records.ts';
import {
  eachPlace,
  type FieldPlace,
  isNumber,
  needCreate,
  one,
  onShared,
  placeOf,
  shownAt,
  valueAt,
} from './shared.ts';
import { updateWith, wholeUpdate } from './updates.ts';

const wrongType = { valuesFor: wrongValues, checkAccepted: expectRightType };
const toNull = { valuesFor: nulls, checkAccepted: expectValue };
const outsideList = {
  valuesFor: (field: Field, plan: Contract) => (field.choices ? outside(field, plan) : []),
};

export const wrongTypeCreate: InvalidWrite = { name: 'creates with wrong types', by: 'create', ...wrongType };
const wrongTypeUpdate: InvalidWrite = { name: 'updates to wrong types', by: 'update', ...wrongType };
const incompleteCreate: InvalidWrite = {
  name: 'creates without required fields',
  by: 'create',
  valuesFor: ({ readonly, required }) => (required && !readonly ? [undefined] : []),
};
export const nullCreate: InvalidWrite = { name: 'creates with nulls', by: 'create', ...toNull };
/** A service may ignore the null and keep the value. */
const nullUpdate: InvalidWrite = { ...toNull, name: 'updates to nulls', by: 'update', valuesFor: noValues };

/** A value of another type is refused, or converted to the type of the field (section 2). */
export const wrongTypeRules: readonly ListedRule[] = [
  row({
    ...inEachPlace(wrongTypeCreate),
    id: 'fields.wrong-type-on-create',
    title: 'Create rejects a value of another type, or does not return it as sent',
    requirement: 'field-type',
    async judge(context, item) {
      const place = placeOf(item);
      await expectInvalid(context, wrongTypeCreate, place);
      const loose = place.lines ? undefined : looseValue(context, place.field);
      if (loose !== undefined) await expectInvalidAlone(context, wrongTypeCreate, place, loose);
    },
  }),
  row({
    ...inEachPlace(wrongTypeUpdate),
    id: 'fields.wrong-type-on-update',
    title: 'Update rejects a value of another type, or does not return it as sent',
    requirement: 'field-type',
  }),
];

/** Requests without a required field are refused (section 4, rule 2). */
export const requiredRules: readonly ListedRule[] = [
  row({
    ...inEachPlace(incompleteCreate),
    id: 'required.on-create',
    title: 'Create without a required field is rejected and stores nothing',
    requirement: 'field-required',
  }),
  row({
    ...inEachPlace(nullCreate),
    id: 'required.null-on-create',
    title: 'Create with null in a required field is rejected, unless the service computes the value',
    requirement: 'field-required',
  }),
  row({
    ...inEachPlace(nullUpdate),
    id: 'required.on-update',
    title: 'Update does not remove the value of a required field, or replace it with one that was not sent',
    requirement: 'field-required',
  }),
];

/** Values outside the lists of sections 2 and 3 are refused. */
export const valueRefusalRules: readonly ListedRule[] = [
  row({
    ...inEachValue({ name: 'creates with values outside the list', by: 'create', ...outsideList }),
    id: 'values.refused-on-create',
    title: 'Create rejects a value outside the list and stores nothing',
    requirement: 'value-list',
  }),
  row({
    ...inEachValue({ name: 'updates to values outside the list', by: 'update', ...outsideList }),
    id: 'values.refused-on-update',
    title: 'Update rejects a value outside the list and changes nothing',
    requirement: 'value-list',
  }),
];

/** So are those outside the lists that the profile gives. */
export const profileValueRefusal: Assumption = row({
  ...inEachValue({
    name: 'creates with values outside the list of the profile',
    by: 'create',
    valuesFor: (field, plan) => (field.choices ? [] : outside(field, plan)),
  }),
  id: 'profile.values-refused',
  title: 'Create rejects a value outside a list in the profile',
  requirement: 'value-list-not-shown',
  setting: 'values',
});

/** Returns the operations that an invalid write needs. After an accepted one, the case retrieves the record. */
function needsOf({ by, checkAccepted }: InvalidWrite): readonly Operation[] {
  if (by === 'update') return ['create', 'retrieve', 'update'];
  return checkAccepted ? ['create', 'retrieve'] : ['create'];
}

function inEachPlace(write: InvalidWrite) {
  return {
    needs: needsOf(write),
    cases: eachPlace((field, plan) => write.valuesFor(field, plan).length > 0),
    async judge(context: CaseContext, item: FieldCase) {
      const place = placeOf(item);
      for (const index of write.valuesFor(place.field, context).keys())
        await expectInvalid(context, write, place, index);
    },
  };
}

function inEachValue(write: InvalidWrite) {
  return {
    needs: needsOf(write),
    cases: ({ fields }: Model, plan: Contract) =>
      fields.flatMap((field) =>
        write.valuesFor(field, plan).map((value, index) => ({ field, detail: show(value), index })),
      ),
    judge: (context: CaseContext, { field, index }: FieldCase & { readonly index: number }) =>
      expectInvalid(context, write, { field }, index),
  };
}

function outside(field: Field, { profile }: Contract): readonly Value[] {
  if (field.readonly || field.type !== 'select' || !choicesOf({ field, profile })) return [];
  return WIRE_TYPES[field.type].counterSamples({ field, profile });
}

/** A form can't express null: an empty text unsets only fields that are no texts. */
function nulls(field: Field, { profile }: Contract): readonly null[] {
  const inJson = profile['request.encoding'] === 'json';
  const takesNull = inJson || !(isText(field) || field.type === 'lines');
  return field.required && !field.readonly && takesNull ? [null] : [];
}

/** Null, and nothing if an update needs all required fields. */
function noValues(field: Field, plan: Contract): readonly (Value | undefined)[] {
  const isPartial = profileAt(plan.profile, field.key)['request.update'] === 'partial';
  return [...nulls(field, plan), ...(isPartial ? [] : incompleteCreate.valuesFor(field, plan))];
}

/**
 * A value of another type, for a field without a value list. Of a type whose form is not shown, only a value of a JSON
 * kind that no option has is surely wrong.
 */
function wrongValues(field: Field, { profile }: Contract): readonly Value[] {
  if (field.readonly || choicesOf({ field, profile })) return [];
  const samples = [...WIRE_TYPES[field.type].counterSamples({ field, profile }), ...NO_SCALAR];
  return samples.filter((sample) => !mayHaveForm(field, sample, profile)).slice(0, 1);
}

/** Values that a loose check accepts: a day that does not exist, a fraction for an integer, and strings of digits as IDs. */
function looseValue({ profile, samples }: CaseContext, field: Field): Value | undefined {
  if (field.type === 'date') return '2025-02-30';
  if (field.type === 'int') return 1.5;
  const isById =
    profileAt(profile, field.key)['types.manyToMany'] === 'ids' && profile['request.encoding'] === 'json';
  const ids = field.type === 'manyToMany' && isById ? samples.value(field) : undefined;
  return Array.isArray(ids) && ids.length > 0 ? ids.map(String) : undefined;
}

function expectRightType({ check }: CaseContext, place: FieldPlace, { answer, shown }: AcceptedWrite): void {
  const { field } = place;
  for (const value of shown.flatMap((record) => shownAt(record, place))) {
    const wrong = isUnset(field, value) ? undefined : check.complaint(field, value);
    if (wrong === undefined || check.otherOption(field, value) !== undefined) continue;
    const message = `the target stores a value of another type in ${field.name}: ${wrong}`;
    throw failure(message, `a 4xx status, or ${withArticle(field.type)}`, show(value), answer.exchange);
  }
}

/** The last look counts: the response to a create may leave fields out. In a form, null is an empty value. */
function expectValue(context: CaseContext, place: FieldPlace, accepted: AcceptedWrite): void {
  const { catalogue, check, profile } = context;
  const { before, sent, shown, what } = accepted;
  const { field } = place;
  // A service that rejects an empty string does not count it as a value. An update leaves it where another value was.
  const isRejected = refusesBlank(field, profile) && !profile.unknown['request.blankStrings'];
  // An update may ignore null and keep the value, and a service may compute a copy.
  const isFree = profile['request.encoding'] !== 'json' || isCopy(field, catalogue);
  const read = (value: Value | undefined) => check.readValue(field, value ?? null);
  const known = [...shownAt(before, place), ...shownAt(sent, place).map(read)];
  for (const value of shownAt(shown.at(-1), place)) {
    if (value === undefined || value === null || (value === '' && (isRejected || before)))
      throw failure(`${what} left it without a value`, 'a value', show(value));
    if (value !== '' && !isFree && !known.some((one) => agrees(field, one ?? null, read(value))))
      throw failure(`${what} stores a value that nobody sent`, 'a 4xx status', show(value));
  }
}

/** A kind of invalid write. The target refuses it and stores nothing, or stores something valid in its place. */
type InvalidWrite = {
  readonly name: string;
  readonly by: 'create' | 'update';
  /** The invalid values for a field, in wire form; undefined leaves it out. Empty where no value is surely invalid. */
  valuesFor(field: Field, plan: Contract): readonly (Value | undefined)[];
  /** Checks what a target shows that accepts the write. Without this, the target must refuse. */
  checkAccepted?(context: CaseContext, place: FieldPlace, accepted: AcceptedWrite): void;
};

/** An accepted write: the sent values, and the record each time that the target showed it, in wire form. */
type AcceptedWrite = {
  readonly answer: ApiResponse;
  readonly sent: RecordValues;
  readonly shown: readonly RecordValues[];
  /** The record before an update, in canonical form. */
  readonly before?: RecordValues;
  readonly what: string;
};

/** Expects that the target refuses an invalid value of a field and stores nothing, or stores something valid. */
async function expectInvalid(context: CaseContext, write: InvalidWrite, place: FieldPlace, index = 0) {
  // The list of a profile needs it, too, although its rule is about a setting.
  await needCreate(context);
  if (!place.lines && isRefusedCleanly(await context.ask(oneForEachField(write, index)), place.field)) return;
  await expectInvalidAlone(context, write, place, write.valuesFor(place.field, context)[index]);
}

async function expectInvalidAlone(
  context: CaseContext,
  write: InvalidWrite,
  place: FieldPlace,
  value: Value | undefined,
): Promise<void> {
  const { api, check, model, profile, records, samples } = context;
  const { field, lines } = place;
  const how = value === undefined ? `without ${field.name}` : `with ${field.name} ${show(value)}`;
  const what = `${withArticle(write.by)} ${how}${lines ? ` in one of its ${lines.name}` : ''}`;
  if (write.by === 'create') {
    const { send, sent, stored } = invalidCreate(context, place, value);
    const answer = await send();
    if (isAccepted(answer) && write.checkAccepted) {
      const shown = [api.recordIn(answer) ?? {}, await records.read(needId(context, answer, what))];
      return write.checkAccepted(context, place, { answer, sent, shown, what });
    }
    expectRefused(answer, what);
    return records.assertNothingStored([stored], send);
  }
  const sendTo = async (made: MadeRecord) => {
    const before = await records.readValues(made.id);
    const sent = valueAt(context, place, value);
    const answer = await updateInvalid(context, made, place, sent);
    const after = await records.read(made.id);
    if (isAccepted(answer) && write.checkAccepted)
      return write.checkAccepted(context, place, { answer, sent, shown: [after], before, what });
    expectRefused(answer, what);
    expectValues(context, lasting(context, before), check.read(model, after), `${what} is refused`);
  };
  // Only a write that must be refused leaves a shared record as it is.
  if (!write.checkAccepted) return onShared(context, one, sendTo);
  const values = samples.values('all');
  const old = lines ? undefined : values[field.name];
  // Null stored as 0 or false would look like the old value. A state can have to begin there.
  if ((old === 0 || old === false) && !movesOf(field, profile))
    values[field.name] = samples.otherValue(field, old) ?? old;
  return sendTo(await records.make(values));
}

/** A create with an invalid value, and the values by which a list would show that it was stored. */
function invalidCreate(context: CaseContext, place: FieldPlace, value: Value | undefined) {
  const { api, codec, model, records, samples } = context;
  const { name } = place.lines ?? place.field;
  const { [name]: _, ...others } = samples.values('required');
  const wire = { ...codec.encodeNamed(model.name, others), ...valueAt(context, place, value) };
  const send = async () => {
    const answer = await api.create(model.name, wire);
    records.adopt(answer);
    return answer;
  };
  // Where nothing else was sent, a record without a value for the field is the one.
  return { send, sent: wire, stored: Object.keys(others).length === 0 ? { [name]: null } : others };
}

/**
 * An update with an invalid value next to other values that are valid: a refused one stores none of them. If an update of
 * all fields is refused, these might be the reason, so that they are left out.
 */
async function updateInvalid(
  context: CaseContext,
  made: MadeRecord,
  place: FieldPlace,
  invalid: RecordValues,
): Promise<ApiResponse> {
  const { name } = place.lines ?? place.field;
  const { answer } = await context.ask(wholeUpdate);
  const { [name]: _, ...valid } = isAccepted(answer) ? plainValues(context, made) : {};
  const { [name]: __, ...sent } = made.sent;
  const wire = { ...context.codec.encodeNamed(context.model.name, valid), ...invalid };
  return updateWith(context, { ...made, sent }, wire);
}

/** Other texts and numbers: a link, a state, a truth or the end of a range may depend on something. */
function plainValues(context: CaseContext, { sent }: MadeRecord): RecordValues {
  const values = context.samples.valuesAfter(sent);
  const isPlain = (field: Field) => isText(field) || isNumber(context, field);
  const fields = context.model.fields.filter((field) => isPlain(field) && Object.hasOwn(values, field.name));
  return Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? null]));
}

/**
 * The answers to one invalid write for each field, and whether no refused write stored anything. That is checked once,
 * after the last write. A field that still might be to blame is tried without the others.
 */
type InvalidWrites = { readonly answers: ReadonlyMap<Field, ApiResponse>; readonly noTrace: boolean };

/** Sends one invalid write for each field: with its first invalid value, its second one, and so on. */
export function oneForEachField(write: InvalidWrite, index = 0): SharedRequests<InvalidWrites> {
  return {
    name: `${write.name} ${index}`,
    ask(context) {
      const values = new Map<Field, Value | undefined>();
      for (const field of context.model.fields) {
        const tried = write.valuesFor(field, context);
        if (index < tried.length) values.set(field, tried[index]);
      }
      return write.by === 'create' ? createEach(context, values) : updateEach(context, values);
    },
  };
}

/** The target refused the write for the field, and no refused one left a trace. */
function isRefusedCleanly({ answers, noTrace }: InvalidWrites, field: Field): boolean {
  const answer = answers.get(field);
  return noTrace && answer !== undefined && isRefused(answer) && whyDenied(answer) === undefined;
}

async function createEach(context: CaseContext, values: ReadonlyMap<Field, Value | undefined>) {
  const answers = new Map<Field, ApiResponse>();
  const refused: RecordValues[] = [];
  for (const [field, value] of values) {
    const { send, stored } = invalidCreate(context, { field }, value);
    const answer = await send();
    answers.set(field, answer);
    if (isRefused(answer)) refused.push(stored);
  }
  return { answers, noTrace: await holds(() => context.records.assertNothingStored(refused)) };
}

/** Updates one record that was made with all fields: it has a value to lose in each. */
async function updateEach(context: CaseContext, values: ReadonlyMap<Field, Value | undefined>) {
  const { records, samples } = context;
  const made = await records.make(samples.values('all'));
  const before = lasting(context, await records.readValues(made.id));
  const answers = new Map<Field, ApiResponse>();
  for (const [field, value] of values)
    answers.set(field, await updateInvalid(context, made, { field }, valueAt(context, { field }, value)));
  const after = await records.readValues(made.id);
  // An accepted update may have restored what a refused one had changed.
  const noneAccepted = [...answers.values()].every(isRefused);
  return {
    answers,
    noTrace: noneAccepted && (await holds(async () => expectValues(context, before, after, ''))),
  };
}

/** Returns whether a claim holds. A try without the other fields may show which one created a record. */
async function holds(claim: () => Promise<void>): Promise<boolean> {
  return (await unlessEnded(() => claim().then(() => true), ['fail', 'skip'])) ?? false;
}
