import type { BackoffOptions } from './backoff.ts';
import type { TargetResponse } from './exchange.ts';
import { Interrupted, NoAnswer } from './no-answer.ts';
import { sleep } from './sleep.ts';

/** Tells a service that is away for a while from one that refuses a request with a 503. */
export type Outage = {
  /** Remembers a read that was answered: it tells whether the service is there. */
  note(ask: () => Promise<TargetResponse>): void;
  /**
   * What a 503 comes to that stayed: itself, where the service is there. Where it is away, the answer when it is back;
   * throws NoAnswer where it does not come back.
   */
  sit(answer: TargetResponse, asked: string, again: () => Promise<TargetResponse>): Promise<TargetResponse>;
};

/** In milliseconds. */
const LONGEST = 60_000;
const EVERY = 2000;

export function createOutage({
  longestOutage = LONGEST,
  onWait,
  signal,
}: Pick<BackoffOptions, 'longestOutage' | 'onWait' | 'signal'>): Outage {
  const every = Math.min(EVERY, longestOutage / 10);
  let read: (() => Promise<TargetResponse>) | undefined;
  /** Those who wait do so together. */
  let watch: Promise<'there' | 'back' | 'away'> | undefined;
  return {
    note(ask) {
      read ??= ask;
    },
    async sit(answer, asked, again) {
      if (!read || answer.status !== 503) return answer;
      watch ??= wait(read).finally(() => {
        watch = undefined;
      });
      const found = await watch;
      if (found === 'there') return answer;
      if (found === 'back') return again();
      const seconds = Math.round(longestOutage / 1000);
      throw new NoAnswer(`${asked} answered 503, and so did every other request for ${seconds} s`, '', true);
    },
  };

  async function wait(ask: () => Promise<TargetResponse>): Promise<'there' | 'back' | 'away'> {
    if (!(await isAway(ask))) return 'there';
    const end = performance.now() + longestOutage;
    onWait?.({ milliseconds: longestOutage, status: 503 });
    while (performance.now() < end) {
      if (signal?.aborted) throw new Interrupted();
      await sleep(every, signal);
      if (!(await isAway(ask))) return 'back';
    }
    return 'away';
  }
}

/** A service that is started again may refuse connections for a moment. */
async function isAway(ask: () => Promise<TargetResponse>): Promise<boolean> {
  try {
    return (await ask()).status === 503;
  } catch (error) {
    if (error instanceof NoAnswer) return true;
    throw error;
  }
}
