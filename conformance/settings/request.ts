import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { type Profile, profileAt, type SettingName } from '../../spec/profile/profile.ts';
import { linkedModel, type References } from '../../spec/references.ts';
import { isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, findRecordIn, isAccepted, isRefused } from '../api/answer.ts';
import { isNone, show } from '../assert/agreement.ts';
import { blocked, failure, skip, speaksAnother } from '../assert/ending.ts';
import { needCredentials, statusOf } from '../cases/assert.ts';
import { type Assumption, type CaseContext, row, type SharedRequests } from '../cases/rule.ts';
import { UNKNOWN_ID } from '../records/identity.ts';
import { writableFields } from '../records/values/values.ts';
import { needCreate, observation, one } from '../rules/shared.ts';
import { readonlyCreate } from '../rules/untouched.ts';
import { emptyUpdates, singleUpdate } from '../rules/updates.ts';
import {
  describe,
  found as finding,
  notShown,
  type Observation,
  type Observed,
  seen,
  tryEach,
} from './observation.ts';
import { easiestFields, easiestModels, type Probe, type ProbeContext, textFields } from './probe.ts';

const MOST_MODELS = 4;

/** Creates records of a few models in each encoding until a response returns the string that was sent (section 4, rule 5). */
export const encodingProbe: Probe = {
  settings: ['request.encoding'],
  writes: true,
  async run(context) {
    const models = easiestModels(context, (model) => textFields(model).length > 0);
    const found: Encoded[] = [];
    const reason = await tryEach(models.slice(0, MOST_MODELS), async (model) => {
      found.push(await tryEncodings(context, model));
      // A single model might deviate.
      return found.filter(({ encoding }) => encoding === found.at(-1)?.encoding).length === 2;
    });
    const most = found.length > 2 ? found.at(-1) : found[0];
    if (!most)
      throw blocked(`no record could be created: ${reason ?? 'no model with a create has a string field'}`);
    return { 'request.encoding': finding(most.encoding, most.answer) };
  },
};

type Encoded = { readonly encoding: Profile['request.encoding']; readonly answer: ApiResponse };

/** Returns the encoding that a model accepts. Throws `blocked` if it accepts none. */
async function tryEncodings({ open, refused, survey }: ProbeContext, model: Model): Promise<Encoded> {
  const { records, samples } = await open(model);
  const fields = textFields(model).sort((one, other) => Number(other.required) - Number(one.required));
  const [field] = fields as [Field, ...Field[]];
  const { name } = field;
  const sent = { ...samples.values('required'), [name]: samples.value(field) ?? null };
  let reason = '';
  for (const encoding of ['json', 'form'] as const) {
    const answer = await records.create(sent, { settings: { 'request.encoding': encoding } });
    const record = findRecordIn(model, answer);
    if (record && record[name] === sent[name]) {
      survey.note({ model, record, from: 'create', answer });
      return { encoding, answer };
    }
    reason = `${describe(answer)}${record ? `, and the record lacks ${name}` : ''}`;
  }
  refused.add(model);
  throw blocked(reason);
}

/** Whether a link may lead nowhere: a service may check some links and not others. */
export const linksProbe: Probe = {
  settings: ['request.references'],
  writes: true,
  async run(context) {
    const seen = new Map<'accept' | 'reject', ApiResponse>();
    const reason = await tryEach(linksToTry(context), async ({ field, model }) => {
      const { records, samples } = await context.open(model);
      const more = { [field.name]: UNKNOWN_ID };
      const answer = await records.create(samples.values('required'), { more });
      // It is a refusal of the link only if the same is accepted without it.
      if (isRefused(answer)) await records.make();
      else if (!isAccepted(answer)) throw blocked(describe(answer));
      seen.set(isAccepted(answer) ? 'accept' : 'reject', answer);
      return seen.size > 1;
    });
    const [first] = seen;
    if (!first) throw blocked(reason ?? 'no model with a create has a link to another model');
    const [option, answer] = first;
    return { 'request.references': finding(seen.size > 1 ? 'some' : option, answer) };
  },
};

