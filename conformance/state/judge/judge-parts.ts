import type { WireCheck } from '../../assert/wire-check.ts';
import type { PlanContext } from '../../plan/plan-context.ts';
import type { KnownRecords } from '../known-record.ts';
import type { Ties } from '../ties.ts';

/** What the parts of the judgement share. */
export type JudgeParts = PlanContext & {
  readonly check: WireCheck;
  readonly known: KnownRecords;
  readonly ties: Ties;
};
