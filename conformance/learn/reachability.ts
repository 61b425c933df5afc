import type { Answer } from '../api/answer.ts';
import type { Watcher } from '../api/api.ts';
import { Interrupted, NoAnswer, TooMany } from '../target/no-answer.ts';
import { Unlearned } from './finding.ts';

/** Watches whether the service responds, and keeps its rate headers. */
export type Reachability = Watcher & {
  /** Returns the first response with rate headers. */
  rate(): Answer | undefined;
  /** Lets cleanup send requests, also after the signal. */
  release(): void;
  /** The service no longer answers: nothing listens there, or requests time out. */
  lost(): boolean;
};

/** After this number of timeouts in a row, learn sends no more requests. */
const MOST_TIMEOUTS = 3;
export const RATE_HEADERS = ['ratelimit-policy', 'ratelimit-limit', 'x-ratelimit-limit', 'ratelimit'];

/**
 * The service is lost if the first request, or three in a row, have no response. Throws Unlearned instead of sending a
 * write that isn't allowed.
 */
export function watchReachability({
  signal,
  write,
}: {
  readonly write: boolean;
  readonly signal?: AbortSignal | undefined;
}): Reachability {
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
