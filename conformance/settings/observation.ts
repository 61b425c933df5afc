import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { attempt } from '../../spec/files/usage-error.ts';
import { parseJson } from '../../spec/parse-json.ts';
import {
  changeProfile,
  DEFAULT_PROFILE,
  type Deviation,
  fillSizes,
  isPages,
  isSameOption,
  type Profile,
  profileAt,
  SETTINGS,
  type SettingName,
  scopeOf,
  showOption,
  type UnknownSetting,
} from '../../spec/profile/profile.ts';
import { type ApiResponse, isAccepted } from '../api/answer.ts';
import { show } from '../assert/agreement.ts';
import { blocked, failure, isEnded, skip, speaksAnother } from '../assert/ending.ts';
import { statusOf } from '../cases/assert.ts';
import type { Assumption, CaseContext } from '../cases/rule.ts';
import { oneLine } from '../results/text.ts';
import { type Exchange, Interrupted, isUnanswered } from '../target/exchange.ts';

/** The option that a model or field uses, with a text about it. */
type Shown = {
  readonly option: SettingAnswer;
  readonly shown: string;
  readonly exchange?: Exchange | undefined;
  /** The options that look the same here, with this one. */
  readonly alike?: readonly SettingAnswer[];
};

/** The option, or the reason why the place shows none. */
export type Observed = Shown | { readonly none: string };

/** How a model or field shows an option. `learn` compares the models of a service, and `check` compares one with the profile. */
export type Observation = Pick<
  Assumption,
  'afterAll' | 'cases' | 'needs' | 'requirement' | 'setting' | 'title'