/** How requests are read, model by model. */
export const requestObservations: readonly Observation[] = [
  {
    setting: 'request.encoding',
    title: 'A body in the encoding of the profile is accepted',
    requirement: 'encoding-not-shown',
    needs: ['create'],
    async observe(context) {
      const { api, codec, model, profile, records, samples } = context;
      const own = profile['request.encoding'];
      const { created } = await context.ask(observation);
      if (created && isAccepted(created)) return seen(own, created);
      const other = own === 'json' ? 'form' : 'json';
      const body = codec.encodeNamed(model.name, samples.values('all'));
      // A create that fails once, such as with a 5xx, says nothing about its encoding.
      const again = await api.create(model.name, body);
      records.adopt(again);
      if (isAccepted(again)) return seen(own, again);
      const inOther = await api.under({ 'request.encoding': other }).create(model.name, body);
      records.adopt(inOther);
      if (isAccepted(inOther)) return seen(other, inOther);
      await needCreate(context);
      return notShown('request.encoding', again);
    },
  },
  {
    setting: 'request.unknownFields',
    title: 'An unknown field is rejected or ignored, as set in the profile',
    requirement: 'fields-of-the-model',
    needs: ['create'],
    async observe(context) {
      const tried = await createBeside(context, { notAField: 'x' });
      const { answer } = tried;
      if (isAccepted(answer) && Object.hasOwn(context.api.recordIn(answer) ?? {}, 'notAField'))
        throw failure(
          'the target returns a field that the model does not have',
          'no field notAField',
          show(answer.json),
        );
      return readRefusal(context, tried, 'request.unknownFields');
    },
  },
  {
    setting: 'request.readonlyFields',
    title: 'A readonly field is ignored or rejected, as set in the profile',
    requirement: 'field-readonly',
    needs: ['create', 'retrieve'],
    async observe(context) {
      await needCreate(context);
      // One request with all fields: the stated rules check whether each is stored.
      const { answer } = await context.ask(readonlyCreate);
      const base = context.samples.values('required');
      return readRefusal(context, { answer, base }, 'request.readonlyFields');
    },
  },
  {
    setting: 'request.update',
    title:
      'An update keeps or clears omitted fields, and needs the required ones or not, as set in the profile',
    requirement: 'operation-update',
    needs: ['create', 'retrieve', 'update'],
    applies: (_, model) => writableFields(model).length > 1,
    observe: async (context) => (await context.ask(updateEffect)).seen,
  },
  {
    setting: 'request.null',
    title: 'An update to null clears an optional field or is ignored, as set in the profile',
    requirement: 'operation-update',
    needs: ['create', 'retrieve', 'update'],
    applies: ({ profile }) => profile['request.encoding'] === 'json',
    fields: ({ readonly, required }) => !readonly && !required,
    async observe(context, field) {
      const effect = (await context.ask(emptyUpdates)).nulls.get(field.name);
      if (!effect) return { none: `no update of ${field.key} shows what it does with null` };
      const { answer, option } = effect;
      // A whole update clears omitted fields, too.
      const isWhole = profileAt(context.profile, context.model.name)['request.update'] === 'full';
      return {
        ...seen(option, answer),
        ...(option === 'clear' && isWhole && { alike: ['clear', 'ignore'] }),
      };
    },
  },
];

/** Whether a required string can be empty. */
export const blankObservation: Observation = {
  setting: 'request.blankStrings',
  title: 'An empty string in a required field is rejected or accepted, as set in the profile',
  requirement: 'blank-not-shown',
  needs: ['create'],
  // The values of other cases, and the records in their lists, don't depend on it.
  afterAll: true,
  fields: (field) => isText(field) && field.required && !field.readonly,
  async observe(context, field) {
    const { model, records, samples } = context;
    const { name } = field;
    if (samples.isPinned(field)) return { none: `only some values of ${field.key} are sent` };
    const tried = await createBeside(context, { [name]: '' });
    const { answer } = tried;
    const found = await readRefusal(context, tried, 'request.blankStrings', 'accept');
    if (isRefused(answer) && (await refusesTwice(context, field, answer)))
      return { none: `${name} must be unique, and another record might have the empty string` };
    if (!isRefused(answer) || !model.operations.includes('update')) return found;
    // An update can accept what a create rejects.
    const { id, sent } = await context.ask(one);
    const updated = await records.update(id, { [name]: '' }, sent);
    const isKept = isAccepted(updated) && (await records.readValues(id))[name] === '';
    return isKept ? seen('accept', updated) : found;
  },
};

