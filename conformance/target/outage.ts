import type { BackoffOptions } from './backoff.ts';
import { sleep } from './backoff.ts';
import type { TargetResponse } from './exchange.ts';
import { Interrupted, NoAnswer } from './no-answer.ts';

/** Tells a service that is away for a while from one that refuses a request with a 503. */
export type Outage = {
  /** Remembers a read that was answered, one of each model: a few of them tell whether the service is there. */
  note(path: string, ask: () => Promise<TargetResponse>): void;
  /**
   * What a 503 comes to that stayed: itself, where the service is there. Where it is away, the answer when it is back;
   * throws NoAnswer where it does not come back.
   */
  sit(answer: TargetResponse, asked: string, again: () => Promise<TargetResponse>): Promise<TargetResponse>;
};

/** In milliseconds. */
const LONGEST = 60_000;
const EVERY = 2000;
/** Where one table is what is broken, another one is read. */
const MOST_READS = 3;

export function createOutage({
  longestOutage = LONGEST,
  onWait,
  signal,
}: Pick<BackoffOptions, 'longestOutage' | 'onWait' | 'signal'>): Outage {
  const every = Math.min(EVERY, longestOutage / 10);
  const reads = new Map<string, () => Promise<TargetResponse>>();
  /** Those who wait do so together. */
  let watch: Promise<'there' | 'back' | 'away'> | undefined;
  /** What did not come back is not waited for again. */
  let isLost = false;
  return {
    note(path, ask) {
      if (reads.size === MOST_READS) return;
      const model = path.replace(/\/\d+$/, '');
      if (!reads.has(model)) reads.set(model, ask);
    },
    async sit(answer, asked, again) {
      if (isLost || reads.size === 0 || answer.status !== 503) return answer;
      watch ??= wait().finally(() => {
        watch = undefined;
      });
      const found = await watch;
      if (found === 'there') return answer;
      if (found === 'back') return again();
      isLost = true;
      const seconds = Math.round(longestOutage / 1000);
      throw new NoAnswer(
        `${asked} returned 503, as did all other requests in the last ${seconds} s`,
        '',
        true,
      );
    },
  };

  async function wait(): Promise<'there' | 'back' | 'away'> {
    if (!(await areAway())) return 'there';
    const end = performance.now() + longestOutage;
    onWait?.({ milliseconds: longestOutage, status: 503 });
    while (performance.now() < end) {
      if (signal?.aborted) throw new Interrupted();
      await sleep(every, signal);
      if (!(await areAway())) return 'back';
    }
    return 'away';
  }

  async function areAway(): Promise<boolean> {
    for (const ask of reads.values()) if (!(await isAway(ask))) return false;
    return true;
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
