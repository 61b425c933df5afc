export type SessionClock = ReturnType<typeof createSessionClock>;

/** Milliseconds from the base clock, or since 1970 for a stopped clock. */
export type ClockState = { readonly offset: number; readonly stopped?: number | undefined };

/** The times that every form of a datetime can show. */
const EARLIEST = Date.UTC(1970, 0, 1);
export const LATEST = Date.UTC(9999, 11, 31);

/** Reads a time or a day. Returns undefined for an invalid one, and for one outside of these bounds. */
export function readTime(given: Date | string): Date | undefined {
  const time = new Date(given);
  const isTime = given instanceof Date || /^\d{4}-\d\d-\d\d/.test(given);
  return isTime && time.getTime() >= EARLIEST && time.getTime() <= LATEST ? time : undefined;
}

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
    /** Moves the time by so many milliseconds, even if the clock is stopped. */
    advance: (ms: number) => jump(read() + ms),
    reset,
    /** Returns the state as JSON, for other replicas. */
    save: (): ClockState => ({ offset, stopped }),
    load: (state: ClockState) => {
      ({ offset, stopped } = state);
    },
  };
}
