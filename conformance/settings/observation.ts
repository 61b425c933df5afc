import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import {
  isSameOption,
  type Profile,
  profileAt,
  type SettingName,
  scopeOf,
  showOption,
} from '../../spec/profile/profile.ts';
import type { Answer } from '../api/answer.ts';
import { blocked, failure, isEnded, skip, speaksAnother } from '../assert/ending.ts';
import { statusOf } from '../cases/assert.ts';
import type { Assumption, CaseContext, Rule } from '../cases/rule.ts';
import type { Exchange } from '../target/exchange.ts';
import type { SettingAnswer } from './finding.ts';

/** The option that a model or field uses, with a text about it, or the reason why it shows none. */
export type Seen =
  | {
      readonly option: SettingAnswer;
      readonly shown: string;
      readonly exchange?: Exchange | undefined;
      /** The options that look the same here, with this one. */
      readonly alike?: readonly SettingAnswer[];
    }
  | { readonly none: string };

/** How a model or field shows an option. `learn` compares the models of a service, and `check` compares one with the profile. */
export type Observation = {
  readonly name: SettingName;
  /** The title of the rule. */
  readonly title: string;
  /** The row of `spec/requirements.yaml`. */
  readonly requirement: string;
  readonly needs: Rule['needs'];
  /** The fields that show the setting. If absent, the model shows it. */
  readonly fields?: (field: Field, plan: Contract) => boolean;
  /** Whether the model shows the setting under the other settings. */
  readonly applies?: (plan: Contract, model: Model) => boolean;
  /** Returns the option, or throws `blocked` or `skip` if the requests fail that it needs. */
  observe(context: CaseContext, field: Field): Promise<Seen>;
};

export function seen(option: SettingAnswer, answer: Answer, shown = statusOf(answer)): Seen {
  return { option, shown, exchange: answer.exchange };
}

/** Returns that a response does not show a setting. A 5xx blocks the case, because the operation might fail again. */
export function notShown(setting: SettingName, answer: Answer): Seen {
  const reason = `${answer.asked} does not show ${setting}: ${statusOf(answer)}`;
  if (answer.status >= 500) throw blocked(reason, answer.exchange);
  return { none: reason };
}

/** Returns the places of a model that show a setting: its name, or its fields. */
export function placesOf(
  { applies, fields, needs }: Observation,
  model: Model,
  plan: Contract,
): readonly (Field | undefined)[] {
  if (!needs.every((operation) => model.operations.includes(operation))) return [];
  if (applies && !applies(plan, model)) return [];
  return fields ? model.fields.filter((field) => fields(field, plan)) : [undefined];
}

/** Returns what a place shows. A place whose requests fail shows nothing. */
export async function observeAt(
  { observe }: Observation,
  context: CaseContext,
  field: Field | undefined,
): Promise<Seen> {
  try {
    return await observe(context, field as Field);
  } catch (error) {
    if (isEnded(error)) return { none: error.message };
    throw error;
  }
}

/** Returns the rule that compares each place with the profile. */
export function ruleOf(observation: Observation): Assumption {
  const { name, needs, observe, requirement, title } = observation;
  return {
    title,
    requirement,
    setting: name,
    needs,
    cases: (model, plan) => placesOf(observation, model, plan).map((field) => (field ? { field } : {})),
    async judge(context, { field }) {
      const found = await observe(context, field as Field);
      if ('none' in found) throw skip(found.none);
      const isOfField = field && scopeOf(name) === 'field';
      expectOption(context.profile, name, isOfField ? field.key : context.model.name, found);
    },
  };
}

/** The settings whose forms a service shows itself, so that no reason explains a deviation. */
const FORMS = /^(types\..*|response\.unset)$/;

/** Throws `failure` if a place uses another option than the profile, or deviates in a form that the profile does not accept. */
export function expectOption(
  whole: Profile,
  setting: SettingName,
  place: string,
  found: Extract<Seen, { option: unknown }>,
): void {
  const profile = profileAt(whole, place);
  const deviation = whole.learned?.find((one) => one.place === place && one.setting === setting);
  const isUsed = (at: Profile) =>
    [found.option, ...(found.alike ?? [])].some((option) => isSameOption(option, at[setting]));
  if (isUsed(profile)) {
    if (deviation && FORMS.test(setting))
      throw failure(deviation.text, showOption(deviation.usual), found.shown, found.exchange);
    return;
  }
  if (isSameOption(found.option, profileAt(whole, '')[setting]))
    throw failure(
      `${place} is as everywhere else now; remove it from except`,
      showOption(profile[setting]),
      found.shown,
      found.exchange,
    );
  throw speaksAnother(setting, profile, `${showOption(found.option)} (${found.shown})`, found.exchange);
}
