import { type BackoffOptions, sleep } from './backoff.ts';
import { isDenied, type TargetResponse } from './exchange.ts';
import { Expired, Interrupted, NoAnswer } from './no-answer.ts';

/** In milliseconds. */
const LONGEST_OUTAGE = 60_000;

const OUTAGE_STEP = 2000;

/** Reads of several models, because only one table of the service might be broken. */
const MOST_READS = 3;

/**
 * Remembers some reads that succeeded. They show whether a failed request says something about the service as a whole: it
 * is away for a while, or gone, or refuses the credentials that it accepted before.
 */
export function createOutage({
  longestOutage = LONGEST_OUTAGE,
  onWait,
  signal,
}: Pick<BackoffOptions, 'longestOutage' | 'onWait' | 'signal'>) {
  const every = Math.min(OUTAGE_STEP, longestOutage / 10);
  const reads = new Map<string, () => Promise<TargetResponse>>();
  /** All waiting requests share one watch. */
  let watch: Promise<'there' | 'back' | 'away'> | undefined;
  let search: Promise<boolean> | undefined;
  /** The number of the last request that the service let in. */
  let accepted = 0;
  let expired: Expired | undefined;
  /** After a failed watch, requests don't wait again. */
  let isLost = false;
  return {
    /** Remembers one successful read per model. They show later whether the service is away. */
    note(path: string, ask: () => Promise<TargetResponse>): void {
      if (reads.size === MOST_READS) return;
      const model = path.replace(/\/\d+$/, '');
      if (!reads.has(model)) reads.set(model, ask);
    },
    /** Throws Expired if the service has refused the credentials. */
    needAccess(): void {
      if (expired) throw expired;
    },
    /** Throws Expired if the service refuses a request, and then also one of these reads. */
    async noteAccess({ status }: TargetResponse, requests: number): Promise<void> {
      const [ask] = reads.values();
      if (!isDenied(status)) accepted = requests;
      else if (ask && isDenied(await statusOf(ask))) {
        expired ??= new Expired(accepted, status);
        throw expired;
      }
    },
    /** Whether none of these reads has a response now; undefined if there is no read. */
    async isGone(): Promise<boolean | undefined> {
      if (reads.size === 0) return undefined;
      search ??= Promise.all([...reads.values()].map(statusOf))
        .then((statuses) => statuses.every((status) => status === 0))
        .finally(() => {
          search = undefined;
        });
      return search;
    },
    /**
     * Returns the 503 if the service responds to other requests. If it is away, waits for it and repeats the request.
     * Throws NoAnswer if it doesn't come back.
     */
    async sit(
      answer: TargetResponse,
      asked: string,
      again: () => Promise<TargetResponse>,
    ): Promise<TargetResponse> {
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

  /** A service that restarts can refuse connections for a moment. */
  async function areAway(): Promise<boolean> {
    for (const ask of reads.values()) if (![0, 503].includes(await statusOf(ask))) return false;
    return true;
  }
}

/** Returns the status of a response, 0 if there is none. */
async function statusOf(ask: () => Promise<TargetResponse>): Promise<number> {
  try {
    return (await ask()).status;
  } catch (error) {
    if (error instanceof NoAnswer) return 0;
    throw error;
  }
}
