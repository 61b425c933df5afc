import type { Operation } from '../spec/catalogue.ts';
import type { Exchange } from './target.ts';

/** In rising order of gravity; `blocked` is never green, `error` is the fault of the suite itself. */
export const OUTCOMES = ['pass', 'skip', 'blocked', 'fail', 'error'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What a broken rule means: `stated` and `assumed` decide the exit code, `advice` does not. */
export type Level = 'stated' | 'assumed' | 'advice';

export type CaseResult = {
  /** The stable name of the case, such as `required.on-create:warehouse.name`. */
  readonly id: string;
  readonly rule: string;
  readonly level: Level;
  /** The row of `spec/requirements.yaml`. */
  readonly requirement: string;
  readonly model: string;
  readonly field?: string;
  readonly operation?: Operation;
  /** The setting of the profile that an assumed rule is about. */
  readonly setting?: string;
  readonly outcome: Outcome;
  readonly message?: string;
  readonly expected?: string;
  readonly found?: string;
  /** The requests of the case with their responses; kept only where the outcome is not `pass`. */
  readonly exchanges?: readonly Exchange[];
};

export type Counts = Readonly<Record<Outcome, number>>;

/** A whole run; every report is drawn from this object. */
export type Results = {
  readonly target: string;
  readonly catalogue: { readonly title: string; readonly version: string; readonly models: number };
  readonly profile: { readonly name: string; readonly differs: readonly string[] };
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly requests: number;
  readonly counts: Counts;
  /** Records that were made and could not be removed, as `model/id`. */
  readonly leftovers: readonly string[];
  readonly cases: readonly CaseResult[];
};

/** Whether nothing stands against the target: advice and skipped cases do not. */
export function isConformant(results: Results): boolean {
  return results.cases.every(
    ({ level, outcome }) => level === 'advice' || outcome === 'pass' || outcome === 'skip' || outcome === 'error',
  );
}

/** 0 conformant · 1 not conformant · 3 the suite itself erred. */
export function exitCode(results: Results): 0 | 1 | 3 {
  if (!isConformant(results)) return 1;
  return results.counts.error > 0 ? 3 : 0;
}
