import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../../spec/catalogue/field.ts';
import { attempt } from '../../spec/files/usage-error.ts';
import {
  changeProfile,
  type Profile,
  profileAt,
  SETTINGS,
  type SettingName,
  showOption,
  typeSetting,
} from '../../spec/profile/profile.ts';
import { choicesOf, isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createRecordCodec, type RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, findRecord, findRecordIn, isAccepted, isRefused } from '../api/answer.ts';
import { show } from '../assert/agreement.ts';
import { blocked, describeAnswer, type Ended, failure, whyDenied } from '../assert/ending.ts';
import { mayBeAboutBody } from '../records/identity.ts';
import type { MadeRecord } from '../records/model-records.ts';
import { pinFlag } from '../records/values/pins.ts';
import { namedIn, outsideTarget, thingOf, writableFields } from '../records/values/values.ts';
import { needCredentials, statusOf } from './assert.ts';
import type { CaseContext, SharedRequests } from './rule.ts';

/** An option that a model or field uses, and not the profile. */
export type OtherOption = { readonly place: string; readonly name: SettingName; readonly option: unknown };

/** A valid write that was refused. */
type RefusedWrite = {
  /** The fields that might be the reason, in the order in which they are tried. */
  readonly fields: readonly Field[];
  readonly sent: RecordValues;
  readonly refusal: ApiResponse;
  mayOmit(field: Field): boolean;
  othersOf(field: Field): readonly Value[];
  /** Sends the same write with other values. */
  send(values: RecordValues): Promise<ApiResponse>;
};

/** The field for which a write was refused, with another value that was accepted. */
type Reason = { readonly field: Field; readonly taken: Value | undefined };

/**
 * Creates a record. If the target refuses valid values, leaves out or changes one field at a time until a create is
 * accepted, or the model has had its maximum of such requests. All later requests send the accepted values.
 */
export async function createAccepted(
  context: CaseContext,
  extent: 'required' | 'all',
): Promise<Pick<MadeRecord, 'answer' | 'sent'>> {
  const { api, model, records, samples } = context;
  const create = () => records.createFresh(samples.values(extent));
  let made = await create();
  while (mayBeAboutBody(made.answer) && whyDenied(made.answer) === undefined) {
    // The same values without the optional fields.
    const required = Object.keys(samples.values('required')).filter((name) => Object.hasOwn(made.sent, name));
    const values = Object.fromEntries(required.map((name) => [name, made.sent[name] ?? null]));
    const least = extent === 'all' ? await records.createFresh(values) : made;
    const isInRequired = isRefused(least.answer);
    const { answer: refusal, sent } = isInRequired ? least : made;
    const fields = writableFields(model).filter(
      ({ name, required }) => Object.hasOwn(sent, name) && required === isInRequired,
    );
    const isNamed = namedIn(fields, refusal.body).length > 0;
    const open = isNamed ? [] : fields.filter((field) => isOpen(context, field));
    const among = await refusedAmong(context, open, sent);
    const write: RefusedWrite = {
      fields: among.length > 0 ? among : fields.filter((field) => !open.includes(field)),
      sent,
      refusal,
      mayOmit: ({ required }) => !required,
      othersOf: (field) => othersOf(context, field, sent[field.name] ?? null),
      send: (values) => records.create(values),
    };
    const found = among.length > 1 ? undefined : await findReason(context, write);
    const reasons: readonly Reason[] = found ? [found] : among.map((field) => ({ field, taken: undefined }));
    if (reasons.length === 0) {
      samples.policy.noteSearched(model.name, '; no single field was found to be the reason');
      break;
    }
    // The requests might not do for each field of a group.
    const perhaps = reasons.length > 1 ? 'perhaps ' : '';
    for (const { field, taken } of reasons) {
      const value = sent[field.name] ?? null;
      const remedy = remedyFor(context, field, taken, 'a create');
      const omitted = field.required ? '' : `${field.key} is left out: `;
      samples.policy.replace(field, {
        why: `${omitted}${describeAnswer(refusal, api)}, ${perhaps}refused for ${field.key}: ${show(value)}${remedy}`,
        value: field.required ? taken : undefined,
        refused: field.required || !isOwnRule(context, { field, taken }) ? { value, remedy } : undefined,
      });
    }
    made = await create();
  }
  return made;
}