/** A link is inferred, so a service might check some links and not others. Only one of them shows the setting. */
export const linksRule: Assumption = row({
  title: 'A link to a missing record is accepted or rejected, as set in the profile',
  requirement: 'fields-of-the-model',
  setting: 'request.references',
  needs: ['create'],
  cases: (model, { references }) =>
    linkFields(model, references)
      .slice(0, 1)
      .map((field) => ({ field })),
  async judge(context, { field }) {
    const tried = await createBeside(context, { [field.name]: UNKNOWN_ID });
    const found = await readRefusal(context, tried, 'request.references', 'accept');
    if ('none' in found) throw skip(found.none);
    const { 'request.references': wanted } = profileAt(context.profile, field.key);
    if (wanted === 'some' || wanted === found.option) return;
    if (context.model === telltaleOfLinks(context.catalogue, context.references))
      throw speaksAnother('request.references', context.profile, found.shown, tried.answer.exchange);
    throw skip(`the link of ${field.key} is only inferred, so the target might or might not check its IDs`);
  },
});

/** A create with a member on trial, and the valid values next to it. */
type Tried = { readonly answer: ApiResponse; readonly base: RecordValues };

async function createBeside(context: CaseContext, more: RecordValues): Promise<Tried> {
  await needCreate(context);
  const base = context.samples.values('required');
  return { answer: await context.records.create(base, { more }), base };
}

/**
 * Returns whether a service rejects a member, or ignores or accepts it. Throws `blocked` if it unexpectedly rejects a
 * create, and also the same one without the member.
 */
async function readRefusal(
  { model, profile, records }: CaseContext,
  { answer, base }: Tried,
  setting: SettingName,
  taken: 'accept' | 'ignore' = 'ignore',
): Promise<Observed> {
  needCredentials(answer);
  if (isAccepted(answer)) return seen(taken, answer);
  if (!isRefused(answer)) return notShown(setting, answer);
  const twin = profile[setting] === 'reject' ? undefined : await records.create(base);
  if (twin && isRefused(twin))
    throw blocked(`the target rejects a valid ${model.name}: ${statusOf(twin)}`, twin.exchange);
  return seen('reject', answer);
}

/**
 * Sends one field, and if that is refused, the required ones. Reads what became of the others (section 4, rule 1). Returns
 * the option of `request.update` that this shows, and the response.
 */
