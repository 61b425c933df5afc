import { type Cost, costProblems } from './cost.ts';
import type { Verdict } from './defect-trial.ts';
import type { MismatchVerdict } from './mismatches.ts';
import type { ProfileVerdict } from './profile-trial.ts';
import type { Done } from './prove-worker.ts';

/** Counts the results of all jobs. */
export type Tally = {
  note(done: Done): void;
  readonly verdicts: readonly Verdict[];
  readonly mismatches: readonly (readonly [name: string, MismatchVerdict])[];
  readonly costs: readonly Cost[];
  readonly profiles: readonly { readonly number: number; readonly verdict: ProfileVerdict }[];
  /** One line for each reason why the proof fails. */
  problems(): readonly string[];
};

export function createTally(): Tally {
  const verdicts: Verdict[] = [];
  const mismatches: (readonly [name: string, MismatchVerdict])[] = [];
  const profiles: { number: number; verdict: ProfileVerdict }[] = [];
  const costs: Cost[] = [];
  const broken: string[] = [];
  return { note, costs, verdicts, mismatches, profiles, problems };

  function note(done: Done): void {
    switch (done.kind) {
      case 'defects':
        verdicts.push(...done.verdicts);
        break;
      case 'mismatches':
        mismatches.push(...done.verdicts);
        break;
      case 'costs':
        costs.push(...done.costs);
        break;
      case 'profile':
        profiles.push(done);
        break;
      case 'broken':
        broken.push(`the proof broke: ${done.reason}`);
    }
  }

  function problems(): readonly string[] {
    return [
      ...broken,
      ...verdicts.filter(({ caught }) => !caught).map(describeSurvivor),
      ...mismatches
        .filter(([, verdict]) => verdict === 'unnoticed')
        .map(([name]) => `unnoticed ${name}: expected a failure of a rule of the setting`),
      ...mismatches
        .filter(([, verdict]) => verdict === 'excepted-wrongly')
        .map(([name]) => `${name} does not show as mismatch-exceptions.ts says`),
      ...mismatches
        .filter(([, verdict]) => verdict === 'misjudged')
        .map(([name]) => `${name} fails a stated rule: expected failures of assumed ones alone`),
      ...costs.flatMap(costProblems),
      ...profiles.flatMap(({ number, verdict }) =>
        [...verdict.bad, ...verdict.defects.filter(({ caught }) => !caught).map(describeSurvivor)].map(
          (line) => `profile ${number}: ${line}`,
        ),
      ),
    ];
  }
}

/** `survived create.drops-field:brand.name: expected a failure of create.keeps-field; found nothing` */
export function describeSurvivor({ errors, expected, instead, name }: Verdict): string {
  if (errors.length > 0) return `${name}: the suite made a mistake: ${errors[0]}`;
  const others = instead.length === 0 ? 'nothing' : instead.slice(0, 3).join('; ');
  return `survived ${name}: expected a failure of ${expected.join(' or ')}; found ${others}`;
}
