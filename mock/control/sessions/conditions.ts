import type { Contract } from '../../../spec/contract.ts';
import { changeLive } from '../../../spec/profile/profile.ts';
import { EARLIEST, LATEST } from '../../../spec/types/times.ts';
import type { Replicas } from '../../store/store.ts';
import type { FaultState, Faults } from '../faults/faults.ts';

export type SessionClock = ReturnType<typeof createSessionClock>;

/** Milliseconds from the base clock, or since 1970 for a stopped clock. */
type ClockState = { readonly offset: number; readonly stopped?: number | undefined };

/** Creates the clock of a session. It runs with `base` at an offset, or is stopped. With `start`, it begins there. */
export function createSessionClock(base: () => Date, start?: Date) {
  let offset = 0;
  let stopped: number | undefined;
  const read = () => stopped ?? base().getTime() + offset;
  const jump = (time: number) => {
    const bounded = Math.min(Math.max(time, EARLIEST), LATEST);
    if (stopped === undefined) offset = bounded - base().getTime();
    else stopped = bounded;
  };
  const reset = () => {
    stopped = undefined;
    offset = start ? start.getTime() - base().getTime() : 0;
  };
  reset();
  return {
    now: () => new Date(read()),
    /** Returns milliseconds since 1970. */
    time: read,
    get frozen() {
      return stopped !== undefined;
    },
    /** Sets the time, or whether the clock is stopped, or both. */
    set: ({ frozen, now }: { readonly now?: Date; readonly frozen?: boolean }) => {
      const time = now?.getTime() ?? read();
      if (frozen !== undefined) stopped = frozen ? time : undefined;
      jump(time);
    },
    /** Moves the time forward by a number of milliseconds, even if the clock is stopped. */
    advance: (ms: number) => jump(read() + ms),
    reset,
    /** Returns the state as JSON, for other replicas. */
    save: (): ClockState => ({ offset, stopped }),
    load: (state: ClockState) => {
      ({ offset, stopped } = state);
    },
  };
}

export type SessionProfile = ReturnType<typeof createSessionProfile>;

type SettingChanges = Readonly<Record<string, unknown>>;

/** Creates the settings of a session, which start as those of the mock. */
export function createSessionProfile({ catalogue, profile: start }: Contract) {
  let changes: SettingChanges = {};
  let current = start;
  const load = (all: SettingChanges) => {
    current = changeLive(start, all, catalogue);
    changes = all;
  };
  return {
    get current() {
      return current;
    },
    /** Changes some settings, or restores them with null. Throws UsageError, and then changes nothing. */
    set: (wanted: SettingChanges) => load({ ...changes, ...wanted }),
    reset: () => load({}),
    /** Returns the state as JSON, for other replicas. */
    save: () => changes,
    load,
  };
}

/** The clock, the faults, and the profile of a session, which all replicas share. */
export type Conditions = {
  /**
   * Runs a change, and notifies the other replicas before it resolves. With `counted`, the change concerns only the
   * counts of faults. It notifies nobody, because each replica reads the counts before a request meets a fault.
   */
  change<Result>(run: () => Result, counted?: 'counted'): Promise<Result>;
  /** Reads the changes of other replicas. */
  refresh(): Promise<void>;
};

type ConditionState = {
  readonly version: number;
  readonly clock: ClockState;
  readonly faults: FaultState;
  readonly profile: SettingChanges;
};

export function shareConditions(
  session: string,
  {
    clock,
    faults,
    profile,
  }: { readonly clock: SessionClock; readonly faults: Faults; readonly profile: SessionProfile },
  replicas: Replicas | undefined,
): Conditions {
  if (!replicas) return { change: async (run) => run(), refresh: async () => {} };
  let version = 0;
  const text = () => {
    const state: ConditionState = {
      version,
      clock: clock.save(),
      faults: faults.save(),
      profile: profile.save(),
    };
    return JSON.stringify(state);
  };
  const load = (text: string | undefined) => {
    if (text === undefined) return;
    const state: ConditionState = JSON.parse(text);
    // The text can be older than a change that this replica wrote meanwhile.
    if (state.version <= version) return;
    version = state.version;
    clock.load(state.clock);
    faults.load(state.faults);
    profile.load(state.profile);
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