export const updateEffect = {
  name: 'update of some fields',
  againAfter5xx: true,
  async ask(context) {
    const { api, check, codec, model, records } = context;
    await needCreate(context);
    const { made, retrieved } = await context.ask(observation);
    const shown = retrieved && isAccepted(retrieved) ? api.recordIn(retrieved) : undefined;
    if (!shown) throw blocked(`the created ${model.name} can't be retrieved`, retrieved?.exchange);
    const update = made && (await singleUpdate(context, made, check.read(model, shown)));
    if (!update) return { seen: { none: `no field of ${model.name} has another valid value` } };
    const { before, field, made: changed } = update;
    const fields = writableFields(model);
    const needed = fields.filter(({ name, required }) => required && name in changed.sent);
    const asksForRequired = fields.some((one) => one !== field && one.required && one.lines === undefined);
    const isRepeated = isRefused(update.answer) && asksForRequired;
    const change = Object.fromEntries(needed.map(({ name }) => [name, changed.sent[name] ?? null]));
    const answer = isRepeated
      ? await api.update(model.name, changed.id, codec.encodeNamed(model.name, change))
      : update.answer;
    const none = (reason: string) => ({ seen: { none: reason }, answer });
    if (!isAccepted(answer)) return none(`${answer.asked} does not show request.update: ${statusOf(answer)}`);
    // A service can reject a value because another record has it, and not because other fields are missing.
    const same = codec.encodeNamed(model.name, { [field.name]: changed.sent[field.name] ?? null });
    if (isRepeated && isAccepted(await api.update(model.name, changed.id, same)))
      return none(`the target rejects a value of ${field.name}, but not an update of one field`);
    const others = fields.filter((one) => one.lines === undefined && (isRepeated || one !== field));
    const effect = effectOn(others, before, isRepeated ? await records.readValues(changed.id) : update.after);
    if (effect === 'mixed' || (effect === undefined && !asksForRequired))
      return none(`no other field of ${model.name} shows what an update does with it`);
    if (effect === 'cleared') return { seen: seen('full', answer), answer };
    if (isRepeated && effect === undefined)
      return { seen: { ...seen('full', answer), alike: ['merge', 'full'] }, answer };
    if (isRepeated || asksForRequired)
      return { seen: seen(isRepeated ? 'merge' : 'partial', answer), answer };
    return { seen: { ...seen('partial', answer), alike: ['partial', 'merge'] }, answer };
  },
} satisfies SharedRequests<unknown>;

/** Returns what an update did with the optional fields that had a value; undefined if there are none. */
function effectOn(fields: readonly Field[], before: RecordValues, after: RecordValues) {
  // Some languages show a zero for no value.
  const isZero = (value: Value | undefined) => isNone(value) || value === 0 || value === false;
  const optional = fields.filter(({ name, required }) => !required && !isZero(before[name]));
  const lost = optional.filter(({ name }) => isZero(after[name]));
  if (optional.length === 0) return undefined;
  if (lost.length === 0) return 'kept';
  return lost.length === optional.length ? 'cleared' : 'mixed';
}

/** Returns links of required and of optional fields, each to another model, in the models that are made most easily. */
function linksToTry(context: ProbeContext): { readonly model: Model; readonly field: Field }[] {
  const { references } = context;
  const links = easiestFields(context, (field) => isLink(field, references));
  const groups = Map.groupBy(links, ({ field }) => `${field.required} ${linkedModel(references, field)}`);
  const firsts = [...groups.values()].flatMap((group) => group.slice(0, 1));
  const ofKind = (required: boolean) => firsts.filter(({ field }) => field.required === required);
  // A link of a required field costs more requests, because records must be created for it.
  return [...ofKind(true).slice(0, 1), ...ofKind(false).slice(0, 2)];
}

/**
 * Whether a service also refuses another value of a field that a record has. An empty string can then be one that is
 * there already. Asks only if the profile expects another refusal or none.
 */
async function refusesTwice(
  { profile, records, samples }: CaseContext,
  { key, name }: Field,
  { status }: ApiResponse,
): Promise<boolean> {
  const own = profileAt(profile, key);
  if (own['request.blankStrings'] === 'reject' && own['status.invalid'] === status) return false;
  const { sent } = await records.make(samples.values('required'));
  const more = { [name]: sent[name] ?? null };
  return isRefused(await records.create(samples.values('required'), { more }));
}

/** Returns the writable fields of a model that hold the ID of one other record. */
function linkFields(model: Model, references: References): Field[] {
  return writableFields(model).filter((field) => isLink(field, references));
}

function isLink(field: Field, references: References): boolean {
  return field.type === 'int' && linkedModel(references, field) !== undefined;
}

/**
 * Returns the model that is easiest to create of those with only optional links. Its first link shows whether links need
 * an existing record. Other links might not show it, because they are inferred and a service might not look them all up.
 */
function telltaleOfLinks(catalogue: Catalogue, references: References): Model | undefined {
  const free = [...catalogue.models.values()].filter((model) => {
    const links = linkFields(model, references);
    return links.length > 0 && !links.some(({ required }) => required) && model.fields.some(isText);
  });
  return free.sort((one, other) => one.fields.length - other.fields.length)[0];
}
