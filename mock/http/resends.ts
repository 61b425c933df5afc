import type { IncomingMessage } from 'node:http';

/** Milliseconds in which a browser has sent a request again. */
const SOON = 1000;
const MOST = 1000;

/**
 * Browsers send a request once more, unseen by the page, when a connection that they used before closes without an
 * answer. For the page the two are one: what is sent again after a connection was dropped on purpose is dropped too.
 */
export type Resends = {
  /** Whether a connection was used before; to be asked once for each request. */
  isReused(socket: IncomingMessage['socket']): boolean;
  /** To be asked of every request, before anything is done with it. */
  isResent(request: IncomingMessage, isReused: boolean): boolean;
  /** Says that the connection of a request was dropped. */
  dropped(request: IncomingMessage, isReused: boolean): void;
};

export function createResends(): Resends {
  const used = new WeakSet<IncomingMessage['socket']>();
  const expected = new Map<string, number>();
  const dropped: Resends['dropped'] = (request, isReused) => {
    if (!isReused || request.headers['sec-fetch-mode'] === undefined) return;
    if (expected.size >= MOST) expected.clear();
    expected.set(keyOf(request), performance.now() + SOON);
  };
  return {
    isReused: (socket) => {
      if (used.has(socket)) return true;
      used.add(socket);
      return false;
    },
    isResent: (request, isReused) => {
      if (expected.size === 0) return false;
      const key = keyOf(request);
      const isResent = (expected.get(key) ?? 0) > performance.now();
      expected.delete(key);
      // On another connection that was used before it is sent once more.
      if (isResent) dropped(request, isReused);
      return isResent;
    },
    dropped,
  };
}

function keyOf({ headers, method, url }: IncomingMessage): string {
  return JSON.stringify([method, url, headers]);
}
