import { UsageError } from '../../../spec/files/usage-error.ts';
import {
  applies,
  changeProfile,
  type Profile,
  profileAt,
  SETTINGS,
  type SettingName,
  typeSetting,
} from '../../../spec/profile/profile.ts';
import { createRecordCodec, type RecordCodec, type RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import type { Api } from '../../api/api.ts';
import { findRecord } from '../../api/places.ts';
import type { CaseContext, Question } from '../../plan/rule.ts';

/** Sends one request as it looks under some profile. */
type Send = (api: Api, codec: RecordCodec, profile: Profile) => Promise<Answer>;

/**
 * The setting and option under which a list that is refused is answered, as `version.in header`; undefined when
 * changing one setting, or two, does not help.
 */
export const settingForList: Question<string | undefined> = {
  name: 'setting for a list',
  ask: (context) =>
    findSetting(context, ['version.in', 'version.name'], (api) => api.list(context.model.name)),
};

/** The same for a create of all writable fields that is refused. */
export const settingForCreate: Question<string | undefined> = {
  name: 'setting for a create',
  ask: (context) => findForCreate(context, context.samples.values('all')),
};

/** The same for a create of the required fields that is refused. */
export const settingForMinimal: Question<string | undefined> = {
  name: 'setting for a create of the required fields',
  ask: (context) => findForCreate(context, context.samples.values('required')),
};

/**
 * Returns the setting and option that keep a run from creating records of the model, as `types.bool int`: the model uses
 * this option, and the profile has another. Undefined if no other option helps.
 */
export const otherSetting: Question<string | undefined> = {
  name: 'other setting',
  async ask(context) {
    const { api, ask, model, readOnly, records, samples } = context;
    if (readOnly || !model.operations.includes('create')) return undefined;
    const answer = await records.create(samples.values('required'));
    if (!isAccepted(answer)) return isRefused(answer) ? ask(settingForMinimal) : undefined;
    const elsewhere = api.recordIn(answer) ? undefined : findRecord(model, answer.json)?.pointer;
    return elsewhere === undefined ? ask(settingForCreate) : `response.record "${elsewhere}"`;
  },
};

/** Sends the same values each time, since others may be refused as well. */
function findForCreate(context: CaseContext, values: RecordValues): Promise<string | undefined> {
  const { catalogue, model } = context;
  const lines = model.fields.flatMap((field) => catalogue.models.get(field.lines ?? '')?.fields ?? []);
  const writable = [...model.fields, ...lines].filter((field) => !field.readonly);
  const types = new Set(writable.flatMap((field) => typeSetting(field) ?? []));
  return findSetting(
    context,
    ['request.encoding', 'version.in', 'version.name', ...types],
    (api, codec, profile) => {
      const sent = { ...values };
      // Lines that are given by ids have to be there first.
      for (const field of model.fields)
        if (field.lines !== undefined && profileAt(profile, field.key)['types.lines'] === 'ids')
          if (sent[field.name]) sent[field.name] = [];
      return create(context, api, codec.encodeNamed(model.name, sent));
    },
  );
}

async function create(context: CaseContext, api: Api, body: RecordValues): Promise<Answer> {
  const answer = await api.create(context.model.name, body);
  context.records.adopt(answer);
  return answer;
}

/** An option that a setting does not have under the profile. */
type Option = { readonly name: SettingName; readonly option: unknown };

/** Pairs that are tried where no single setting helps. */
const MOST_PAIRS = 40;

/**
 * Tries each other option alone, then pairs with one that at least made a difference to the refusal. What is accepted
 * under the profile itself, before or after, was refused for another reason.
 */
async function findSetting(
  context: CaseContext,
  names: readonly SettingName[],
  send: Send,
): Promise<string | undefined> {
  const { catalogue, profile } = context;
  const plain = await ask([]);
  if (plain && isAccepted(plain)) return undefined;
  const refusal = outlineOf(plain);
  const options = SETTINGS.filter(({ name }) => names.includes(name)).flatMap((setting) =>
    setting.variants
      .filter((option) => option !== profile[setting.name])
      .map((option): Option => ({ name: setting.name, option })),
  );
  const telling = new Set<Option>();
  for (const one of options) {
    const answer = await ask([one]);
    if (answer && isAccepted(answer)) return confirm([one]);
    if (answer && outlineOf(answer) !== refusal) telling.add(one);
  }
  const pairs = options.flatMap((one, index) =>
    options
      .slice(index + 1)
      .filter((other) => other.name !== one.name && (telling.has(one) || telling.has(other)))
      .map((other) => [one, other]),
  );
  for (const pair of pairs.slice(0, MOST_PAIRS)) {
    const answer = await ask(pair);
    if (answer && isAccepted(answer)) return confirm(pair);
  }
  return undefined;

  async function confirm(changed: readonly Option[]): Promise<string | undefined> {
    const again = await ask([]);
    return again && isAccepted(again) ? undefined : describe(changed);
  }

  /** The answer under these options; undefined where they can't hold together, or mean nothing. */
  async function ask(changed: readonly Option[]): Promise<Answer | undefined> {
    const settings = Object.fromEntries(changed.map(({ name, option }) => [name, option]));
    const other = tryProfile(settings, context);
    const means = (name: SettingName) => {
      const setting = SETTINGS.find((one) => one.name === name);
      return setting !== undefined && other !== undefined && applies(setting, other);
    };
    if (!other || !changed.every(({ name }) => means(name))) return undefined;
    return send(context.api.under(other), createRecordCodec(catalogue, other), other);
  }
}

function describe(options: readonly Option[]): string {
  return options.map(({ name, option }) => `${name} ${option}`).join(' with ');
}

/** A refusal without the values it quotes, which are others each time. */
function outlineOf(answer: Answer | undefined): string {
  return answer === undefined ? '' : `${answer.status} ${answer.body.replaceAll(/\d+/g, '0')}`;
}

/** Some settings contradict each other. */
function tryProfile(
  settings: Readonly<Record<string, unknown>>,
  { catalogue, profile }: CaseContext,
): Profile | undefined {
  try {
    return changeProfile(profile, settings, catalogue);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
