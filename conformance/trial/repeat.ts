import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Watcher } from '../api/api.ts';
import { meaningOf } from '../api/api.ts';
import { unlessEnded } from '../assert/ending.ts';
import type { CaseSetup } from '../cases/case-setup.ts';
import type { PlannedCase } from '../plan/plan.ts';
import { runCase } from '../plan/run-case.ts';
import type { Contradiction, Drift } from '../record/notes.ts';
import { createRunRecord, type RecordOptions, type RunRecord } from '../record/record.ts';
import { caseOfWrite, type KindOfWrite } from '../record/timeline.ts';
import { amend } from '../results/compose-results.ts';
import type { CaseResult } from '../results/results.ts';
import type { LateLists } from './late-lists.ts';
import { type Looked, lookAt } from './sentinels.ts';

export type RepeatOptions = RecordOptions & {
  readonly setup: CaseSetup;
  readonly lateLists: LateLists;
  readonly watcher: TrialWatcher;
};

/** The result of a case that ran while no other did, with the contradictions of its requests. */
export type Alone = {
  readonly result: CaseResult;
  readonly contradictions: readonly Contradiction[];
  readonly drifts: readonly Drift[];
};

/** Receives each write of the case that runs again, after its response. */
type OnWrite = (write: KindOfWrite) => Promise<void>;

/** Watches the requests of the case that runs again. */
export type TrialWatcher = Watcher & { open(record: RunRecord | undefined, onWrite?: OnWrite): void };

export function createTrialWatcher(catalogue: Catalogue): TrialWatcher {
  let current: RunRecord | undefined;
  let told: OnWrite | undefined;
  return {
    before: (call) => current?.before(call),
    async answered(call, answer) {
      await current?.answered(call, answer);
      const meaning = told && call.request.method !== 'GET' ? meaningOf(catalogue, call) : undefined;
      const method = call.request.method.toLowerCase();
      if (meaning) await told?.({ ...meaning, method });
    },
    failed: (call) => current?.failed(call),
    open: (record, onWrite) => {
      [current, told] = [record, onWrite];
    },
  };
}

/** Runs cases again, one at a time. */
export type Repeats = ReturnType<typeof createRepeats>;

export function createRepeats(options: RepeatOptions, contradictions: readonly Contradiction[]) {
  const { lateLists, setup, watcher } = options;
  const inRun = new Map(contradictions.map((one) => [one.case, one]));
  /** The contradiction of the case in the run. */
  const contradictionOf = ({ id }: PlannedCase) => inRun.get(id);
  return { alone, aloneWith, contradictionOf };

  /**
   * Runs a case with fresh records. It also fails if one of its requests contradicts it. If a list contradicted `judged`,
   * by default the case itself, each list request waits.
   */
  function alone(item: PlannedCase, judged = item, onWrite?: OnWrite): Promise<Alone> {
    const isInList = inRun.get(judged.id)?.inList === true;
    return runOnce(item, isInList ? lateLists.waiting : (run) => run(), onWrite);
  }

  async function runOnce(
    item: PlannedCase,
    how: (run: () => Promise<CaseResult>) => Promise<CaseResult>,
    onWrite?: OnWrite,
  ): Promise<Alone> {
    // A write of the same values might change nothing again.
    setup.startAgain(item.model, onWrite === undefined);
    const record = createRunRecord(options);
    watcher.open(record, onWrite);
    try {
      const result = await how(() => runCase(item, setup, true));
      const found = record.contradictions();
      const own = found.filter(({ case: id }) => id === item.id);
      const [turned = result] = amend(new Map([[item.id, result]]), own);
      return { result: turned, contradictions: found, drifts: record.drifts() };
    } finally {
      watcher.open(undefined);
    }
  }

  /**
   * Does the same, and reads records around each write: the given ones, and one of the model that is created before.
   * Returns the case that the first write breaks after which one of them is another one.
   */
  async function aloneWith(item: PlannedCase, model: Model, ids: readonly number[]) {
    const context = setup.open(model, `witness of ${item.id}`, () => {});
    try {
      const made = model.operations.includes('create')
        ? await unlessEnded(() => context.records.make(context.samples.values('all')))
        : undefined;
      const look = async () => {
        const seen: Looked[] = [];
        for (const one of [...ids, made?.id])
          if (one !== undefined) seen.push(await lookAt(options, model, Number(one)));
        return seen;
      };
      /** Returns what several reads show; undefined if they differ, because another client writes to the record. */
      const steady = async (ms = 0) => {
        const end = performance.now() + Math.min(ms, LONGEST);
        const first = await look();
        for (let times = 1; times < LOOKS || performance.now() < end; times++) {
          if (times >= LOOKS) await delay(PAUSE);
          if (!isDeepStrictEqual(await look(), first)) return undefined;
        }
        return isKnown(first) ? first : undefined;
      };
      const began = performance.now();
      let known = await steady();
      let cause: string | undefined;
      const found = await alone(item, item, async (write) => {
        if (!known || cause !== undefined) return;
        const [now, control] = [await look(), await look()];
        // A record that changes without a write, too, shows nothing.
        const isCalm = isKnown(now) && isDeepStrictEqual(now, control);
        if (isCalm && !isDeepStrictEqual(now, known)) cause = caseOfWrite(write);
        known = isCalm ? now : undefined;
      });
      // Somebody who writes seldom changes the record in a longer time without a write of the case.
      const time = LONGER * (performance.now() - began);
      return { ...found, cause: cause !== undefined && (await steady(time)) ? cause : undefined };
    } finally {
      await setup.close(context);
    }
  }
}

/** Reads without a write, before and after a case whose write might change a record. */
const LOOKS = 10;

/** How many times as long as the case the last of these reads go on, in milliseconds at most, and their pause. */
const LONGER = 3;
const LONGEST = 3000;
const PAUSE = 10;

function isKnown(seen: readonly Looked[]): boolean {
  return !seen.includes('unknown');
}
