import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
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
  showOption,
  type UnknownSetting,
} from '../../spec/profile/profile.ts';
import type { Exchange } from '../target/exchange.ts';
import {
  type Findings,
  FORMS,
  hasOtherForm,
  type LearnedSetting,
  redactFinding,
  type Shown,
  unknown,
} from './observation.ts';

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
export function createProfileSoFar(catalogue: Catalogue, redact: (text: string) => string = (text) => text) {
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
      if (finding.kind === 'unknown' && !finding.otherForm && hasOtherForm(findings.get(setting))) continue;
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
      others.flatMap((vote) => (deviate(vote) ? [describe(vote, profile[setting], usual.length)] : [])),
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
    try {
      profile = changeProfile(profile, settings, catalogue);
      return undefined;
    } catch (error) {
      // The location means nothing here, because there is no file.
      if (error instanceof UsageError) return error.message.replace('profile:1: ', '');
      throw error;
    }
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
function byMajority(
  all: readonly Vote[],
  supposed: unknown,
): { usual: readonly Vote[]; others: readonly Vote[] } {
  // A vote of a field is more precise than one of its model.
  const ofFields = new Set(all.flatMap(({ place }) => (place.includes('.') ? modelIn(place) : [])));
  const own = all.filter(({ place }) => place.includes('.') || !ofFields.has(place));
  const clear = own.filter(({ alike }) => !alike);
  if (clear.length === 0) return { usual: [], others: [] };
  const option = mostCommon(
    clear.map((vote) => vote.option),
    supposed,
  ) as Vote['option'];
  const isUsual = (vote: Vote) => (vote.alike ?? [vote.option]).some((one) => isSameOption(one, option));
  return {
    usual: clear.filter(isUsual).map((vote) => ({ ...vote, option })),
    others: byModel(
      own,
      own.filter((vote) => !isUsual(vote)),
    ),
  };
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

function describe({ option, place, setting, shown }: Vote, usual: unknown, others: number): Deviation {
  const own = `${setting} ${showOption(option)}`;
  const what = FORMS.test(setting) && place.includes('.') ? `is ${shown} (${own})` : `uses ${own}`;
  const rest = `the ${others} ${others === 1 ? 'other uses' : 'others use'} ${showOption(usual)}`;
  return { place, setting, usual, text: `${place} ${what}; ${rest}` };
}

function modelIn(place: string): string {
  return place.split('.')[0] ?? '';
}

/** Returns a profile in which the settings without a result are unknown, with a value that is taken or fits. */
export function supposedProfile(
  profile: Profile,
  findings: ReadonlyMap<SettingName, LearnedSetting>,
): Profile {
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
