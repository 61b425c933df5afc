import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { SettingName } from '../../spec/profile/profile.ts';
import type { References } from '../../spec/references.ts';
import { isText } from '../../spec/types/types.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { findRecord } from '../api/places.ts';
import { needCredentials, statusOf } from '../assert/assert.ts';
import { Blocked, Failure, OtherOption, Skip, speaksAnother } from '../assert/failure.ts';
import { show } from '../assert/wire-check.ts';
import { describe, type Finding, type Findings, found, Unlearned, unknown } from '../learn/finding.ts';
import type { ProbeContext } from '../learn/probe-context.ts';
import { type Assumption, type CaseContext, once, onceWhere } from '../plan/rule.ts';
import type { MadeRecord } from '../records/records-core.ts';
import { NOWHERE } from '../records/values/samples.ts';
import { linkTarget, writableFields } from '../records/values/values.ts';
import { needCreate, observation, singleUpdate } from '../rules/questions/updates.ts';
import { readonlyCreate } from '../rules/stated/readonly.ts';
import { easiestModels, type Probe, textFields } from './setting.ts';

const NOT_THE_USER = 987_654;

const MOST_MODELS = 4;

/** A link of a required field costs more requests, because records must be created for it. */
const MOST_LINKS = { optional: 2, required: 1 };

/** Creates a record in each encoding until a response returns the string that was sent (section 4, rule 5). */
export const encodingProbe: Probe = {
  settings: ['request.encoding', 'status.created'],
  needs: 'writing',
  async run(context) {
    const { refused, survey } = context;
    const models = easiestModels(context, (model) => textFields(model).length > 0);
    let reason = 'no model with a create has a string field';
    for (const model of models.slice(0, MOST_MODELS)) {
      const [field] = textFields(model).sort((one, other) => Number(other.required) - Number(one.required));
      if (!field) continue;
      const { records, samples } = await context.open(model);
      const values = { ...samples.values('required'), [field.name]: samples.value(field) ?? null };
      for (const encoding of ['json', 'form'] as const) {
        const seen = await records.create(values, { settings: { 'request.encoding': encoding } });
        const record = isAccepted(seen) ? findRecord(model, seen.json)?.value : undefined;
        if (record && record[field.name] === values[field.name]) {
          survey.note({ model, record, from: 'create', answer: seen });
          return { 'request.encoding': found(encoding, seen), 'status.created': found(seen.status, seen) };
        }
        reason = record ? `${describe(seen)}, and the record lacks ${field.key}` : describe(seen);
      }
      refused.add(model);
    }
    throw new Unlearned(`no record could be created: ${reason}`);
  },
};

/** Whether a create with an unknown or readonly field is rejected (section 4, rule 2). */
export const extraFieldsProbe: Probe = {
  settings: ['request.unknownFields', 'request.readonlyFields'],
  needs: 'writing',
  async run(context) {
    const [model] = easiestModels(context, ({ fields }) => fields.some(isPlainReadonly));
    const field = model?.fields.find(isPlainReadonly);
    if (!model || !field) throw new Unlearned('no model with a create has a readonly number except its id');
    // Skip unless the same request without the extra field succeeds.
    const { records, samples } = await context.open(model);
    await records.make();
    const createWith = (more: RecordValues) => records.create(samples.values('required'), { more });
    const unknownField = await createWith({ notAField: 'x' });
    const readonly = await createWith({ [field.name]: NOT_THE_USER });
    return {
      'request.unknownFields': judgeExtra(unknownField),
      'request.readonlyFields': judgeExtra(readonly),
    };
  },
};

/** Whether a link may lead nowhere: a service may check some links and not others. */
export const linksProbe: Probe = {
  settings: ['request.references'],
  needs: 'writing',
  async run(context) {
    const seen = new Map<'accept' | 'reject', Answer>();
    let reason = 'no model with a create has a link to another model';
    for (const { field, model } of linksToTry(context)) {
      if (seen.size > 1) break;
      try {
        const answer = await tryLink(context, model, field);
        seen.set(isAccepted(answer) ? 'accept' : 'reject', answer);
      } catch (error) {
        if (!(error instanceof Blocked)) throw error;
        reason = error.message;
      }
    }
    const [[option, answer] = [], ...others] = seen;
    if (option === undefined || answer === undefined) throw new Unlearned(reason);
    return { 'request.references': found(others.length > 0 ? 'some' : option, answer) };
  },
};