/** Returns the fields without which a create is accepted: halves them until the model has had its maximum of requests. */
async function refusedAmong(
  { model, records, samples }: CaseContext,
  fields: readonly Field[],
  sent: RecordValues,
): Promise<readonly Field[]> {
  const isOther = ([name]: [string, Value]) => fields.every((field) => field.name !== name);
  let kept: RecordValues = Object.fromEntries(Object.entries(sent).filter(isOther));
  const among = async (some: readonly Field[]): Promise<readonly Field[]> => {
    if (!samples.policy.maySearch(model.name)) return some;
    const values = { ...kept, ...Object.fromEntries(some.map(({ name }) => [name, sent[name] ?? null])) };
    const isTaken = isAccepted(await records.create(values));
    if (isTaken) kept = values;
    if (isTaken || some.length === 1) return isTaken ? [] : some;
    const middle = some.length >> 1;
    return [...(await among(some.slice(0, middle))), ...(await among(some.slice(middle)))];
  };
  const isTried = fields.length > 0 && samples.policy.maySearch(model.name);
  return isTried && isAccepted(await records.create(kept)) ? among(fields) : [];
}

/** Throws `failure` where a value was refused although the source allows it, with the smallest create that shows it. */
export async function expectAllowedTaken(context: CaseContext, isRequired: boolean): Promise<void> {
  const { model, records, samples } = context;
  for (const field of model.fields.filter(({ required }) => required === isRequired)) {
    const found = samples.isPinned(field) ? undefined : samples.policy.instead(field)?.refused;
    if (!found) continue;
    const { remedy, value } = found;
    for (const extent of isRequired ? (['required'] as const) : (['required', 'all'] as const)) {
      const answer = await records.create({ ...samples.values(extent), [field.name]: value });
      if (isRefused(answer)) throw refusedFor(context, field, value, remedy, answer);
    }
  }
}

/** Throws `failure` that names the optional field without which a create is refused. Adds at most 20, one at a time. */
export async function expectNoneNeeded(
  { model, records, samples }: CaseContext,
  { answer: refusal, sent }: Pick<MadeRecord, 'answer' | 'sent'>,
): Promise<void> {
  if (!mayBeAboutBody(refusal) || whyDenied(refusal) !== undefined) return;
  const all = samples.values('all');
  const omitted = writableFields(model).filter(
    ({ name, required }) => !required && Object.hasOwn(all, name) && !Object.hasOwn(sent, name),
  );
  const named = namedIn(omitted, refusal.body);
  for (const field of (named.length > 0 ? named : omitted).slice(0, 20)) {
    const answer = await records.create({ ...sent, [field.name]: all[field.name] ?? null });
    const isNext = named.includes(field) && mayBeAboutBody(answer);
    if (!isAccepted(answer) && !(isNext && !namedIn(omitted, answer.body).includes(field))) continue;
    const message = `a create without the optional ${field.name} is rejected`;
    throw failure(message, 'a 2xx status', `a rejection, ${statusOf(refusal)}`, refusal.exchange);
  }
}

/** Throws `failure` that names the field for which an update is refused; the create with `made.sent` was accepted. */
export async function expectNoRefusedChange(
  context: CaseContext,
  { id, sent: before }: Pick<MadeRecord, 'id' | 'sent'>,
  change: RecordValues,
  refusal: ApiResponse,
): Promise<void> {
  if (!mayBeAboutBody(refusal) || whyDenied(refusal) !== undefined) return;
  const reason = await findReason(context, {
    fields: writableFields(context.model).filter(
      ({ name }) => Object.hasOwn(change, name) && Object.hasOwn(before, name),
    ),
    sent: change,
    refusal,
    mayOmit: () => true,
    othersOf: () => [],
    send: (values) => context.records.update(id, values, before),
  });
  if (!reason) return;
  const { field } = reason;
  const [value = null, old] = [change[field.name], before[field.name]];
  const remedy = isDeepStrictEqual(old, value) ? '' : remedyFor(context, field, old, 'an update');
  throw refusedFor(context, field, value, remedy, refusal);
}

/**
 * Returns the first field without which, or with another value of which, the write is accepted. Tries first the fields
 * that the refusal names. Of those, it is enough that the next refusal is about others.
 */
async function findReason(context: CaseContext, write: RefusedWrite): Promise<Reason | undefined> {
  const { mayOmit, othersOf, refusal, send, sent } = write;
  const named = namedIn(write.fields, refusal.body);
  const fields = [...named, ...write.fields.filter((field) => !named.includes(field))];
  for (const field of fields) {
    // A form of another setting is no value that is refused.
    if (!isOpen(context, field) && (await context.ask(otherOption)) !== undefined) return undefined;
    const { [field.name]: _, ...rest } = sent;
    const helps = async (values: RecordValues) => {
      if (!context.samples.policy.maySearch(context.model.name)) return false;
      const answer = await send(values);
      const isNext = named.includes(field) && mayBeAboutBody(answer);
      return isAccepted(answer) || (isNext && !namedIn(write.fields, answer.body).includes(field));
    };
    if (mayOmit(field) && !(await helps(rest))) continue;
    let taken: Value | undefined;
    for (const value of othersOf(field))
      if (taken === undefined && (await helps({ ...rest, [field.name]: value }))) taken = value;
    if (taken !== undefined || mayOmit(field)) return { field, taken };
  }
  return undefined;
}

