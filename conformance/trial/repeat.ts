import { isDeepStrictEqual } from 'node:util';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Watcher } from '../api/api.ts';
import type { CaseSetup } from '../plan/case-setup.ts';
import type { PlannedCase } from '../plan/plan.ts';
import { runCase } from '../plan/run-case.ts';
import type { Contradiction, Drift } from '../record/notes.ts';
import { createRunRecord, type RecordOptions, type RunRecord } from '../record/record.ts';
import { amend } from '../results/baseline.ts';
import type { CaseResult } from '../results/results.ts';
import type { LateLists } from './late-lists.ts';
import { lookAt } from './sentinels.ts';

export type RepeatOptions = RecordOptions & {
  readonly setup: CaseSetup;
  readonly lateLists: LateLists;
  readonly watcher: TrialWatcher;
};

/** A case that ran alone, and what its own requests contradict. */
export type Alone = {
  readonly result: CaseResult;
  readonly contradictions: readonly Contradiction[];
  readonly drifts: readonly Drift[];
};

type Witness = { readonly model: Model; readonly id: number };

/** Runs cases again, one at a time. */
export type Repeats = {
  /** A case with fresh records. A contradiction of its own makes it fail. */
  alone(item: PlannedCase): Promise<Alone>;
  /** Does the same, and tells whether a record changes while the case runs, and not without it. */
  aloneWith(
    item: PlannedCase,
    witness: Witness | undefined,
  ): Promise<Alone & { readonly isChanged: boolean }>;
  /** The contradiction of the case in the run. */
  contradictionOf(item: PlannedCase): Contradiction | undefined;
};

/** Watches the requests of the case that runs again. */
export type TrialWatcher = Watcher & { open(record: RunRecord | undefined): void };

export function createTrialWatcher(): TrialWatcher {
  let current: RunRecord | undefined;
  return {
    before: (call) => current?.before(call),
    answered: (call, answer) => current?.answered(call, answer),
    failed: (call, error) => current?.failed(call, error),
    open: (record) => {
      current = record;
    },
  };
}

export function createRepeats(options: RepeatOptions, contradictions: readonly Contradiction[]): Repeats {
  const { lateLists, setup, watcher } = options;
  const inRun = new Map(contradictions.map((one) => [one.case, one]));
  return { alone, aloneWith, contradictionOf: ({ id }) => inRun.get(id) };

  async function alone(item: PlannedCase): Promise<Alone> {
    setup.startAgain(item.model);
    const record = createRunRecord(options);
    watcher.open(record);
    try {
      const run = () => runCase(item, setup, true);
      const result = inRun.get(item.id)?.inList ? await lateLists.waiting(run) : await run();
      const found = record.contradictions();
      const own = found.filter(({ case: id }) => id === item.id);
      const [turned = result] = amend(new Map([[item.id, result]]), own).turned;
      return { result: turned, contradictions: found, drifts: record.drifts() };
    } finally {
      watcher.open(undefined);
    }
  }

  async function aloneWith(item: PlannedCase, witness: Witness | undefined) {
    const look = async () => (witness ? lookAt(options, witness.model, witness.id) : undefined);
    const [first, before] = [await look(), await look()];
    const found = await alone(item);
    const [after, last] = [await look(), await look()];
    const isCalm = isDeepStrictEqual(first, before) && isDeepStrictEqual(after, last);
    return { ...found, isChanged: isCalm && !isDeepStrictEqual(before, after) };
  }
}
