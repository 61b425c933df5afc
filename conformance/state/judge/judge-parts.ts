import type { Contract } from '../../../spec/contract.ts';
import type { WireCheck } from '../../assert/wire-check.ts';
import type { KnownRecords } from '../known-record.ts';
import type { Ties } from '../ties.ts';

/** The state that the parts of the judgment share. */
export type JudgeParts = Contract & {
  readonly check: WireCheck;
  readonly known: KnownRecords;
  readonly ties: Ties;
};
