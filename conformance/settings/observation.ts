import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { parseJson } from '../../spec/parse-json.ts';
import {
  isSameOption,
  type Profile,
  profileAt,
  type SettingName,
  scopeOf,
  showOption,
} from '../../spec/profile/profile.ts';
import { type ApiResponse, isAccepted } from '../api/answer.ts';
import { show } from '../assert/agreement.ts';
import { blocked, failure, isEnded, skip, speaksAnother } from '../assert/ending.ts';
import { statusOf } from '../cases/assert.ts';
import type { Assumption, CaseContext } from '../cases/rule.ts';
import { oneLine } from '../results/text.ts';
import { type Exchange, Interrupted, isUnanswered } from '../target/exchange.ts';

/** The option that a model or field uses, with a text about it. */
export type Shown = {
  readonly option: SettingAnswer;
  readonly shown: string;
  readonly exchange?: Exchange | undefined;
  /** The options that look the same here, with this one. */
  readonly alike?: readonly SettingAnswer[];
};

/** The option, or the reason why the place shows none. */
export type Observed = Shown | { readonly none: string };

/** How a model or field shows an option. `learn` compares the models of a service, and `check` compares one with the profile. */
export type Observation = Pick<Assumption, 'afterAll' | 'needs' | 'requirement' | 'setting' | 'title'> & {
  /** The fields that show the setting. If absent, the model shows it. */
  readonly fields?: (field: Field, plan: Contract) => boolean;
  /** Whether the model shows the setting under the other settings. */
  readonly applies?: (plan: Contract, model: Model) => boolean;
  /** Returns the option, or throws `blocked` or `skip` if the requests fail that it needs. */
  observe(context: CaseContext, field: Field): Promise<Observed>;
};

export function seen(option: SettingAnswer, answer: ApiResponse, shown = statusOf(answer)): Observed {
  return { option, shown, exchange: answer.exchange };
}

/** Returns that a response does not show a setting. A 5xx blocks the case, because the operation might fail again. */
export function notShown(setting: SettingName, answer: ApiResponse): Observed {
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

/** Returns what a place shows. A place whose requests fail, or are interrupted, shows nothing. */
export async function observeAt(
  { observe }: Observation,
  context: CaseContext,
  field: Field | undefined,
): Promise<Observed> {
  try {
    return await observe(context, field as Field);
  } catch (error) {
    if (isEnded(error) || isUnanswered(error) || error instanceof Interrupted) return { none: error.message };
    throw error;
  }
}

/** Returns the rule that compares each place with the profile. */
export function ruleOf(observation: Observation): Assumption {
  const { applies: _, fields: __, observe, ...rule } = observation;
  return {
    ...rule,
    cases: (model, plan) => placesOf(observation, model, plan).map((field) => (field ? { field } : {})),
    async judge(context, { field }) {
      const found = await observe(context, field as Field);
      if ('none' in found) throw skip(found.none);
      const isOfField = field && scopeOf(rule.setting) === 'field';
      expectOption(context.profile, rule.setting, isOfField ? field.key : context.model.name, found);
    },
  };
}

/** The settings whose forms a service shows itself, so that no reason explains a deviation. */
export const FORMS = /^(types\..*|response\.unset)$/;

/** Throws `failure` if a place uses another option than the profile, or deviates in a form that the profile does not accept. */
export function expectOption(whole: Profile, setting: SettingName, place: string, found: Shown): void {
  const profile = profileAt(whole, place);
  const deviation = whole.learned?.find((one) => one.place === place && one.setting === setting);
  if ((found.alike ?? [found.option]).some((option) => isSameOption(option, profile[setting]))) {
    if (!deviation || !FORMS.test(setting)) return;
    throw failure(deviation.text, showOption(deviation.usual), found.shown, found.exchange);
  }
  if (isSameOption(found.option, profileAt(whole, '')[setting])) {
    const message = deviation?.text ?? `${place} is as everywhere else now; remove it from except`;
    throw failure(message, showOption(profile[setting]), found.shown, found.exchange);
  }
  throw speaksAnother(setting, profile, `${showOption(found.option)} (${found.shown})`, found.exchange);
}

const LONGEST = 100;

export type SettingAnswer = Profile[SettingName];

/** The result of learning one setting of a service. */
export type LearnedSetting =
  | {
      readonly kind: 'found';
      readonly value: SettingAnswer;
      readonly evidence: Exchange;
    }
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      /** An option that agrees with the responses. Others might agree, too. */
      readonly fit?: SettingAnswer;
      /** The service uses a form that no option has. It also accepts the form of the option that fits. */
      readonly otherForm?: true;
    };

export type Findings = { readonly [Name in SettingName]?: LearnedSetting };

export function found(value: SettingAnswer, seen: ApiResponse): LearnedSetting {
  return { kind: 'found', value, evidence: seen.exchange };
}

export function unknown(reason: string, fit?: SettingAnswer) {
  return { kind: 'unknown' as const, reason, ...(fit === undefined ? {} : { fit }) };
}

/**
 * Tries items one after the other until an attempt returns true. Returns the reason of the last attempt that was blocked.
 */
export async function tryEach<T>(
  items: Iterable<T>,
  attempt: (item: T) => Promise<unknown>,
): Promise<string | undefined> {
  let reason: string | undefined;
  for (const item of items) {
    try {
      if ((await attempt(item)) === true) break;
    } catch (error) {
      if (!isEnded(error, 'blocked')) throw error;
      reason = error.message;
    }
  }
  return reason;
}

/** Returns a finding that the setting is unknown because the service uses a form that no option has. */
export function otherForm(reason: string, taken?: SettingAnswer): LearnedSetting {
  return { ...unknown(reason, taken), otherForm: true };
}

export function hasOtherForm(finding: LearnedSetting | undefined): boolean {
  return finding?.kind === 'unknown' && finding.otherForm === true;
}

/** Returns an exchange in a few words: `GET /api/model/brand?limit=2 returned 200`. */
export function exchangeLine({ request, response }: Exchange): string {
  const url = URL.parse(request.url);
  const path = url ? url.pathname + url.search : request.url;
  return `${request.method} ${oneLine(path, LONGEST)} returned ${response.status}`;
}

/**
 * Returns a response on one line: `POST /api/model/brand returned 422: …`. It quotes the exchange, which has no
 * credentials, because a truncated credential isn't recognized later.
 */
export function describe(seen: ApiResponse): string {
  const { body } = seen.exchange.response;
  const said = body.trim() === '' || isAccepted(seen) ? '' : `: ${show(parseJson(body) ?? body)}`;
  return `${seen.asked} returned ${seen.status}${said}`;
}

/** Returns a finding without credentials, because a service can repeat them anywhere. */
export function redactFinding(finding: LearnedSetting, redact: (text: string) => string): LearnedSetting {
  if (finding.kind === 'unknown') return { ...finding, reason: redact(finding.reason) };
  const text = JSON.stringify(finding.value);
  return redact(text) === text ? finding : unknown('the evidence contains part of the credentials');
}
