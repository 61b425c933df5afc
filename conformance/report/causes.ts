import type { CaseResult } from '../results/results.ts';
import { createShapes } from '../results/shapes.ts';
import { gravityOf, type Standing, standingOf, troubled } from './summary.ts';

/** Cases that did not pass for the same reason, in the order of the run; at least one. */
export type Cause = {
  readonly standing: Standing;
  /** The rule, or the setting of the profile; absent for blocked cases. */
  readonly about?: string;
  /** The first case represents all. */
  readonly first: CaseResult;
  readonly cases: readonly CaseResult[];
  readonly models: readonly string[];
};

/** The number of cases per cause that a report shows with their exchanges. */
export const SHOWN_OF_CAUSE = 3;

/**
 * Groups the cases that did not pass by their cause: one rule, or one setting of the profile, with messages that differ
 * only in names and numbers. The rule of a blocked case is not its cause, so only its message counts. The most severe
 * cause is first, then the one with the most cases.
 */
export function causesOf(cases: readonly CaseResult[]): Cause[] {
  const bad = troubled(cases);
  const { shapeOf } = createShapes(bad);
  const groups = Map.groupBy(bad, (result) => `${standingOf(result)} ${shapeOf(result)}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      const models = [...new Set(group.map(({ model }) => model))];
      return first ? [{ standing: standingOf(first), ...aboutOf(first), first, cases: group, models }] : [];
    })
    .sort(
      (one, other) =>
        gravityOf(other.standing) - gravityOf(one.standing) || other.cases.length - one.cases.length,
    );
}

function aboutOf({ outcome, rule, setting }: CaseResult): Pick<Cause, 'about'> {
  if (outcome === 'blocked') return {};
  return { about: setting === undefined ? rule : `${setting} (setting)` };
}

/** Returns text such as `3 models (brand, share, locker)`, with at most `most` names. */
export function modelsLine({ models }: Pick<Cause, 'models'>, most = 5): string {
  const more = models.length > most ? ` and ${models.length - most} more` : '';
  return `${models.length} model${models.length === 1 ? '' : 's'} (${models.slice(0, most).join(', ')}${more})`;
}
