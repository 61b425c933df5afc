import type { Answer } from '../api/answer.ts';
import type { Watcher } from '../api/api.ts';
import { Interrupted, NoAnswer, TooMany } from '../target/no-answer.ts';
import { Unlearned } from './finding.ts';

/** Whether the service still answers, and what it says about the rate of requests. */
export type Reachability = Watcher & {
  /** The first answer that has headers about the rate of requests. */
  rate(): Answer | undefined;
  /** From now on what was made is removed, although learning may have been ended. */
  release(): void;
  /** The service no longer answers: nothing listens there, or requests time out. */
  lost(): boolean;
};

export type ReachabilityOptions = {
  /** Whether anything but GET may be sent. */
  readonly write: boolean;
  /** From then on nothing is asked. */
  readonly signal?: AbortSignal | undefined;
};

/** After this number of timeouts in a row, learn sends no more requests. */
const MOST_TIMEOUTS = 3;
export const RATE_HEADERS = ['ratelimit-policy', 'ratelimit-limit', 'x-ratelimit-limit', 'ratelimit'];

/**
 * The service is lost when the first request of all has no answer, or three in a row. Throws Unlearned instead of
 * sending anything but GET where writing is not allowed.
 */
export function watchReachability({ signal, write }: ReachabilityOptions): Reachability {
  let answered = 0;
  let timeouts = 0;
  let lost = false;
  let ending = false;
  let rate: Answer | undefined;
  return {
    rate: () => rate,
    lost: () => lost,
    release() {
      ending = true;
    },
    before({ request }) {
      if (!write && request.method !== 'GET')
        throw new Unlearned(`a read-only run sends no ${request.method}`);
      if (signal?.aborted && !ending) throw new Interrupted();
    },
    answered(_, answer) {
      answered++;
      timeouts = 0;
      if (RATE_HEADERS.some((name) => name in answer.headers)) rate ??= answer;
    },
    failed(_, error) {
      if (!(error instanceof NoAnswer)) return;
      timeouts++;
      lost ||= (error.gone && !(error instanceof TooMany)) || answered === 0 || timeouts >= MOST_TIMEOUTS;
    },
  };
}