/** Whether an update with one field keeps the others (section 4, rule 1), and the status of an update. */
export const updateProbe: Probe = {
  settings: ['request.update', 'status.updated'],
  needs: 'writing',
  async run(context): Promise<Findings> {
    const [model] = easiestModels(
      context,
      (candidate) => candidate.operations.includes('update') && textFields(candidate).length > 1,
    );
    if (!model) throw new Unlearned('no model with an update has two string fields');
    const { api, records, samples } = await context.open(model);
    // An update of a field that a pin ties to another one sends both.
    const [changed, ...others] = textFields(model)
      .filter((field) => !samples.isTied(field))
      .sort((one, other) => Number(one.required) - Number(other.required));
    if (!changed) throw new Unlearned('no model with an update has a string field');
    const text = (field: Field) => String(samples.value(field));
    const texts: Record<string, string> = {};
    for (const field of [changed, ...others]) texts[field.name] = text(field);
    const made = await records.make({ ...samples.values('required'), ...texts });
    const change = { [changed.name]: text(changed) };
    const alone = await api.update(model.name, made.id, change);
    if (isRefused(alone)) return judgeRefusedUpdate(api, made, change, alone);
    if (!isAccepted(alone)) throw new Unlearned(describe(alone));
    const seen = await api.retrieve(model.name, made.id);
    const record = findRecord(model, seen.json)?.value;
    const kept = others.filter(({ name }) => record?.[name] === texts[name]);
    const keeps = kept.length === others.length ? 'partial' : kept.length === 0 ? 'full' : undefined;
    return {
      'status.updated': found(alone.status, alone),
      'request.update': keeps
        ? found(keeps, alone)
        : unknown(`${alone.asked} keeps some omitted fields and clears others`),
    };
  },
};

/** How requests are read under the profile: `request.*`. */
export const requestRules: readonly Assumption[] = [
  {
    title: 'A body in the encoding of the profile is accepted',
    requirement: 'encoding-not-shown',
    setting: 'request.encoding',
    needs: ['create'],
    cases: once(async (context) => {
      const { created } = await context.ask(observation);
      if (!created || isAccepted(created)) return;
      const other = context.profile['request.encoding'] === 'json' ? 'form' : 'json';
      const body = context.codec.encodeNamed(context.model.name, context.samples.values('all'));
      const again = await context.api.under({ 'request.encoding': other }).create(context.model.name, body);
      context.records.adopt(again);
      if (isAccepted(again))
        throw new OtherOption(
          'the target expects another encoding',
          `request.encoding ${context.profile['request.encoding']}`,
          `request.encoding ${other}`,
        );
      await needCreate(context);
    }),
  },
  {
    title: 'An unknown field is rejected or ignored, as set in the profile',
    requirement: 'fields-of-the-model',
    setting: 'request.unknownFields',
    needs: ['create'],
    cases: once(async (context) => {
      const answer = await createBeside(context, { notAField: 'x' }, 'request.unknownFields');
      expectOption(context, 'request.unknownFields', answer);
      if (isAccepted(answer) && Object.hasOwn(context.api.recordIn(answer) ?? {}, 'notAField'))
        throw new Failure(
          'the target returns a field that the model does not have',
          'no field notAField',
          show(answer.json),
        );
    }),
  },
  {
    title: 'A readonly field is ignored or rejected, as set in the profile',
    requirement: 'field-readonly',
    setting: 'request.readonlyFields',
    needs: ['create', 'retrieve'],
    cases: once(async (context) => {
      await needCreate(context);
      // One request with all fields: the stated rules check whether each is stored.
      const { answer } = await context.ask(readonlyCreate);
      await needTwin(context, answer, 'request.readonlyFields');
      expectOption(context, 'request.readonlyFields', answer);
    }),
  },
  {
    title: 'A link to a missing record is accepted or rejected, as set in the profile',
    requirement: 'fields-of-the-model',
    setting: 'request.references',
    needs: ['create'],
    cases: (model, { catalogue, references }) => {
      const field = linkFields(model, references).at(0);
      const telltale = telltaleOfLinks(catalogue, references);
      return field === undefined
        ? []
        : [
            {
              field,
              run: async (context) => {
                const answer = await createBeside(context, { [field.name]: NOWHERE }, 'request.references');
                try {
                  expectOption(context, 'request.references', answer);
                } catch (error) {
                  if (model === telltale || !(error instanceof Failure)) throw error;
                  throw new Skip(
                    `the link of ${field.key} is only inferred, so the target might or might not check its IDs`,
                  );
                }
              },
            },
          ];
    },
  },
  {
    title:
      'An update with one field keeps the others, or clears them and needs the required ones, as set in the profile',
    requirement: 'operation-update',
    setting: 'request.update',
    needs: ['create', 'retrieve', 'update'],
    cases: onceWhere((_, model) => writableFields(model).length > 1, updateWithSingleField),
  },
];

/** Creates a valid record with more members; throws Blocked where that should be taken, and is refused without them. */
async function createBeside(context: CaseContext, more: RecordValues, setting: SettingName): Promise<Answer> {
  await needCreate(context);
  const base = context.samples.values('required');
  const answer = await context.records.create(base, { more });
  await needTwin(context, answer, setting, base);
  return answer;
}

