import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import {
  applies,
  changeProfile,
  DEFAULT_PROFILE,
  isSettingName,
  type Profile,
  SETTINGS,
  type Setting,
  type SettingName,
} from '../../spec/profile/profile.ts';
import { type Finding, type Findings, hasOtherForm, redactFinding, unknown } from './finding.ts';

/** The findings so far. At any time they make a valid profile. */
export type ProfileSoFar = {
  profile(): Profile;
  isFound(setting: SettingName): boolean;
  /** Whether a probe asked for the setting, without a result. */
  isUnknown(setting: SettingName): boolean;
  /** Takes the findings about these settings and ignores others. */
  note(settings: readonly SettingName[], findings: Findings): void;
  /** Sets the reason why settings are unknown, unless they have a finding. */
  suppose(settings: readonly SettingName[], reason: string): void;
  /** Every setting, in the order of `profile.default.yaml`. */
  settle(): ReadonlyMap<SettingName, Finding>;
};

const NO_FILE = 'the service';

/** `redact` removes credentials from each finding. */
export function createProfileSoFar(
  catalogue: Catalogue,
  redact: (text: string) => string = (text) => text,
): ProfileSoFar {
  const findings = new Map<SettingName, Finding>();
  let profile = DEFAULT_PROFILE;
  const isFound = (setting: SettingName) => findings.get(setting)?.kind === 'found';
  const isUnknown = (setting: SettingName) => findings.get(setting)?.kind === 'unknown';
  return { profile: () => profile, isFound, isUnknown, note, suppose, settle };

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
    for (const setting of settings) if (!findings.has(setting)) findings.set(setting, unknown(reason));
  }

  function settle(): ReadonlyMap<SettingName, Finding> {
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
