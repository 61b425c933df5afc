/** The time of a session: it runs with the clock it is made over, at an offset, or stands still. */
export type SessionClock = {
  now(): Date;
  /** The same in milliseconds since 1970. */
  time(): number;
  readonly frozen: boolean;
  /** Sets the time, or whether it stands still, or both. */
  set(change: { readonly now?: Date; readonly frozen?: boolean }): void;
  /** Moves it on by so many milliseconds, whether it stands still or not. */
  advance(ms: number): void;
  /** Back to how it began. */
  reset(): void;
  /** All of it as JSON, for other replicas to go on from. */
  save(): ClockState;
  load(state: ClockState): void;
};

/** Milliseconds from the clock that it is made over, or since 1970 where it stands still. */
export type ClockState = { readonly offset: number; readonly stopped?: number | undefined };

/** The times that every form of a datetime can show. */
const EARLIEST = Date.UTC(1970, 0, 1);
export const LATEST = Date.UTC(9999, 11, 31);

/** Reads a time, or a day; undefined for what is none, or outside of those bounds. */
export function readTime(given: Date | string): Date | undefined {
  const time = new Date(given);
  const isTime = given instanceof Date || /^\d{4}-\d\d-\d\d/.test(given);
  return isTime && time.getTime() >= EARLIEST && time.getTime() <= LATEST ? time : undefined;
}

/** With `start` it runs from that time on. */
export function createSessionClock(base: () => Date, start?: Date): SessionClock {
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
    set: ({ frozen, now }) => {
      const time = now?.getTime() ?? read();
      if (frozen !== undefined) stopped = frozen ? time : undefined;
      jump(time);
    },
    advance: (ms) => jump(read() + ms),
    reset,
    save: () => ({ offset, stopped }),
    load: (state) => {
      ({ offset, stopped } = state);
    },
  };
}
