import type { Operation } from '../../spec/catalogue/catalogue.ts';
import type { SettingName } from '../../spec/profile/profile.ts';
import type { Exchange } from '../target/exchange.ts';

/**
 * In rising order of gravity. `flaky`: failed, and passed when tried again alone. `blocked` is never green, `error` is
 * the fault of the suite itself.
 */
export const OUTCOMES = ['pass', 'skip', 'flaky', 'blocked', 'fail', 'error'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** `stated` and `assumed` rules decide the exit code, `advice` does not. */
export const LEVELS = ['stated', 'assumed', 'advice'] as const;
export type Level = (typeof LEVELS)[number];

export type CaseResult = {
  /** The stable name of the case, such as `required.on-create:warehouse.name`. */
  readonly id: string;
  readonly rule: string;
  /** The title of the rule: its request, and the response that it expects. */
  readonly title: string;
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
  /** The case was skipped because the responses do not show whether the target follows the rule. */
  readonly unjudged?: true;
  /** Damage to a record that the run did not create, such as `subscriptionTask/1 deleted`. */
  readonly harm?: string;
  /** The case of the operation that keeps this one from being judged: `operations.create:brand`. */
  readonly blockedBy?: string;
  /** The setting in which the target differs from the profile, so that the case is blocked. */
  readonly differs?: SettingName;
  /** The case is blocked by a limit of the suite, so it does not count against the target. */
  readonly limited?: true;
  /** The operation fails for some values only, so the cases that need it are tried. */
  readonly usable?: true;
  /** The result of a second try of a failed case, without other cases. */
  readonly retried?: 'reproduced' | 'not reproduced';
  /** Why a case that failed does not count: the reason and the last day in the baseline. */
  readonly excused?: string;
  /** The requests of the case with their responses; kept only where it failed, was blocked or erred. */
  readonly exchanges?: readonly Exchange[];
  /** The exchanges are the shortest random sequence that shows the failure, in their order. */
  readonly sequence?: true;
  /** The exchanges of the second try, where the case passed then. */
  readonly again?: readonly Exchange[];
};

export type Counts = Readonly<Record<Outcome, number>>;

/** Why a requirement without a case was not tested, if the user selected some models or rules. */
export const NOT_SELECTED = 'not selected';

/** The result of a run for one statement of the source. */
export type RequirementResult = {
  readonly id: string;
  readonly section: string;
  readonly says: string;
  readonly state: 'held' | 'broken' | 'not tested';
  /** Why it was not tested; of a broken one, why what failed is excused, if all of it is. */
  readonly why?: string;
};

/** The operations, fields, and values of the run. Each is exercised or has a reason why not. */
export type CoverageResult = {
  readonly operations: readonly CoverageItem[];
  readonly fields: readonly CoverageItem[];
  readonly values: readonly CoverageItem[];
};

export type CoverageItem = {
  /** `create warehouse`, `warehouse.name`, `stockOrder.status=2`. */
  readonly name: string;
  readonly exercised: boolean;
  readonly why?: string;
};

/** An answer that breaks a rule, with the case that would fail by it. */
export type Finding = {
  readonly case: string;
  readonly message: string;
  readonly expected: string;
  readonly found: string;
  /** The exchange that shows it, and the write before it where that is known. */
  readonly exchanges: readonly Exchange[];
  /** The exchanges are a whole sequence that shows it. */
  readonly sequence?: true;
};

/** A whole run; every report is drawn from this object. `results.schema.json` describes it. */
export type Results = {
  /** The version of the file format. Readers ignore members that they don't know. */
  readonly version: 1;
  readonly target: string;
  /** How the run is started, without the files of its reports and without secrets. */
  readonly command?: string;
  readonly catalogue: { readonly title: string; readonly version: string; readonly models: number };
  readonly profile: {
    /** A file's name, `default`, or `learned`. */
    readonly name: string;
    /** The settings that differ from the default profile, as `delete.effect remove`. */
    readonly differs: readonly string[];
    /** The models and fields that use other options than the learned profile, each in a sentence. */
    readonly deviations?: readonly string[];
  };
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly requests: number;
  /** Seed and tag fix the samples: the same ones send the same requests. */
  readonly seed: number;
  /** The tag that the sent texts contain. */
  readonly tag?: string;
  /** No request but GET was sent. */
  readonly readOnly: boolean;
  /** How many cases there were to try; a run that ends early has fewer results. */
  readonly planned: number;
  /** Why the target could not be talked to from some point on: the run ended there. */
  readonly lost?: string;
  /** Why the run ended before it tried every case, unless the target caused it. */
  readonly ended?: 'interrupted' | 'out of time';
  /** The selected models of which each operation returned 404 or 501, so that they were not judged. */
  readonly notBuilt?: readonly string[];
  /** Those of `notBuilt` that the baseline does not list, which makes the run fail. Absent without a baseline. */
  readonly newNotBuilt?: readonly string[];
  /** Percent of the operations, and of the fields, that had to be exercised. */
  readonly minCoverage?: number;
  /** Remarks on responses that no case is about. They decide nothing. */
  readonly oddities?: readonly string[];
  readonly counts: Counts;
  /**
   * Entries of the baseline that are fixed, which makes the run fail: IDs of cases that pass, and names of models that are
   * built.
   */
  readonly staleBaseline: readonly string[];
  /** Entries of the baseline whose day is over and whose case still fails, so that it counts again. */
  readonly expiredBaseline: readonly string[];
  /** Records that were made and could not be removed, as `model/id`. */
  readonly leftovers: readonly string[];
  readonly requirements: readonly RequirementResult[];
  readonly coverage: CoverageResult;
  readonly cases: readonly CaseResult[];
};

/** Whether a case stands against the target. */
export function countsAgainst({ excused, level, limited, outcome }: CaseResult): boolean {
  const isBad = outcome === 'fail' || (outcome === 'blocked' && !limited);
  return level !== 'advice' && excused === undefined && isBad;
}
