import { isDeepStrictEqual } from 'node:util';
import type { Learned } from '../../conformance/learn/learn.ts';
import type { Finding } from '../../conformance/settings/finding.ts';
import {
  applies,
  headerIn,
  type Profile,
  SETTINGS,
  type SettingName,
  workingValues,
} from '../../spec/profile/profile.ts';

/** The settings that a service does not show, with the reasons. */
export type Hidden = {
  readonly settings: readonly SettingName[];
  readonly when: (profile: Profile) => boolean;
  readonly why: string;
};

const MOST_DEMO_RECORDS = 37;

/** Of any service. */
export const HIDDEN: readonly Hidden[] = [
  { settings: ['limits.rate'], when: () => true, why: 'no header says it, and no burst of requests is sent' },
  {
    settings: ['delete.answer'],
    when: (profile) => [204, 205].includes(profile['status.deleted']),
    why: 'a 204 or 205 has no body, whatever the setting says',
  },
  {
    settings: ['values'],
    when: (profile) => profile['errors.form'] === 'empty' && Object.keys(profile.values).length > 0,
    why: 'a refusal without a body does not name the values, and those that records show may be a few of them',
  },
];

const NO_PARTS: Hidden = {
  settings: ['list.paging'],
  when: (profile) => profile['list.paging'] === 'none',
  why: 'only a list of more than a hundred records shows that there are no parts',
};

/** Of a service with the demo records. */
export const HIDDEN_BY_DEMO: readonly Hidden[] = [
  NO_PARTS,
  ...(['list.defaultSize', 'list.maxSize'] as const).map((name) => ({
    settings: [name],
    when: (profile: Profile) => profile[name] >= MOST_DEMO_RECORDS,
    why: 'no list of the demo records is longer',
  })),
];

/** Of a service without records. */
export const HIDDEN_BY_EMPTINESS: readonly Hidden[] = [
  NO_PARTS,
  {
    settings: ['list.defaultSize', 'list.maxSize'],
    when: () => true,
    why: 'the lists are shorter, and records are not made by the dozen',
  },
];

/** The settings that a service with the profile shows. */
export function observableSettings(profile: Profile, hidden: readonly Hidden[]): SettingName[] {
  return SETTINGS.filter((setting) => applies(setting, profile))
    .map(({ name }) => name)
    .filter((name) => !hidden.some(({ settings, when }) => settings.includes(name) && when(profile)));
}

/** Those of them whose finding is another than the profile's, each in a line. */
export function differences(
  learned: Learned,
  profile: Profile,
  hidden: readonly Hidden[],
  wrote = true,
): string[] {
  return observableSettings(profile, hidden).flatMap((name) => {
    const finding = learned.settings.get(name);
    // Only writing shows some settings and value lists.
    return (!wrote && finding?.kind === 'unknown') || isRight(name, finding, profile, wrote)
      ? []
      : [`${name} is ${JSON.stringify(profile[name])}; learned ${show(finding)}`];
  });
}

function isRight(name: SettingName, finding: Finding | undefined, profile: Profile, wrote: boolean): boolean {
  if (finding?.kind !== 'found') return false;
  const [known, learned] = [profile[name], finding.value];
  if (name === 'values') return hasLists(learned, profile, wrote);
  // Case means nothing in the name of a header.
  if (headerIn(String(known)) !== undefined)
    return String(known).toLowerCase() === String(learned).toLowerCase();
  return isDeepStrictEqual(known, learned);
}

/**
 * The order of a list means nothing. The models of fkModel show only where a list refuses to be filtered by another.
 */
function hasLists(learned: unknown, profile: Profile, wrote: boolean): boolean {
  const found = new Map<string, readonly unknown[]>(Object.entries(learned ?? {}));
  return Object.keys(profile.values).every((key) => {
    const shown = found.get(key);
    if (!shown) return !wrote || key === 'fkModel';
    const list = workingValues(profile.values, key) ?? [];
    return shown.every((value) => list.includes(value as string)) && shown.length === list.length;
  });
}

function show(finding: Finding | undefined): string {
  if (finding?.kind === 'found') return JSON.stringify(finding.value);
  return finding?.kind === 'unknown' ? `unknown: ${finding.reason}` : 'that it does not apply';
}
