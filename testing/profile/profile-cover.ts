import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { createProfile, type Profile, SETTINGS } from '../../spec/profile/profile.ts';

/** Extreme values of settings. */
const EDGES: readonly Readonly<Record<string, unknown>>[] = [
  { 'status.deleted': 205 },
  { 'list.paging': { style: 'offset', from: 'start' } },
  {
    'status.noOperation': 501,
    'response.total': 'none',
    'list.paging': { style: 'offset', default: 7, max: 7 },
  },
];

/** The profiles under which a conforming service has to pass: the cover, and the edges behind it. */
export function profilesToProve(catalogue: Catalogue): Profile[] {
  return [...coverProfiles(catalogue), ...EDGES.map((settings) => createProfile(settings, catalogue))];
}

/**
 * Profiles in which every two variants of any two settings meet at least once, unless they can't hold together.
 * Deterministic: a greedy pairwise covering set over the variants of `profile.default.yaml`.
 */
export function coverProfiles(catalogue: Catalogue): Profile[] {
  const profiles: Profile[] = [];
  const open = allPairs();
  const usable = (row: Row) => toProfile(row, catalogue) !== undefined;
  for (const first of open.values()) {
    if (!open.has(key(...first))) continue;
    const row: Row = new Map([first[0], first[1]]);
    if (!usable(row)) {
      open.delete(key(...first));
      continue;
    }
    for (const [setting, { variants }] of SETTINGS.entries()) {
      if (row.has(setting)) continue;
      const gain = (variant: number) =>
        [...row].filter((other) => open.has(key([setting, variant], other))).length;
      const best = variants.map((_, variant) => variant).sort((one, other) => gain(other) - gain(one));
      row.set(setting, best.find((variant) => usable(new Map([...row, [setting, variant]]))) ?? 0);
    }
    for (const one of row) for (const other of row) open.delete(key(one, other));
    const profile = toProfile(row, catalogue);
    if (profile) profiles.push(profile);
  }
  return profiles;
}

/** The number of a setting, and of its variant. */
type Choice = readonly [setting: number, variant: number];
type Row = Map<number, number>;

function key(one: Choice, other: Choice): string {
  const [first, second] = one[0] < other[0] ? [one, other] : [other, one];
  return `${first[0]}=${first[1]} ${second[0]}=${second[1]}`;
}

function allPairs(): Map<string, readonly [Choice, Choice]> {
  const choices = SETTINGS.flatMap(({ variants }, setting) =>
    variants.map((_, variant): Choice => [setting, variant]),
  );
  const pairs = new Map<string, readonly [Choice, Choice]>();
  for (const one of choices)
    for (const other of choices) if (one[0] < other[0]) pairs.set(key(one, other), [one, other]);
  return pairs;
}

/** The profile of a row, or undefined when its settings can't hold together. */
function toProfile(row: Row, catalogue: Catalogue): Profile | undefined {
  const settings = [...row].map(([setting, variant]) => [
    SETTINGS[setting]?.name,
    SETTINGS[setting]?.variants[variant],
  ]);
  const given = Object.fromEntries(settings) as Record<string, unknown>;
  // Settings that are not chosen yet must not conflict with chosen ones.
  if (String(given['response.total']).startsWith('/')) given['response.records'] ??= '/records';
  return profileOf(given, catalogue);
}

/** Returns a profile with these settings, or undefined when they can't hold together. */
export function profileOf(
  settings: Readonly<Record<string, unknown>>,
  catalogue: Catalogue,
): Profile | undefined {
  try {
    return createProfile(settings, catalogue);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