> & {
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
export function placesOf({ applies, fields, needs }: Observation, model: Model, plan: Contract) {
  if (!needs.every((operation) => model.operations.includes(operation))) return [];
  if (applies && !applies(plan, model)) return [];
  return fields ? model.fields.filter((field) => fields(field, plan)) : [undefined];
}

/** Returns what a place shows. A place whose requests fail, or are interrupted, shows nothing. */
export async function observeAt({ observe }: Observation, context: CaseContext, field: Field | undefined) {
  try {
    return await observe(context, field as Field);
  } catch (error) {
    if (isEnded(error) || isUnanswered(error) || error instanceof Interrupted) return { none: error.message };
    throw error;
  }
}

/**
 * Returns the rule that compares each place with the profile. It throws `failure` for another option, and for a deviation in
 * a form that the profile does not accept.
 */
export function ruleOf(observation: Observation): Assumption {
  const { applies: _, fields: __, observe, ...rule } = observation;
  const { setting } = rule;
  return {
    cases: (model, plan) => placesOf(observation, model, plan).map((field) => (field ? { field } : {})),
    ...rule,
    async judge(context, { field }) {
      const { model, profile: whole } = context;
      const found = await observe(context, field as Field);
      if ('none' in found) throw skip(found.none);
      const place = field && scopeOf(setting) === 'field' ? field.key : model.name;
      const profile = profileAt(whole, place);
      const deviation = whole.learned?.find((one) => one.place === place && one.setting === setting);
      if ((found.alike ?? [found.option]).some((option) => isSameOption(option, profile[setting]))) {
        if (!deviation || !FAILING_ALONE.test(setting)) return;
        throw failure(deviation.text, showOption(deviation.usual), found.shown, found.exchange);
      }
      if (isSameOption(found.option, profileAt(whole, '')[setting])) {
        const message = deviation?.text ?? `${place} is as everywhere else now; remove it from except`;
        throw failure(message, showOption(profile[setting]), found.shown, found.exchange);
      }
      throw speaksAnother(setting, profile, `${showOption(found.option)} (${found.shown})`, found.exchange);
    },
  };
}

/** The settings whose deviation in a model or field fails without a profile file: no reason explains it. */
const FAILING_ALONE = /^(types\..*|response\.unset)$/;

export type SettingAnswer = Profile[SettingName];

/** The result of learning one setting of a service. */
export type LearnedSetting =
  | {
      readonly kind: 'found';
      readonly value: SettingAnswer;
      readonly evidence: Exchange;
      readonly otherForm?: never;
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

export function unknown(reason: string, fit?: SettingAnswer, isOtherForm = false) {
  const other = isOtherForm ? { otherForm: true as const } : {};
  return { kind: 'unknown' as const, reason, ...(fit === undefined ? {} : { fit }), ...other };
}

/**
 * Tries items one after the other until an attempt returns true. Returns the reason of the last attempt that was blocked.
 */
export async function tryEach<T>(items: Iterable<T>, attempt: (item: T) => Promise<unknown>) {
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

/** Returns an exchange in a few words: `GET /api/model/brand?limit=2 returned 200`. */
export function exchangeLine({ request, response }: Exchange): string {
  const url = URL.parse(request.url);
  const path = url ? url.pathname + url.search : request.url;
  return `${request.method} ${oneLine(path, 100)} returned ${response.status}`;
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
function redactFinding(finding: LearnedSetting, redact: (text: string) => string): LearnedSetting {
  if (finding.kind === 'unknown') return { ...finding, reason: redact(finding.reason) };
  const text = JSON.stringify(finding.value);
  return redact(text) === text ? finding : unknown('the evidence contains part of the credentials');
}

/** The option that a model or field uses. */
export type Vote = Omit<Shown, 'exchange'> & {
  readonly setting: SettingName;
  readonly place: string;
  readonly evidence: Exchange;
};

/** The settings on which other requests depend. */
const BASIC = /^(types\..*|response\.records?|request\.encoding|list\.paging)$/;

/** The findings so far. At any time they make a valid profile. */
export type ProfileSoFar = ReturnType<typeof createProfileSoFar>;

/** `redact` removes credentials from each finding. */
export function createProfileSoFar(catalogue: Catalogue, redact: (text: string) => string) {
  const findings = new Map<SettingName, LearnedSetting>();
  const votes = new Map<string, Vote>();
  let profile = DEFAULT_PROFILE;
  const isFound = (setting: SettingName) => findings.get(setting)?.kind === 'found';
  return {
    profile: () => profile,
    /** The same, in which the settings are unknown that a probe asked for without a result. */
    supposed: () => supposedProfile(profile, findings),
    isFound,
    /** Whether the profile has an option that agrees with the service, although others may, too. */
    knows(setting: SettingName): boolean {
      const finding = findings.get(setting);
      return finding?.kind === 'found' || finding?.fit !== undefined;
    },
    /** Whether a probe asked for the setting, without a result. */
    isUnknown: (setting: SettingName) => findings.get(setting)?.kind === 'unknown',
    /** Whether some place of the service shows the setting. */
    isSeen: (setting: SettingName) => [...votes.values()].some((vote) => vote.setting === setting),
    note,
    see,
    decide,
    suppose,
    all,
  };

  /** Takes the findings about these settings and ignores others. */
  function note(settings: readonly SettingName[], news: Findings): void {
    for (const setting of settings) {
      const seen = news[setting];
      if (!seen) continue;
      const finding = redactFinding(seen, redact);
      // A finding from records still holds after a failed attempt.
      if (finding.kind === 'unknown' && !finding.otherForm && findings.get(setting)?.otherForm) continue;
      const value = finding.kind === 'found' ? finding.value : finding.fit;
      const problem = value === undefined ? undefined : accept({ [setting]: value });
      const lost = unknown(`a profile can't express the observation: ${problem}`);
      findings.set(setting, problem === undefined ? finding : lost);
    }
  }

  /**
   * Takes what places of the service show. Returns whether one of them uses another option than the profile so far, in a
   * setting on which other requests to the model depend.
   */
  function see(news: readonly Vote[]): boolean {
    let isOther = false;
    for (const vote of news) {
      const { option, place, setting } = vote;
      votes.set(`${setting} ${place}`, vote);
      const known = profileAt(profile, place)[setting];
      // Other fields than the ID are asked only if the lists of the model can be filtered.
      const isOpened = setting === 'list.filter' && known === 'none';
      if (!(BASIC.test(setting) || isOpened) || isSameOption(option, known)) continue;
      if (deviate({ ...vote, place: isOpened ? modelIn(place) : place })) isOther = true;
    }
    return isOther;
  }

  /**
   * Gives each setting the option of the most places. Returns the others, which the profile names as exceptions. The
   * evidence is that of the first model.
   */
  function decide(models: readonly Model[]): readonly Deviation[] {
    const names = models.map(({ name }) => name);
    const rankOf = ({ place }: Vote) => names.indexOf(modelIn(place));
    const ordered = [...votes.values()].sort((one, other) => rankOf(one) - rankOf(other));
    const decided = [...Map.groupBy(ordered, ({ setting }) => setting)].map(([setting, all]) => ({
      setting,
      ...byMajority(all, profileAt(profile, '')[setting]),
    }));
    accept({ except: {} });
    for (const { setting, usual } of decided) {
      const [first] = usual;
      // The first evidence is that of an easy model.
      if (!first || (isFound(setting) && isSameOption(first.option, profile[setting]))) continue;
      note([setting], { [setting]: { kind: 'found', value: first.option, evidence: first.evidence } });
    }
    return decided.flatMap(({ others, setting, usual }) =>
      others.flatMap((vote) => {
        // Each text can have its own limit, so another one is no deviation.
        const isNamed = deviate(vote) && setting !== 'limits.text';
        return isNamed ? [deviationOf(vote, profile[setting], usual.length)] : [];
      }),
    );
  }

  /** Adds an exception to the profile. Returns false if it contradicts other settings. */
  function deviate({ option, place, setting }: Vote): boolean {
    const { except } = profile;
    if (redact(JSON.stringify(option)) !== JSON.stringify(option)) return false;
    const own = { ...except[place], [setting]: fillSizes(option, profile[setting]) };
    return accept({ except: { ...except, [place]: own } }) === undefined;
  }

  function accept(settings: Readonly<Record<string, unknown>>): string | undefined {
    const change = () => {
      profile = changeProfile(profile, settings, catalogue);
      return undefined;
    };
    // The location means nothing here, because there is no file.
    return attempt(change, (message) => message.replace('profile:1: ', ''));
  }

  /** Sets the reason why settings are unknown, unless they have a finding. */
  function suppose(settings: readonly SettingName[], reason: string): void {
    for (const setting of settings)
      if (!findings.has(setting)) findings.set(setting, unknown(redact(reason)));
  }

  /** Every setting, in the order of `profile.default.yaml`. */
  function all(): ReadonlyMap<SettingName, LearnedSetting> {
    return new Map(
      SETTINGS.map(({ name }) => [name, findings.get(name) ?? unknown('no response showed it')]),
    );
  }
}

/** Returns the votes for the option of the most places, and the others. With equal numbers, the supposed option counts. */
function byMajority(all: readonly Vote[], supposed: unknown) {
  // A vote of a field is more precise than one of its model.
  const ofFields = new Set(all.flatMap(({ place }) => (place.includes('.') ? modelIn(place) : [])));
  const own = all.filter(({ place }) => place.includes('.') || !ofFields.has(place));
  const clear = own.filter(({ alike }) => !alike);
  if (clear.length === 0) return { usual: [], others: [] };
  const options = clear.map((vote) => vote.option);
  const option = mostCommon(options, supposed) as Vote['option'];
  const isUsual = (vote: Vote) => (vote.alike ?? [vote.option]).some((one) => isSameOption(one, option));
  const others = own.filter((vote) => !isUsual(vote));
  return { usual: clear.filter(isUsual).map((vote) => ({ ...vote, option })), others: byModel(own, others) };
}

/** Returns one vote for each model whose fields all have the same other option of a setting about the whole list. */
function byModel(all: readonly Vote[], others: readonly Vote[]): readonly Vote[] {
  return [...Map.groupBy(others, ({ place }) => modelIn(place))].flatMap(([model, votes]) => {
    const [first] = votes;
    const isAll = votes.length === all.filter(({ place }) => modelIn(place) === model).length;
    const isSame = votes.every(({ option }) => isSameOption(option, first?.option));
    return first?.setting.startsWith('list.') && isAll && isSame ? [{ ...first, place: model }] : votes;
  });
}

/** Returns the most common option. Each size of a page counts by itself, because few lists show it. */
function mostCommon(options: readonly unknown[], supposed: unknown): unknown {
  const bare = (option: unknown) =>
    JSON.stringify(isPages(option) ? { ...option, default: 'unknown', max: 'unknown' } : option);
  const [usual = []] = [...Map.groupBy(options, bare).values()].sort(
    (one, other) =>
      other.length - one.length ||
      Number(bare(other[0]) === bare(supposed)) - Number(bare(one[0]) === bare(supposed)),
  );
  const [option] = usual;
  if (!isPages(option)) return option;
  const size = (part: 'default' | 'max') =>
    mostCommon(
      usual.filter(isPages).flatMap((pages) => (pages[part] === 'unknown' ? [] : [pages[part]])),
      isPages(supposed) ? supposed[part] : undefined,
    ) ?? 'unknown';
  return { ...option, default: size('default'), max: size('max') };
}

function deviationOf({ option, place, setting, shown }: Vote, usual: unknown, others: number): Deviation {
  const own = `${setting} ${showOption(option)}`;
  const what = FAILING_ALONE.test(setting) && place.includes('.') ? `is ${shown} (${own})` : `uses ${own}`;
  const rest = `the ${others} ${others === 1 ? 'other uses' : 'others use'} ${showOption(usual)}`;
  return { place, setting, usual, text: `${place} ${what}; ${rest}` };
}

function modelIn(place: string): string {
  return place.split('.')[0] ?? '';
}

/** Returns a profile in which the settings without a result are unknown, with a value that is taken or fits. */
export function supposedProfile(profile: Profile, findings: ReadonlyMap<SettingName, LearnedSetting>) {
  const unknown: { [Name in SettingName]?: UnknownSetting } = {};
  for (const [name, finding] of findings) {
    if (finding.kind !== 'unknown') continue;
    const { fit, otherForm = false, reason } = finding;
    // An undecided form fits each option; another setting fits only if its value differs from the default.
    const isUndecided =
      fit !== undefined || name.startsWith('types.') || !isSameOption(profile[name], DEFAULT_PROFILE[name]);
    unknown[name] = {
      why: `could not be learned (${reason})`,
      fits: !otherForm && isUndecided,
      ...(otherForm && fit !== undefined ? { isTaken: true } : {}),
    };
  }
  return { ...profile, unknown };
}
