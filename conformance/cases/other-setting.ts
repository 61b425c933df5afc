import type { Model } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import {
  applies,
  changeProfile,
  type Profile,
  profileAt,
  SETTINGS,
  type SettingName,
  typeSetting,
} from '../../spec/profile/profile.ts';
import { createRecordCodec, type RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import { findRecord } from '../api/places.ts';
import { nameOption } from '../assert/failure.ts';
import type { CaseContext, Question } from './rule.ts';

/** An option that a model or field uses, and not the profile. */
export type OtherOption = { readonly place: string; readonly name: SettingName; readonly option: unknown };

/** Sends one request as it looks under some profile. */
type Send = (profile: Profile) => Promise<Answer>;

/**
 * Finds the options under which a refused list is accepted; undefined if changing one setting, or two, does not help.
 */
export const settingForList: Question<readonly OtherOption[] | undefined> = {
  name: 'setting for a list',
  ask: (context) =>
    findOptions(context, serviceOptions(context, ['version.in', 'version.name']), (profile) =>
      context.api.under(profile).list(context.model.name),
    ),
};

/** Does the same for a refused create of all writable fields. */
export const settingForCreate: Question<readonly OtherOption[] | undefined> = {
  name: 'setting for a create',
  ask: (context) => findForCreate(context, context.samples.values('all')),
};

/** Does the same for a refused create of the required fields. */
export const settingForMinimal: Question<readonly OtherOption[] | undefined> = {
  name: 'setting for a create of the required fields',
  ask: (context) => findForCreate(context, context.samples.values('required')),
};

/** Finds the options that keep a run from creating records of the model. */
export const otherOptions: Question<readonly OtherOption[] | undefined> = {
  name: 'other options',
  async ask(context) {
    const { api, ask, model, readOnly, records, samples } = context;
    if (readOnly || !model.operations.includes('create')) return undefined;
    const answer = await records.create(samples.values('required'));
    if (!isAccepted(answer)) return isRefused(answer) ? ask(settingForMinimal) : undefined;
    const option = api.recordIn(answer) ? undefined : findRecord(model, answer.json)?.pointer;
    if (option === undefined) return ask(settingForCreate);
    return [{ place: model.name, name: 'response.record', option }];
  },
};

export function describeOptions(options: readonly OtherOption[]): string {
  return options
    .map(({ name, option, place }) => `${name} ${nameOption(option)} for ${place}`)
    .join(' with ');
}

/** Sends the same values each time, since others may be refused as well. */
function findForCreate(
  context: CaseContext,
  values: RecordValues,
): Promise<readonly OtherOption[] | undefined> {
  const { api, catalogue, model, records } = context;
  return findOptions(context, optionsForCreate(context, model), async (profile) => {
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
}

/** The options that a create depends on: the encoding, the version, and the forms of all fields of a type, or of one. */
function optionsForCreate(context: CaseContext, model: Model): OtherOption[] {
  const lines = model.fields.flatMap(
    (field) => context.catalogue.models.get(field.lines ?? '')?.fields ?? [],
  );
  const writable = [...model.fields, ...lines].filter((field) => !field.readonly);
  const byType = Map.groupBy(writable, typeSetting);
  return [
    ...serviceOptions(context, ['request.encoding', 'version.in', 'version.name']),
    ...[...byType].flatMap(([name, fields]) => {
      if (name === undefined) return [];
      const single = fields.length > 1 ? fields.map(({ key }) => key) : [];
      const places = fields.length > 1 ? [model.name] : fields.map(({ key }) => key);
      return [...places, ...single].flatMap((place) => otherVariants(context, name, place));
    }),
  ];
}

function serviceOptions(context: CaseContext, names: readonly SettingName[]): OtherOption[] {
  return names.flatMap((name) => otherVariants(context, name, context.model.name));
}

function otherVariants({ profile }: CaseContext, name: SettingName, place: string): OtherOption[] {
  const variants = SETTINGS.find((setting) => setting.name === name)?.variants ?? [];
  const own = profileAt(profile, place)[name];
  return variants.filter((option) => option !== own).map((option) => ({ place, name, option }));
}

/** Pairs that are tried where no single option helps. */
const MOST_PAIRS = 40;

/**
 * Tries each option, then pairs with one that at least made a difference to the refusal. If the request is accepted
 * under the profile itself, before or after, it was refused for another reason.
 */
async function findOptions(
  context: CaseContext,
  options: readonly OtherOption[],
  send: Send,
): Promise<readonly OtherOption[] | undefined> {
  const plain = await ask([]);
  if (plain && isAccepted(plain)) return undefined;
  const refusal = outlineOf(plain);
  const telling = new Set<OtherOption>();
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

  async function confirm(changed: readonly OtherOption[]): Promise<readonly OtherOption[] | undefined> {
    const again = await ask([]);
    return again && isAccepted(again) ? undefined : changed;
  }

  /** Returns undefined if the options can't hold together, or have no effect. */
  async function ask(changed: readonly OtherOption[]): Promise<Answer | undefined> {
    const profile = withOptions(context, changed);
    return profile && send(profile);
  }
}

function withOptions(
  { catalogue, model, profile }: CaseContext,
  options: readonly OtherOption[],
): Profile | undefined {
  const whole = profileAt(profile, '');
  const except: Record<string, Readonly<Record<string, unknown>>> = { ...whole.except };
  const settings: Record<string, unknown> = {};
  for (const { name, option, place } of options)
    if (name.startsWith('version.')) settings[name] = option;
    else except[place] = { ...except[place], [name]: option };
  try {
    const changed = changeProfile(whole, { ...settings, except }, catalogue);
    const own = profileAt(changed, model.name);
    const hasEffect = SETTINGS.filter((setting) => options.some(({ name }) => name === setting.name)).every(
      (setting) => applies(setting, own),
    );
    return hasEffect ? changed : undefined;
  } catch (error) {
    // Some settings contradict each other.
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** A refusal without the values it quotes, which are others each time. */
function outlineOf(answer: Answer | undefined): string {
  return answer === undefined ? '' : `${answer.status} ${answer.body.replaceAll(/\d+/g, '0')}`;
}
