import type { Contract } from '../../../spec/contract.ts';
import { changeLive } from '../../../spec/profile/profile.ts';
import { EARLIEST, LATEST } from '../../../spec/types/times.ts';
import type { Replicas } from '../../store/store.ts';
import type { Faults } from '../faults/faults.ts';

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
   * counts of faults. It sends no notice, because each replica reads the counts before a request meets a fault.
   */
  change<Result>(run: () => Result, counted?: 'counted'): Promise<Result>;
  refresh(): Promise<void>;
  reset(): Promise<void>;
};

type Shared = { save(): unknown; load(state: never): void; reset(): void };

export function shareConditions(
  session: string,
  given: { readonly clock: SessionClock; readonly faults: Faults; readonly profile: SessionProfile },
  replicas: Replicas | undefined,
): Conditions {
  const parts: [string, Shared][] = Object.entries(given);
  const reset = () => {
    for (const [, part] of parts) part.reset();
  };
  if (!replicas) return { change: async (run) => run(), refresh: async () => {}, reset: async () => reset() };
  let version = 0;
  const text = () =>
    JSON.stringify({ version, ...Object.fromEntries(parts.map(([name, part]) => [name, part.save()])) });
  const load = (text: string | undefined) => {
    if (text === undefined) return;
    const state = JSON.parse(text);
    // The text can be older than a change that this replica wrote meanwhile.
    if (state.version <= version) return;
    version = state.version;
    for (const [name, part] of parts) part.load(state[name] as never);
  };
  const change: Conditions['change'] = async (run, counted) => {
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
  };
  return { change, refresh: async () => load(await replicas.extra(session)), reset: () => change(reset) };
}
