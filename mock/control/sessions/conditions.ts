import type { Replicas } from '../../store/store.ts';
import type { FaultState, Faults } from '../faults/faults.ts';
import type { ClockState, SessionClock } from './clock.ts';

/** The clock and the faults of a session, which all replicas share. */
export type Conditions = {
  /**
   * Runs a change, and notifies the other replicas before it resolves. With `counted`, the change concerns only the
   * counts of faults. It notifies nobody, because each replica reads the counts before a request meets a fault.
   */
  change<Result>(run: () => Result, counted?: 'counted'): Promise<Result>;
  /** Reads the changes of other replicas. */
  refresh(): Promise<void>;
};

type State = { readonly version: number; readonly clock: ClockState; readonly faults: FaultState };

export function shareConditions(
  session: string,
  { clock, faults }: { readonly clock: SessionClock; readonly faults: Faults },
  replicas: Replicas | undefined,
): Conditions {
  if (!replicas) return { change: async (run) => run(), refresh: async () => {} };
  let version = 0;
  const text = () => {
    const state: State = { version, clock: clock.save(), faults: faults.save() };
    return JSON.stringify(state);
  };
  const load = (text: string | undefined) => {
    if (text === undefined) return;
    const state: State = JSON.parse(text);
    // The text can be older than a change that this replica wrote meanwhile.
    if (state.version <= version) return;
    version = state.version;
    clock.load(state.clock);
    faults.load(state.faults);
  };
  return {
    change: async (run, counted) => {
      let before: string | undefined;
      const done = await replicas
        .change(session, (extra) => {
          load(extra);
          before = text();
          const result = run();
          version += 1;
          return { extra: text(), result };
        })
        .catch((error) => {
          // The store did not keep the change.
          version = -1;
          load(before);
          throw error;
        });
      if (!counted) await replicas.ask({ kind: 'conditions', session });
      return done;
    },
    refresh: async () => load(await replicas.extra(session)),
  };
}
