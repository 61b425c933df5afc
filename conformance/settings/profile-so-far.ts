import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import {
  applies,
  changeProfile,
  DEFAULT_PROFILE,
  type Deviation,
  isSettingName,
  type Profile,
  profileAt,
  SETTINGS,
  type Setting,
  type SettingName,
  type UnknownSetting,
  under,
} from '../../spec/profile/profile.ts';
import { nameOption } from '../assert/ending.ts';
import type { Exchange } from '../target/exchange.ts';
import {
  type Finding,
  type Findings,
  hasOtherForm,
  redactFinding,
  type SettingAnswer,
  unknown,
} from './finding.ts';

/** The findings so far. At any time they make a valid profile. */
export type ProfileSoFar = {
  profile(): Profile;
  /** The same, in which the settings are unknown that a probe asked for without a result. */
  supposed(): Profile;
  isFound(setting: SettingName): boolean;
  /** Whether a probe asked for the setting, without a result. */
  isUnknown(setting: SettingName): boolean;
  /** Whether some place of the service shows the setting. */
  isSeen(setting: SettingName): boolean;
  /** Takes the findings about these settings and ignores others. */
  note(settings: readonly SettingName[], findings: Findings): void;
  /**
   * Takes what places of the service show. Returns whether one of them uses another option than the profile so far, in a
   * setting on which other requests to the model depend.
   */
  see(votes: readonly Vote[]): boolean;
  /**
   * Gives each setting the option of the most places. Returns the others, which the profile names as exceptions. The
   * evidence is that of the first model.
   */
  decide(models: readonly Model[]): readonly Deviation[];
  /** Sets the reason why settings are unknown, unless they have a finding. */
  suppose(settings: readonly SettingName[], reason: string): void;
  /** Every setting, in the order of `profile.default.yaml`. */
  all(): ReadonlyMap<SettingName, Finding>;
};

/** The option that a model or field uses. */
export type Vote = {
  readonly setting: SettingName;
  readonly place: string;
  readonly option: SettingAnswer;
  /** The options that look the same at the place. */
  readonly alike?: readonly SettingAnswer[] | undefined;
  readonly shown: string;
  readonly evidence: Exchange;
};

const NO_FILE = 'the service';

/** The settings on which other requests depend. */
const BASIC = /^(types\..*|response\.records?|request\.encoding|list\.paging)$/;

