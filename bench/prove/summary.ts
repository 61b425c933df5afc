/** The summary that the proof prints, one line per part, and the reasons why it fails. */
import { RULES } from '../../conformance/plan/plan.ts';
import type { DefectVerdict } from './defect-trial.ts';
import type { MismatchVerdict } from './mismatches.ts';
import type { FoundByKind, JobKind } from './prove-worker.ts';

/** The results of all jobs. */
export type Tally = { readonly [One in JobKind]: FoundByKind[One][] };

/** The line of the defects; `all` is the number of trials there are. */
export function describeDefects({ defects: verdicts }: Tally, all: number, seconds: number): string {
  const caught = verdicts.filter((verdict) => verdict.caught).length;
  const kinds = new Set(verdicts.map(({ name }) => name.split(':')[0])).size;
  const models = new Set(verdicts.map(({ name }) => /:(\w+)/.exec(name)?.[1])).size;
  const drawn = verdicts.length < all ? `, drawn from ${all}` : '';
  return `defects: ${caught} of ${verdicts.length} caught (${kinds} kinds, ${models} models${drawn}) in ${seconds.toFixed(0)} s`;
}

/** The rules that have to fail by a defect, and did not. */
export function rulesNeverSeen({ defects }: Tally): string[] {
  const seen = new Set(defects.flatMap(({ rules }) => rules));
  return provable().filter((id) => !seen.has(id));
}

export function describeRules(unseen: readonly string[]): string {
  const all = provable().length;
  return `rules: ${all - unseen.length} of ${all} stated and advice rules were seen to fail by a defect about them`;
}

/** Another profile is enough to make an assumed rule fail. */
function provable(): string[] {
  return RULES.filter(({ level }) => level !== 'assumed').map(({ id }) => id);
}

/** The line of the wrong settings; `all` is the number of them there are. */
export function describeMismatches({ settings }: Tally, all: number, seconds: number): string {
  const count = (wanted: MismatchVerdict) => settings.filter(([, verdict]) => verdict === wanted).length;
  const hidden = count('excepted');
  const drawn = settings.length < all ? `, drawn from ${all}` : '';
  return `settings: ${count('noticed')} of ${settings.length - hidden} wrong settings noticed by a rule of the setting (${hidden} more can't be${drawn}), ${count('misjudged') || 'none'} failed a stated rule, in ${seconds.toFixed(0)} s`;
}

export function describeProfiles({ profiles }: Tally, seconds: number): string {
  const good = profiles.filter(({ bad }) => bad.length === 0).length;
  const sum = (of: (profile: (typeof profiles)[number]) => number) =>
    profiles.reduce((total, profile) => total + of(profile), 0);
  const learned = `learn recovered ${sum(({ recovered }) => recovered)} of ${sum(({ observable }) => observable)} settings that show`;
  const defects = profiles.flatMap((profile) => profile.defects);
  const caught = defects.filter((verdict) => verdict.caught).length;
  const times = Map.groupBy(defects, ({ name }) => name.split(':')[0]);
  const least = Math.min(...[...times.values()].map(({ length }) => length));
  const again = `defects again: ${caught} of ${defects.length} caught, ${times.size} kinds under ${least} profiles each at least`;
  return `profiles: ${good} of ${profiles.length} without a failure in ${sum(({ cases }) => cases)} cases; ${learned}; ${again}, in ${seconds.toFixed(0)} s`;
}

/** Returns one line for each reason why the proof fails. */
export function problemsOf({ defects, profiles, settings }: Tally): string[] {
  return [
    ...survivors(defects),
    ...settings.flatMap(([name, verdict]) => {
      if (verdict === 'unnoticed') return `unnoticed ${name}: expected a failure of a rule of the setting`;
      if (verdict === 'excepted-wrongly') return `${name} does not show as mismatches.yaml says`;
      if (verdict === 'misjudged')
        return `${name} fails a stated rule: expected failures of assumed ones alone`;
      return [];
    }),
    ...profiles.flatMap(({ bad, defects, number }) =>
      [...bad, ...survivors(defects)].map((line) => `profile ${number}: ${line}`),
    ),
  ];
}

function survivors(verdicts: readonly DefectVerdict[]): string[] {
  return verdicts.filter(({ caught }) => !caught).map(describeSurvivor);
}

/** `survived create.drops-field:brand.name: expected a failure of create.keeps-field; found nothing` */
export function describeSurvivor({ errors, expected, instead, name }: DefectVerdict): string {
  if (errors.length > 0) return `${name}: the suite made a mistake: ${errors[0]}`;
  const others = instead.length === 0 ? 'nothing' : instead.slice(0, 3).join('; ');
  return `survived ${name}: expected a failure of ${expected.join(' or ')}; found ${others}`;
}
