import type { CaseResult } from '../results/results.ts';
import { gravityOf, type Standing, standingOf, troubled } from './summary.ts';

/** What a reader would mend once: cases that did not pass in one way, in the order of the run; at least one. */
export type Cause = {
  readonly standing: Standing;
  /** The rule, or the setting of the profile; absent where what blocks the cases is about none. */
  readonly about?: string;
  /** The first one stands for all. */
  readonly first: CaseResult;
  readonly cases: readonly CaseResult[];
  readonly models: readonly string[];
};

/** So many cases of a cause are shown with their exchanges. */
export const SHOWN_OF_CAUSE = 3;

/**
 * Groups the cases that did not pass by what would mend them: one rule, or one setting of the profile, and messages that
 * are the same but for names and numbers. What blocks a case is not about its rule, so there the message alone counts.
 * The gravest first, then those with the most cases.
 */
export function causesOf(cases: readonly CaseResult[]): Cause[] {
  const bad = troubled(cases);
  const names = new Set(
    bad.flatMap(({ id, model, field = model }) => [model, field, ...(detailOf(id).match(WORD) ?? [])]),
  );
  const groups = Map.groupBy(bad, (result) => {
    const about = result.outcome === 'blocked' ? '' : (result.setting ?? result.rule);
    const shape = (result.message ?? '').replaceAll(WORD, (word) =>
      names.has(word) || /^\d/.test(word) ? '*' : word,
    );
    return `${standingOf(result)} ${about} ${shape}`;
  });
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

/** `3 models (brand, share, locker)`, cut after some. */
export function modelsLine({ models }: Pick<Cause, 'models'>, most = 5): string {
  const more = models.length > most ? ` and ${models.length - most} more` : '';
  return `${models.length} model${models.length === 1 ? '' : 's'} (${models.slice(0, most).join(', ')}${more})`;
}

/** Numbers are names here: ids differ from case to case. */
const WORD = /[A-Za-z][A-Za-z0-9]*|\d+/g;

/** What tells apart the cases of one field or model, such as `0` in `values.accepted:stockOrder.status=0`. */
function detailOf(id: string): string {
  const at = id.indexOf('=');
  return at === -1 ? '' : id.slice(at + 1);
}
