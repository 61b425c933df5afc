import { costProblems } from './cost.ts';
import type { Verdict } from './defect-trial.ts';
import type { Found, Kind } from './prove-worker.ts';

/** The results of all jobs. */
export type Tally = { readonly [One in Kind]: Found[One][] };

/** Returns one line for each reason why the proof fails. */
export function problemsOf({ costs, defects, profiles, settings }: Tally): string[] {
  return [
    ...survivors(defects),
    ...settings.flatMap(([name, verdict]) => {
      if (verdict === 'unnoticed') return `unnoticed ${name}: expected a failure of a rule of the setting`;
      if (verdict === 'excepted-wrongly') return `${name} does not show as mismatches.ts says`;
      if (verdict === 'misjudged')
        return `${name} fails a stated rule: expected failures of assumed ones alone`;
      return [];
    }),
    ...costs.flatMap(costProblems),
    ...profiles.flatMap(({ bad, defects, number }) =>
      [...bad, ...survivors(defects)].map((line) => `profile ${number}: ${line}`),
    ),
  ];
}

function survivors(verdicts: readonly Verdict[]): string[] {
  return verdicts.filter(({ caught }) => !caught).map(describeSurvivor);
}

/** `survived create.drops-field:brand.name: expected a failure of create.keeps-field; found nothing` */
export function describeSurvivor({ errors, expected, instead, name }: Verdict): string {
  if (errors.length > 0) return `${name}: the suite made a mistake: ${errors[0]}`;
  const others = instead.length === 0 ? 'nothing' : instead.slice(0, 3).join('; ');
  return `survived ${name}: expected a failure of ${expected.join(' or ')}; found ${others}`;
}
