import { setTimeout as delay } from 'node:timers/promises';
import type { Judge } from './judge/judge.ts';
import type { Doubt } from './judge/list-judge.ts';
import type { KnownRecord } from './known-record.ts';
import type { Meaning } from './request-meaning.ts';
import type { Seen } from './seen.ts';

export type SecondLookOptions = {
  /** Milliseconds until a list that shows something else than expected is asked for again. Default 1000. */
  readonly recheckDelay?: number | undefined;
  /** Told of a model whose list was right only when it was asked for again. */
  readonly onLate?: ((model: string) => void) | undefined;
  readonly judge: Pick<Judge, 'read'>;
  /** Retrieves a record, or asks for a list. */
  readonly ask: (meaning: Meaning) => Promise<Seen>;
};

/** Waits for lists that were not late; more of them say nothing new. */
const MOST_VAIN = 5;
/** Records that a list shows otherwise than expected and that are retrieved to find the cause. */
const MOST_RETRIEVED = 100;
/** Records of others that are retrieved for one list. */
const MOST_THEIRS = 5;

export function createSecondLook({ ask, judge, onLate, recheckDelay = 1000 }: SecondLookOptions) {
  let retrieved = 0;
  let vain = 0;
  return look;

  /**
   * A list that shows something else than expected: a retrieve tells whether it is the record that is wrong; and some
   * lists are late by a moment.
   */
  async function look(seen: Seen, query: Meaning['query'] = {}): Promise<void> {
    const doubts = judge.read(seen);
    if (doubts.length === 0) return;
    const looked = await retrieve(doubts);
    const still = judge.read(seen);
    if (still.length === 0) return;
    const mayBeLate = recheckDelay > 0 && vain < MOST_VAIN;
    if (mayBeLate) await delay(recheckDelay);
    // Others may write to theirs at any moment: only what stays as it was on both sides of a list is held against it.
    const theirs = new Map(
      still
        .filter(({ record }) => !record.isOwn && looked.has(record))
        .map(({ record }) => [record, record.judged]),
    );
    if (!mayBeLate && theirs.size === 0) {
      hold(still.filter(({ record }) => record.isOwn));
      return;
    }
    const again = await ask({ ...seen.meaning, query });
    const first = judge.read(again);
    // What others did meanwhile says nothing of the list.
    const isOwn = still.some(({ record }) => record.isOwn);
    if (mayBeLate && isOwn && first.length === 0) onLate?.(seen.meaning.model.name);
    else if (mayBeLate) vain++;
    const lookedAgain = await retrieve(first.filter(({ record }) => theirs.has(record)));
    const isSame = ({ digest }: NonNullable<KnownRecord['judged']>, { record }: Doubt) =>
      record.judged?.digest === digest;
    hold(
      judge.read(again).filter((doubt) => {
        const before = theirs.get(doubt.record);
        const isKept = before !== undefined && lookedAgain.has(doubt.record) && isSame(before, doubt);
        return doubt.record.isOwn || isKept;
      }),
    );
  }

  /** A retrieve tells whether it is the record that is wrong. Returns those that were retrieved. */
  async function retrieve(doubts: readonly Doubt[]): Promise<ReadonlySet<KnownRecord>> {
    const own = doubts.filter(({ record }) => record.isOwn);
    const theirs = doubts.filter(({ record }) => !record.isOwn).slice(0, MOST_THEIRS);
    const looked = new Set<KnownRecord>();
    for (const { record } of [...own, ...theirs]) {
      const { id, model } = record;
      if (++retrieved > MOST_RETRIEVED) break;
      judge.read(await ask({ model, operation: 'retrieve', id, query: {} }));
      looked.add(record);
    }
    return looked;
  }
}

function hold(doubts: readonly Doubt[]): void {
  for (const doubt of doubts) doubt.hold();
}