/** `redact` removes credentials from each finding. */
export function createProfileSoFar(
  catalogue: Catalogue,
  redact: (text: string) => string = (text) => text,
): ProfileSoFar {
  const findings = new Map<SettingName, Finding>();
  const votes = new Map<string, Vote>();
  let profile = DEFAULT_PROFILE;
  const isFound = (setting: SettingName) => findings.get(setting)?.kind === 'found';
  const isUnknown = (setting: SettingName) => findings.get(setting)?.kind === 'unknown';
  return {
    profile: () => profile,
    supposed: () => supposedProfile(profile, findings),
    isFound,
    isUnknown,
    isSeen: (setting) => [...votes.values()].some((vote) => vote.setting === setting),
    note,
    see,
    decide,
    suppose,
    all,
  };

  function note(settings: readonly SettingName[], news: Findings): void {
    const found: Record<string, unknown> = {};
    for (const setting of settings) {
      const seen = news[setting];
      if (!seen) continue;
      const finding = redactFinding(seen, redact);
      // A finding from records still holds after a failed attempt.
      if (finding.kind === 'unknown' && !hasOtherForm(finding) && hasOtherForm(findings.get(setting)))
        continue;
      findings.set(setting, finding);
      if (finding.kind === 'found') found[setting] = finding.value;
      if (finding.kind === 'unknown' && finding.otherForm?.taken !== undefined)
        found[setting] = finding.otherForm.taken;
    }
    if (accept({ ...makeRoom(found), ...found }) === undefined) return;
    // The findings contradict each other together. Setting them one by one shows which one does.
    for (const [setting, value] of Object.entries(found)) {
      const problem = accept({ [setting]: value });
      if (problem !== undefined && isSettingName(setting))
        findings.set(setting, unknown(`a profile can't express the observation: ${problem}`));
    }
  }

  function see(news: readonly Vote[]): boolean {
    let isOther = false;
    for (const vote of news) {
      const { option, place, setting } = vote;
      votes.set(`${setting} ${place}`, vote);
      if (!BASIC.test(setting) || isSame(profileAt(profile, place)[setting], option)) continue;
      const { except } = profile;
      isOther =
        accept({ except: { ...except, [place]: { ...except[place], [setting]: option } } }) === undefined ||
        isOther;
    }
    return isOther;
  }

  function decide(models: readonly Model[]): readonly Deviation[] {
    const rank = new Map(models.map(({ name }, index) => [name, index]));
    const rankOf = ({ place }: Vote) => rank.get(modelIn(place)) ?? 0;
    const ordered = [...votes.values()].sort((one, other) => rankOf(one) - rankOf(other));
    const decided = [...Map.groupBy(ordered, ({ setting }) => setting)].map(([setting, all]) => ({
      setting,
      ...byMajority(all, profileAt(profile, '')[setting]),
    }));
    accept({ except: {} });
    for (const isGoverned of [false, true])
      for (const { setting, usual } of decided) {
        const [first] = usual;
        const declared = SETTINGS.find(({ name }) => name === setting);
        if (!first || !declared || declared.when.length > 0 !== isGoverned || !applies(declared, profile))
          continue;
        // The first evidence is that of an easy model.
        if (isFound(setting) && isSame(profile[setting], first.option)) continue;
        note([setting], { [setting]: { kind: 'found', value: first.option, evidence: first.evidence } });
      }
    return decided.flatMap(({ others, setting, usual }) =>
      others.flatMap((vote) => (deviate(vote) ? [describe(vote, profile[setting], usual.length)] : [])),
    );
  }

  /** Adds an exception to the profile. Returns false if it has no effect, or contradicts other settings. */
  function deviate({ option, place, setting }: Vote): boolean {
    const { except } = profile;
    const before = profile;
    if (redact(JSON.stringify(option)) !== JSON.stringify(option)) return false;
    if (accept({ except: { ...except, [place]: { ...except[place], [setting]: option } } }) !== undefined)
      return false;
    const declared = SETTINGS.find(({ name }) => name === setting);
    if (declared && applies(declared, profileAt(profile, place))) return true;
    profile = before;
    return false;
  }

  function accept(settings: Readonly<Record<string, unknown>>): string | undefined {
    try {
      profile = changeProfile(profile, settings, catalogue, NO_FILE);
      return undefined;
    } catch (error) {
      // The location means nothing here, because there is no file.
      if (error instanceof UsageError) return error.message.replace(`${NO_FILE}:1: `, '');
      throw error;
    }
  }

  /**
   * Adjusts the default size or the maximum size to the other while it isn't known, because a default size can't exceed
   * the maximum.
   */
  function makeRoom(found: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const isOpen = (setting: SettingName) => !(setting in found) && !isFound(setting);
    const [size, most] = [found['list.defaultSize'], found['list.maxSize']].map(Number);
    if (isOpen('list.maxSize') && Number(size) > profile['list.maxSize']) return { 'list.maxSize': size };
    if (isOpen('list.defaultSize') && Number(most) < profile['list.defaultSize'])
      return { 'list.defaultSize': most };
    return {};
  }

  function suppose(settings: readonly SettingName[], reason: string): void {
    for (const setting of settings)
      if (!findings.has(setting)) findings.set(setting, unknown(redact(reason)));
  }

  function all(): ReadonlyMap<SettingName, Finding> {
    return new Map(SETTINGS.map((setting) => [setting.name, judge(setting)]));
  }

  function judge(setting: Setting): Finding {
    const known = findings.get(setting.name);
    const governing = setting.when.map(([other]) => other);
    const open = governing.find((other) => !isFound(other));
    if (open !== undefined && known?.kind !== 'found') return unknown(`${open} is unknown`);
    if (applies(setting, profile)) return known ?? unknown('no response showed it');
    return {
      kind: 'does-not-apply',
      because: governing.map((other) => `${other} is ${profile[other]}`).join(', '),
    };
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
  const byOption = Map.groupBy(
    own.filter(({ alike }) => !alike),
    ({ option }) => JSON.stringify(option),
  );
  const isSupposed = ({ option }: Vote) => isSame(option, supposed);
  const [usual = []] = [...byOption.values()].sort(
    (one, other) =>
      other.length - one.length || Number(other.some(isSupposed)) - Number(one.some(isSupposed)),
  );
  const [first] = usual;
  const others = own.filter((vote) => first && !usual.includes(vote) && !vote.alike?.includes(first.option));
  return { usual, others };
}

function describe({ option, place, setting, shown }: Vote, usual: unknown, others: number): Deviation {
  const own = `${setting} ${nameOption(option)}`;
  const what = place.includes('.') ? `is ${shown} (${own})` : `uses ${own}`;
  const rest = `the ${others} ${others === 1 ? 'other uses' : 'others use'} ${nameOption(usual)}`;
  return { place, setting, usual, text: `${place} ${what}; ${rest}` };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function modelIn(place: string): string {
  return place.split('.')[0] ?? '';
}

/** Returns a profile in which the settings without a result are unknown, with a value that is taken or fits. */
export function supposedProfile(profile: Profile, findings: ReadonlyMap<SettingName, Finding>): Profile {
  const unknown: { [Name in SettingName]?: UnknownSetting } = {};
  let spoken = profile;
  for (const [name, finding] of findings) {
    if (finding.kind !== 'unknown') continue;
    const { otherForm, reason } = finding;
    // An undecided form fits each option; another setting fits only if its value differs from the default.
    const isUndecided = name.startsWith('types.') || profile[name] !== DEFAULT_PROFILE[name];
    const isTaken = otherForm?.taken !== undefined;
    unknown[name] = {
      why: `could not be learned (${reason})`,
      fits: otherForm === undefined && isUndecided,
      ...(isTaken ? { isTaken } : {}),
    };
    if (otherForm?.taken !== undefined) spoken = under(spoken, name, otherForm.taken);
  }
  return { ...spoken, unknown };
}