function refusedFor(
  { records }: CaseContext,
  field: Field,
  value: Value,
  remedy: string,
  answer: ApiResponse,
): Ended {
  const what = `refused for ${field.key}: ${show(value)}${remedy}`;
  // The service might reject the ID with reason, because the run made it up.
  if (records.isUnbound(field)) return blocked(`${statusOf(answer)}, ${what}`, answer.exchange);
  return failure(`a valid value is ${what}`, 'a 2xx status', statusOf(answer), answer.exchange, {
    usable: true,
  });
}

/** A short text and a small number, which most services accept. */
const PLAIN_TEXTS = ['1', 'a'];
const PLAIN_NUMBERS = [1, 0];
const NUMBERS = ['int', 'float', 'currency', 'percent'];
/** IDs of a link that are tried. */
const MOST_IDS = 3;

/** Returns other values of a field, the likeliest to be accepted first. */
function othersOf(context: CaseContext, field: Field, value: Value): readonly Value[] {
  const { records, references, samples } = context;
  if (samples.isPinned(field) || field.lines !== undefined) return [];
  // The run leaves the field out in any case, and might have to find more fields.
  if (isOpen(context, field) && samples.policy.hasSearchedMuch(context.model.name)) return [];
  if (field.type === 'bool') return [value !== true];
  if (field.choices) return field.choices.map((one) => one.value).filter((one) => one !== value);
  const plain = isText(field) ? PLAIN_TEXTS : NUMBERS.includes(field.type) ? PLAIN_NUMBERS : [];
  const isKnown = references.has(field.key) && !records.isUnbound(field);
  const known = isKnown ? Array.from({ length: MOST_IDS }, () => samples.value(field)) : [];
  const other = references.has(field.key) ? undefined : samples.otherValue(field, value);
  const others = new Set([...(isKnown ? known : plain), other]);
  return [...others].filter((one) => one !== undefined && !isDeepStrictEqual(one, value)) as Value[];
}

/** Whether the source leaves the values of an optional field open, and neither a setting nor the user gives a valid one. */
function isOpen({ profile, records, references }: CaseContext, field: Field): boolean {
  if (field.required) return false;
  if (references.has(field.key)) return records.isUnbound(field);
  if (field.type === 'select') return choicesOf({ field, profile }) === undefined;
  return field.type !== 'bool' && field.lines === undefined && typeSetting(field) === undefined;
}

/** Whether the service might restrict an optional field, and accepts other values of it. */
function isOwnRule(context: CaseContext, { field, taken }: Reason): boolean {
  if (isOpen(context, field)) return true;
  const isOneOfTwo = field.type === 'bool' || outsideTarget(field, context.references) !== undefined;
  return taken !== undefined && isOneOfTwo;
}

/** Returns the way out for a refused value, with an accepted value if the search found one. */
function remedyFor(
  { references }: CaseContext,
  field: Field,
  taken: Value | undefined,
  what: string,
): string {
  const thing = thingOf(field, references);
  const accepted = taken === undefined ? '' : `; ${what} with ${show(taken)} was accepted`;
  // A record of the catalogue that was accepted is the suite's own, and is removed.
  if (taken !== undefined && outsideTarget(field, references) !== undefined)
    return `${accepted}: pass a file with "${thing}: ${JSON.stringify([taken].flat())}" as --bindings`;
  if (thing !== undefined) return `${accepted}; pass IDs of ${thing} with --bindings`;
  if (taken !== undefined) return `${accepted}: pass ${pinFlag(field, taken)}`;
  if (field.choices) return '; no other value of its list was accepted';
  return `; pass an accepted value with --pin ${field.key}=VALUE`;
}

/** Throws `blocked` when a valid request is refused that would be accepted under another setting. */
export async function needSettings(
  context: CaseContext,
  answer: ApiResponse,
  what: string,
  findOption: SharedRequests<OtherOption | undefined>,
): Promise<void> {
  needCredentials(answer);
  const other = isRefused(answer) ? await context.ask(findOption) : undefined;
  if (other)
    throw blocked(
      `the target rejects ${what} under the profile, but accepts it under ${describeOption(other)}`,
      answer.exchange,
    );
}