/** Throws Blocked if the service refuses both a create and its twin without the field on trial. */
async function needTwin(
  { model, profile, records, samples }: CaseContext,
  answer: Answer,
  setting: SettingName,
  base = samples.values('required'),
): Promise<void> {
  const isOdd = isRefused(answer) && profile[setting] !== 'reject';
  const twin = isOdd ? await records.create(base) : undefined;
  if (twin && isRefused(twin))
    throw new Blocked(`the target rejects a valid ${model.name}: ${statusOf(twin)}`, twin.exchange);
}

/** Expects a refusal under the option that refuses, and a success under the other one. */
function expectOption(context: CaseContext, setting: SettingName, answer: Answer): void {
  needCredentials(answer);
  if (answer.status >= 500)
    throw new Blocked(`${answer.asked} does not show ${setting}: ${statusOf(answer)}`);
  if (context.profile[setting] === 'some' || isRefused(answer) === (context.profile[setting] === 'reject'))
    return;
  throw speaksAnother(setting, context.profile, statusOf(answer));
}

async function updateWithSingleField(context: CaseContext): Promise<void> {
  const { model, profile } = context;
  await needCreate(context);
  const { after, answer, before, field } = await singleUpdate(context);
  const others = writableFields(model).filter((other) => other !== field && other.lines === undefined);
  const optional = others.filter((other) => !other.required && (before[other.name] ?? null) !== null);
  const lost = optional.filter((other) => (after[other.name] ?? null) === null);
  // A full update unsets all fields that were not sent; a single lost field is another fault.
  if (lost.length > 0 && lost.length < optional.length) return;
  const asksForRequired = others.some((other) => other.required);
  const found = lost.length > 0 || (isRefused(answer) && asksForRequired) ? 'full' : 'partial';
  // A full update of a model without other fields that could show it looks like a partial one.
  const telling = asksForRequired || optional.length > 0;
  if (telling && found !== profile['request.update'])
    throw speaksAnother('request.update', profile, `${found}: ${statusOf(answer)}`);
}

function isPlainReadonly({
  name,
  readonly,
  type,
}: {
  name: string;
  readonly: boolean;
  type: string;
}): boolean {
  return readonly && type === 'int' && name !== 'id';
}

function judgeExtra(seen: Answer): Finding {
  if (isRefused(seen)) return found('reject', seen);
  return isAccepted(seen) ? found('ignore', seen) : unknown(describe(seen));
}

/** Returns the response to a create with a link to no record. It is a refusal of the link only if the same is accepted without it. */
async function tryLink(context: ProbeContext, model: Model, field: Field): Promise<Answer> {
  const { records, samples } = await context.open(model);
  const dangling = await records.create(samples.values('required'), { more: { [field.name]: NOWHERE } });
  if (isRefused(dangling)) await records.make();
  else if (!isAccepted(dangling)) throw new Unlearned(describe(dangling));
  return dangling;
}

/** Returns links of required fields and of optional ones, each to another model, in the models that are made most easily. */
function linksToTry(context: ProbeContext): { readonly model: Model; readonly field: Field }[] {
  const links = easiestModels(context).flatMap((model) =>
    linkFields(model, context.references).map((field) => ({ model, field })),
  );
  return (['required', 'optional'] as const).flatMap((kind) => {
    const byTarget = new Map<string | undefined, (typeof links)[number]>();
    for (const link of links.filter(({ field }) => field.required === (kind === 'required'))) {
      const target = linkTarget(link.field, context.references);
      if (!byTarget.has(target)) byTarget.set(target, link);
    }
    return [...byTarget.values()].slice(0, MOST_LINKS[kind]);
  });
}

/** Judges a rejected update. If the service accepts it with all fields, it needs the required ones. */
async function judgeRefusedUpdate(
  api: Api,
  { model, id, sent }: MadeRecord,
  change: Record<string, string>,
  alone: Answer,
): Promise<Findings> {
  const whole = await api.update(model.name, id, { ...sent, ...change });
  if (!isAccepted(whole)) throw new Unlearned(`${describe(alone)}; with all fields: ${describe(whole)}`);
  const asks = writableFields(model).some(({ required, name }) => required && !Object.hasOwn(change, name));
  return {
    'status.updated': found(whole.status, whole),
    'request.update': asks ? found('full', alone) : unknown(describe(alone)),
  };
}

/** Returns the writable fields of a model that hold the ID of one other record. */
function linkFields(model: Model, references: References): Field[] {
  return model.fields.filter((field) => {
    const reference = references.get(field.key);
    return reference !== undefined && 'to' in reference && field.type === 'int' && !field.readonly;
  });
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
