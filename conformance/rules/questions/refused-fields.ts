import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../../../spec/catalogue/field.ts';
import { typeSetting } from '../../../spec/profile/profile.ts';
import { choicesOf, isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import { Blocked, describeAnswer, PartFailure, whyDenied } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { statusOf } from '../../cases/assert.ts';
import { settingForCreate } from '../../cases/other-setting.ts';
import type { CaseContext } from '../../cases/rule.ts';
import { mayBeAboutBody } from '../../records/ids.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { pinFlag } from '../../records/values/read-pins.ts';
import { isDigits } from '../../records/values/samples.ts';
import { linkTarget, namedIn, outsideTarget, writableFields } from '../../records/values/values.ts';

/** Requests that find the fields of one refusal. */
const MOST_TRIES = 30;

/** Short texts and small numbers, which most services accept. */
const PLAIN_TEXTS = ['1', 'a', 'ab', '123', '12345678'];
const PLAIN_NUMBERS = [1, 0, 2];
/** IDs of a link that are tried. */
const MOST_IDS = 5;
const NUMBERS = ['int', 'float', 'currency', 'percent'];

/** A write that is refused, and what may be the reason. */
type Search = {
  readonly fields: readonly Field[];
  readonly sent: RecordValues;
  /** The values that take the place of those that were sent; a field without one is left out. */
  readonly instead: RecordValues;
  readonly refusal: Answer;
  /** Sends the same write with these values; those in `changed` are sent as they are. */
  takes(values: RecordValues, changed: RecordValues): Promise<boolean>;
};

/** Fields get several kinds of text in turn, so the next record can have a rejected kind in another field. */
const KINDS = 4;

/** Creates a record; if it is refused, finds the fields to replace, and creates another one. */
export async function createWithoutRefused(
  context: CaseContext,
  extent: 'required' | 'all',
): Promise<{ readonly answer: Answer; readonly sent: RecordValues }> {
  const create = () => context.records.createFresh(context.samples.values(extent));
  let made = await create();
  for (let round = 0; round < KINDS && (await replaceRefused(context, made.sent, made.answer)); round++)
    made = await create();
  return made;
}

/**
 * Finds out for which fields a create is refused. Leaves them out of all that is sent later, or sends a value that was
 * accepted in their place. Tries first those whose values the source leaves open, where a service may have a rule of
 * its own; then, unless another form of the values is taken, all. Returns whether a create may be accepted now.
 */
async function replaceRefused(context: CaseContext, sent: RecordValues, refusal: Answer): Promise<boolean> {
  const { model, samples } = context;
  if (!isRefused(refusal)) return false;
  const fields = writableFields(model).filter(({ name }) => Object.hasOwn(sent, name));
  const optional = fields.filter(({ required }) => !required);
  const open = optional.filter((field) => isOpen(context, field));
  const send = createTakes(context);
  let isHelped = false;
  const takes: Search['takes'] = async (...values) => {
    const isTaken = await send(...values);
    isHelped ||= isTaken;
    return isTaken;
  };
  const tryTo = (some: readonly Field[], instead: RecordValues = {}) =>
    replace(context, { fields: some, sent, instead, refusal, takes });
  if (await tryTo(open)) return true;
  if (!mayBeAboutBody(refusal) || whyDenied(refusal) !== undefined) return false;
  if ((await context.ask(settingForCreate)) !== undefined) return false;
  if (await tryTo(optional.filter((field) => open.includes(field) || field.choices))) return true;
  if (await tryTo(optional)) return true;
  for (const instead of changesOf(context, sent)) if (await tryTo(fields, instead)) return true;
  const tried = isHelped
    ? 'Only creates with several other values were accepted'
    : samples.maySearch()
      ? 'Creates with only the required fields, and with other values in them, were rejected too'
      : 'The run has sent too many requests to find such fields';
  samples.noteSearched(model.name, `; no single field was found to be the reason. ${tried}`);
  return false;
}

/** The same for texts of another kind (digits, letters) and the other booleans. `sent` was accepted. */
export async function replaceOtherKinds(context: CaseContext, sent: RecordValues): Promise<void> {
  const { model, records, references, samples } = context;
  const fields = writableFields(model).filter(
    (field) =>
      (field.type === 'bool' || isText(field)) &&
      Object.hasOwn(sent, field.name) &&
      !references.has(field.key) &&
      !samples.isPinned(field) &&
      samples.whyRefused(field) === undefined,
  );
  if (fields.length === 0) return;
  const others = Object.fromEntries(
    fields.map((field) => [field.name, otherKind(context, field, sent[field.name])]),
  );
  const changed = { ...samples.fresh(sent), ...others };
  const refusal = await records.create(changed);
  if (!isRefused(refusal)) return;
  const takes = createTakes(context);
  await replace(context, { fields, sent: changed, instead: samples.fresh(sent), refusal, takes });
}

/** Throws Failure where a value was refused although the source allows it, with the smallest create that shows it. */
export async function expectAllowedTaken(context: CaseContext, isRequired: boolean): Promise<void> {
  const { model, records, samples } = context;
  for (const field of model.fields.filter(({ required }) => required === isRequired)) {
    const found = samples.isPinned(field) ? undefined : samples.refused(field);
    if (!found) continue;
    const values = field.required
      ? [found.value]
      : (field.choices?.map(({ value }) => value) ?? [found.value]);
    for (const extent of isRequired ? (['required'] as const) : (['required', 'all'] as const))
      for (const value of values) {
        const answer = await records.create({ ...samples.values(extent), [field.name]: value });
        if (isRefused(answer)) throw refusedFor(context, field, value, found.remedy, answer);
      }
  }
}

/** Throws Failure that names the field for which an update is refused; the create with `made.sent` was accepted. */
export async function expectNoRefusedChange(
  context: CaseContext,
  { id, sent: instead }: MadeRecord,
  change: RecordValues,
  refusal: Answer,
): Promise<void> {
  if (!mayBeAboutBody(refusal) || whyDenied(refusal) !== undefined) return;
  const fields = writableFields(context.model).filter(
    ({ name }) => Object.hasOwn(change, name) && Object.hasOwn(instead, name),
  );
  const takes = async (values: RecordValues) => {
    const answer = await context.records.update(id, values, instead);
    return isAccepted(answer);
  };
  const [field] = await findRefused(context, { fields, sent: change, instead, refusal, takes });
  if (!field) return;
  const remedy = remedyFor(context, field, instead[field.name], 'an update');
  throw refusedFor(context, field, change[field.name] ?? null, remedy, refusal);
}

function refusedFor(
  { records }: CaseContext,
  field: Field,
  value: Value,
  remedy: string,
  answer: Answer,
): Blocked | PartFailure {
  const what = `refused for ${field.key}: ${show(value)}${remedy}`;
  // The service might reject the ID with reason, because the run made it up.
  if (records.isUnbound(field)) return new Blocked(`${statusOf(answer)}, ${what}`, answer.exchange);
  return new PartFailure(`a valid value is ${what}`, 'a 2xx status', statusOf(answer), answer.exchange);
}

/** Creates with new values where each record may need its own, but for those that are changed. */
function createTakes({ records, samples }: CaseContext): Search['takes'] {
  return async (values, changed) => {
    const { answer, sent } = await records.createFresh({ ...samples.fresh(values), ...changed });
    return isAccepted(answer) && Object.keys(changed).every((name) => sent[name] === changed[name]);
  };
}

/** Finds the fields, and replaces them in all that is sent later; returns whether that is enough. */
async function replace(context: CaseContext, search: Search): Promise<boolean> {
  const { api, samples } = context;
  const { instead, refusal, sent, takes } = search;
  const found = await findRefused(context, search);
  const rest = Object.fromEntries(
    Object.entries(sent).filter(([name]) => !found.some((one) => one.name === name)),
  );
  const changed = Object.fromEntries(
    found.flatMap(({ name }) => (Object.hasOwn(instead, name) ? [[name, instead[name] ?? null]] : [])),
  );
  // A value that only one record may have can't be sent each time.
  const isLasting =
    Object.keys(changed).length === 0 || ((await takes(rest, changed)) && (await takes(rest, changed)));
  for (const field of found) {
    const value = sent[field.name] ?? null;
    const taken = changed[field.name] ?? (await findTaken(context, search, field, { ...rest, ...changed }));
    const remedy = remedyFor(context, field, taken, 'a create');
    const why = `${describeAnswer(refusal, api)}, refused for ${field.key}: ${show(value)}${remedy}`;
    if (!field.required) samples.replace(field, { why: `${field.key} is left out: ${why}` });
    else if (isLasting) samples.replace(field, { why, value: taken });
    // The other boolean, or a text of another kind, is a matter of the service where the field is optional.
    const isOwnRule =
      isOpen(context, field) ||
      Object.hasOwn(instead, field.name) ||
      // The service might have lost the thing with one of the IDs that its records show.
      (taken !== undefined && outsideTarget(field, context.references) !== undefined);
    if (field.required || !isOwnRule) samples.noteRefused(field, { value, remedy });
  }
  return found.length > 0 && (isLasting || found.every(({ required }) => !required));
}

/** The fields whose values are refused, of those whose replacements are accepted; none where that does not help. */
async function findRefused(
  { samples }: CaseContext,
  { fields, instead, refusal, sent, takes }: Search,
): Promise<readonly Field[]> {
  let tries = 0;
  const takesAsSent = async (kept: readonly Field[]) => {
    tries++;
    if (!samples.maySearch()) return false;
    const others = fields.filter((field) => !kept.includes(field));
    const values = Object.fromEntries(
      Object.entries(sent).filter(([key]) => !others.some(({ name }) => name === key)),
    );
    const changed = Object.fromEntries(
      others.flatMap(({ name }) => (Object.hasOwn(instead, name) ? [[name, instead[name] ?? null]] : [])),
    );
    return takes({ ...values, ...changed }, changed);
  };
  if (fields.length === 0 || !(await takesAsSent([]))) return [];
  const named = namedIn(fields, refusal.body);
  if (named.length > 0 && named.length < fields.length)
    if (await takesAsSent(fields.filter((field) => !named.includes(field)))) return halve(named);
  return halve(fields);

  /** Returns the fields that are refused one by one, of several that are refused together. */
  async function halve(some: readonly Field[]): Promise<readonly Field[]> {
    if (some.length < 2) return some;
    if (tries >= MOST_TRIES) return [];
    const middle = some.length >> 1;
    const refused: Field[] = [];
    for (const half of [some.slice(0, middle), some.slice(middle)])
      if (!(await takesAsSent(half))) refused.push(...(await halve(half)));
    return refused;
  }
}

/** A value of an optional field that is accepted where the sent one is refused. */
async function findTaken(
  context: CaseContext,
  { sent, takes }: Search,
  field: Field,
  rest: RecordValues,
): Promise<Value | undefined> {
  for (const value of othersOf(context, field, sent[field.name] ?? null))
    if (context.samples.maySearch() && (await takes(rest, { [field.name]: value }))) return value;
  return undefined;
}

/** The required values changed, all at once, in one way after the other. */
function changesOf(context: CaseContext, sent: RecordValues): RecordValues[] {
  const fields = writableFields(context.model).filter(
    ({ name, required }) => required && Object.hasOwn(sent, name),
  );
  const others = fields.map((field) => ({
    field,
    values: othersOf(context, field, sent[field.name] ?? null),
  }));
  const rounds = Math.max(0, ...others.map(({ values }) => values.length));
  return Array.from({ length: rounds }, (_, round) =>
    Object.fromEntries(
      others.flatMap(({ field: { name }, values }) => {
        const value = values[round] ?? values.at(-1) ?? sent[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  );
}

/** Other values of a field, the likeliest to be accepted first. */
function othersOf(context: CaseContext, field: Field, value: Value): Value[] {
  const { records, references, samples } = context;
  if (samples.isPinned(field) || field.lines !== undefined) return [];
  const isLink = references.has(field.key);
  if (field.type === 'bool') return [value !== true];
  if (field.type === 'select')
    return (field.choices ?? []).map((one) => one.value).filter((one) => one !== value);
  const plain = isText(field) ? PLAIN_TEXTS : NUMBERS.includes(field.type) ? PLAIN_NUMBERS : [];
  const other = isLink ? undefined : samples.otherValue(field, value);
  const known = () => Array.from({ length: MOST_IDS }, () => samples.value(field));
  const ids = isLink && !records.isUnbound(field) ? new Set(known()) : plain;
  const others = [...ids, other].filter((one) => one !== undefined);
  return others.filter((one) => !isDeepStrictEqual(one, value));
}

/** The other boolean; digits for letters, or letters for digits. */
function otherKind({ samples }: CaseContext, field: Field, value: Value | undefined): Value {
  if (field.type === 'bool') return value !== true;
  const others = [1, 2, 3].map(() => samples.value(field));
  return others.find((other) => isDigits(other) !== isDigits(value)) ?? value ?? null;
}

/** Whether the source leaves the values of an optional field open, and neither a setting nor the user gives a valid one. */
function isOpen({ profile, records, references }: CaseContext, field: Field): boolean {
  if (field.required) return false;
  if (references.has(field.key)) return records.isUnbound(field);
  if (field.type === 'select') return choicesOf({ field, profile }) === undefined;
  return field.type !== 'bool' && field.lines === undefined && typeSetting(field) === undefined;
}

/** Returns the way out for a refused value, with an accepted value if the search found one. */
function remedyFor(
  { profile, references }: CaseContext,
  field: Field,
  taken: Value | undefined,
  what: string,
): string {
  const outside = outsideTarget(field, references);
  const inside = linkTarget(field, references);
  const accepted = taken === undefined ? '' : `; ${what} with ${show(taken)} was accepted`;
  // A record of the catalogue that was accepted is the suite's own, and is removed.
  if (inside !== undefined) return `${accepted}; pass IDs of ${inside} with --bindings`;
  if (outside !== undefined)
    return taken === undefined
      ? `; pass IDs of ${outside} with --bindings`
      : `${accepted}: pass a file with "${outside}: ${JSON.stringify([taken].flat())}" as --bindings`;
  if (taken !== undefined) return `${accepted}: pass ${pinFlag(field, taken)}`;
  if (field.type === 'select' && choicesOf({ field, profile }) === undefined)
    return `; list values of ${field.key} that are accepted in --profile (values)`;
  if (field.choices) return '; no other value of its list was accepted';
  return `; no other value that was tried is accepted: pass one that is with --pin ${field.key}=VALUE`;
}