/** Finds the option under which a refused list is accepted. */
export const optionForList: SharedRequests<OtherOption | undefined> = {
  name: 'option for a list',
  ask: (context) =>
    findOption(context, variantsOf(context, ['version'], context.model.name), (profile) =>
      context.api.under(profile).list(context.model.name),
    ),
};

/** Finds the option that keeps a run from creating records of the model, one setting at a time. */
export const otherOption: SharedRequests<OtherOption | undefined> = {
  name: 'other option',
  async ask(context) {
    const { api, catalogue, model, readOnly, records, samples } = context;
    if (readOnly || !model.operations.includes('create')) return undefined;
    let values = samples.values('required');
    const answer = await records.create(values);
    const elsewhere = isAccepted(answer) && !api.recordIn(answer) && findRecord(model, answer.json)?.pointer;
    if (elsewhere !== false && elsewhere !== undefined)
      return { place: model.name, name: 'response.record', option: elsewhere };
    if (isAccepted(answer)) values = samples.values('all');
    return findOption(context, optionsForCreate(context), async (profile) => {
      const sent = { ...values };
      // Lines that are given by IDs have to be there first.
      for (const { key, lines, name } of model.fields)
        if (lines !== undefined && sent[name] && profileAt(profile, key)['types.lines'] === 'ids')
          sent[name] = [];
      const body = createRecordCodec(catalogue, profile).encodeNamed(model.name, sent);
      const answer = await api.under(profile).create(model.name, body);
      records.adopt(answer);
      return answer;
    });
  },
};

export function describeOption({ name, option, place }: OtherOption): string {
  return `${name} ${showOption(option)} for ${place}`;
}

/** The options that a create depends on: the encoding, the version, and the forms of all fields of a type. */
function optionsForCreate(context: CaseContext): OtherOption[] {
  const { catalogue, model } = context;
  const lines = model.fields.flatMap((field) => catalogue.models.get(field.lines ?? '')?.fields ?? []);
  const writable = [...model.fields, ...lines].filter((field) => !field.readonly);
  const ofTypes = [...Map.groupBy(writable, typeSetting)].flatMap(([name, fields]) => {
    const place = fields.length === 1 && fields[0] ? fields[0].key : model.name;
    return name === undefined ? [] : variantsOf(context, [name], place);
  });
  return [...variantsOf(context, ['request.encoding', 'version'], model.name), ...ofTypes];
}

function variantsOf({ profile }: CaseContext, names: readonly SettingName[], place: string): OtherOption[] {
  return names.flatMap((name) => {
    const variants = SETTINGS.find((setting) => setting.name === name)?.variants ?? [];
    const own = profileAt(profile, place)[name];
    return variants.filter((option) => option !== own).map((option) => ({ place, name, option }));
  });
}

/** Sends a refused request under each option in turn. If the option of the profile is accepted, the reason is another one. */
async function findOption(
  context: CaseContext,
  options: readonly OtherOption[],
  send: (profile: Profile) => Promise<ApiResponse>,
): Promise<OtherOption | undefined> {
  if (!isRefused(await send(profileAt(context.profile, '')))) return undefined;
  for (const option of options) {
    const profile = withOption(context, option);
    if (!profile) continue;
    if (!context.samples.policy.maySearch(context.model.name)) return undefined;
    const answer = await send(profile);
    if (isAccepted(answer) && !showsOwn(context, option, profile, answer)) return option;
  }
  return undefined;
}

/** Whether a response shows the values of a type as the profile says, and not under another option that was accepted. */
function showsOwn(
  { check, model }: CaseContext,
  { name }: OtherOption,
  other: Profile,
  answer: ApiResponse,
): boolean {
  const record = findRecordIn(model, answer) ?? {};
  const shown = model.fields.filter(
    (field) => typeSetting(field) === name && (record[field.name] ?? null) !== null,
  );
  return shown.some(
    (field) =>
      check.complaint(field, record[field.name]) === undefined &&
      check.complaint(field, record[field.name], other) !== undefined,
  );
}

/** Returns undefined for an option that contradicts others. */
function withOption(
  { catalogue, profile }: CaseContext,
  { name, option, place }: OtherOption,
): Profile | undefined {
  const whole = profileAt(profile, '');
  const except = { ...whole.except, [place]: { ...whole.except[place], [name]: option } };
  const changes = name === 'version' ? { [name]: option } : { except };
  return attempt(() => changeProfile(whole, changes, catalogue));
}
