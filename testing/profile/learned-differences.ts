import { isDeepStrictEqual } from 'node:util';
import type { Learned } from '../../conformance/learn/learn.ts';
import type { LearnedSetting } from '../../conformance/settings/observation.ts';
import {
  headerIn,
  isPages,
  type Profile,
  pagesOf,
  SETTINGS,
  type SettingName,
  workingValues,
} from '../../spec/profile/profile.ts';

/** The settings that a service does not show, with the reasons. */
export type Hidden = {
  readonly settings: readonly (SettingName | 'default' | 'max')[];
  readonly when: (profile: Profile) => boolean;
  readonly why: string;
};

const MOST_DEMO_RECORDS = 37;

/** Of any service. */
export const HIDDEN: readonly Hidden[] = [
  {
    settings: ['request.null'],
    why: 'a form has no null, and a whole update clears omitted fields, too',
    when: (profile) => profile['request.encoding'] === 'form' || profile['request.update'] === 'full',
  },
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
  ...(['default', 'max'] as const).map((part) => ({
    settings: [part],
    when: (profile: Profile) => (pagesOf(profile)?.[part] ?? MOST_DEMO_RECORDS) >= MOST_DEMO_RECORDS,
    why: 'no list of the demo records is longer',
  })),
];

/** Of a service without records. */
export const HIDDEN_BY_EMPTINESS: readonly Hidden[] = [
  NO_PARTS,
  {
    settings: ['default', 'max'],
    when: () => true,
    why: 'the lists are shorter, and records are not made by the dozen',
  },
  {
    settings: ['types.fkModel'],
    when: () => true,
    why: 'every such field is readonly, and no record has one',
  },
];

/** The settings, and the sizes of a page, that a service with the profile does not show. */
function hiddenParts(profile: Profile, hidden: readonly Hidden[]): readonly string[] {
  return hidden.flatMap(({ settings, when }) => (when(profile) ? settings : []));
}

/** The settings that a service with the profile shows. */
export function observableSettings(profile: Profile, hidden: readonly Hidden[]): SettingName[] {
  const parts = hiddenParts(profile, hidden);
  return SETTINGS.map(({ name }) => name).filter((name) => !parts.includes(name));
}

/** Those of them whose finding is another than the profile's, each in a line. */
export function differences(
  learned: Learned,
  profile: Profile,
  hidden: readonly Hidden[],
  wrote = true,
): string[] {
  const parts = hiddenParts(profile, hidden);
  const { 'list.paging': paging } = profile;
  const open = Object.fromEntries(
    ['default', 'max'].filter((part) => parts.includes(part)).map((part) => [part, 'unknown']),
  );
  const shown = isPages(paging) ? { ...profile, 'list.paging': { ...paging, ...open } } : profile;
  return observableSettings(profile, hidden).flatMap((name) => {
    const finding = learned.settings.get(name);
    // Only writing shows some settings and value lists.
    return (!wrote && finding?.kind === 'unknown') || isRight(name, finding, shown, wrote)
      ? []
      : [`${name} is ${JSON.stringify(shown[name])}; learned ${show(finding)}`];
  });
}

function isRight(
  name: SettingName,
  finding: LearnedSetting | undefined,
  profile: Profile,
  wrote: boolean,
): boolean {
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

function show(finding: LearnedSetting | undefined): string {
  if (finding?.kind === 'found') return JSON.stringify(finding.value);
  return `unknown: ${finding?.reason}`;
}
