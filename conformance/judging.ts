import type { Model } from '../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../spec/wire/record-codec.ts';
import { unlessEnded } from './assert/ending.ts';
import {
  type CaseSetup,
  type CaseSetupOptions,
  createCaseSetup,
  type Instruments,
} from './cases/case-setup.ts';
import type { PlannedCase } from './plan/plan.ts';
import { createRunRecord, type RunRecord } from './record/record.ts';
import type { CaseResult } from './results/results.ts';
import { isDisposable } from './target/place.ts';
import { createLateLists, type LateLists, type LateListsOptions } from './trial/late-lists.ts';
import { createTrialWatcher } from './trial/repeat.ts';
import { createSentinels } from './trial/sentinels.ts';
import { runTrials, type TrialResult } from './trial/trial.ts';

export type JudgingOptions = Omit<CaseSetupOptions, 'lookAgain' | 'onCall' | 'watchers'> & {
  readonly instruments: Instruments;
  /** Maximum delay of a list, in milliseconds. */
  readonly ms: number;
  readonly isStopped: () => boolean;
};

/** The parts that judge a run: its cases, its record of requests, and its trials. */
export type Judging = {
  readonly setup: CaseSetup;
  readonly record: RunRecord;
  readonly lateLists: LateLists;
  /** Chooses records of others that are read before and after the first write of each kind. */
  noteSentinels(models: ReadonlySet<Model>): Promise<void>;
  /** Decides the results of all cases, which it changes. */
  judge(
    planned: readonly PlannedCase[],
    results: Map<string, CaseResult>,
    repeats: boolean,
  ): Promise<TrialResult>;
};

export function createJudging(options: JudgingOptions): Judging {
  const { catalogue, instruments, isStopped, ms, signal } = options;
  const lateLists = createLateLists({ target: options.target, base: catalogue.base, create, ms, signal });
  const parts = { ...options, check: instruments.check, target: lateLists.target };
  const record = createRunRecord(parts);
  const mayRepeat = () => isDisposable(options.target, options.isDisposable);
  const sentinels = createSentinels({ ...parts, isDisposable: mayRepeat });
  const watcher = createTrialWatcher(catalogue);
  const watchers = [sentinels, record, watcher];
  const setup = createCaseSetup({
    ...parts,
    lookAgain: lateLists.lookAgain,
    watchers,
    onCall: record.during,
  });
  return {
    setup,
    record,
    lateLists,
    noteSentinels: sentinels.note,
    judge: async (planned, results, repeats) => {
      if (repeats) await sentinels.look();
      const harms = sentinels.harms();
      return runTrials({
        ...parts,
        planned,
        results,
        setup,
        lateLists,
        record,
        watcher,
        harms,
        sentinelsOf: sentinels.of,
        repeats,
        isDisposable: mayRepeat,
        isStopped,
      });
    },
  };

  async function create(...[name, look]: Parameters<LateListsOptions['create']>) {
    const model = catalogue.models.get(name);
    const canLook = model?.operations.includes('create') && model.operations.includes('list');
    if (!model || !canLook || setup.readOnly) return undefined;
    const context = setup.open(model, 'late list', () => {});
    const { records } = context;
    try {
      const made = await unlessEnded(() => records.make());
      const isMade = ({ id }: RecordValues) => id === made?.id;
      return made && (await look(async () => (await records.listing())?.records.some(isMade) === true));
    } finally {
      await setup.close(context);
    }
  }
}
