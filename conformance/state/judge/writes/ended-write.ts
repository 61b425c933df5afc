import type { Value } from '../../../../spec/types/wire-type.ts';
import type { KnownRecord } from '../../known-record.ts';
import type { Meaning } from '../../request-meaning.ts';
import type { Seen } from '../../seen.ts';
import type { Blame } from '../blame.ts';
import type { Compare } from '../comparison.ts';
import type { JudgeParts } from '../judge-parts.ts';

/** A write that ended. */
export type EndedWrite = {
  readonly meaning: Meaning;
  /** Canonical values; undefined for what was not valid. */
  readonly sent: ReadonlyMap<string, Value | undefined>;
  readonly own: KnownRecord | undefined;
  readonly at: number;
  /** Undefined where no answer came. */
  readonly seen: Seen | undefined;
};

export type WriteJudgeParts = JudgeParts & { readonly blame: Blame; readonly compare: Compare };
