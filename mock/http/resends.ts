import type { IncomingMessage } from 'node:http';

/** Milliseconds in which a browser has sent a request again. */
const SOON = 1000;
const MOST = 1000;

/**
 * Browsers send a request once more, unseen by the page, when a connection that they used before closes without an
 * answer. For the page the two are one: what is sent again after a connection was dropped on purpose is dropped too.
 */
export type Resends = {
  /** To be asked of every request, before anything is done with it. */
  isResent(request: IncomingMessage): boolean;
  /** Says that the connection of a request was dropped. */
  dropped(request: IncomingMessage): void;
};

export function createResends(): Resends {
  const used = new WeakSet<IncomingMessage['socket']>();
  const again = new WeakSet<IncomingMessage>();
  const expected = new Map<string, number>();
  const expect = (request: IncomingMessage) => {
    if (!again.has(request) || request.headers['sec-fetch-mode'] === undefined) return;
    if (expected.size >= MOST) expected.clear();
    expected.set(keyOf(request), performance.now() + SOON);
  };
  return {
    isResent: (request) => {
      if (used.has(request.socket)) again.add(request);
      else used.add(request.socket);
      if (expected.size === 0) return false;
      const key = keyOf(request);
      const isResent = (expected.get(key) ?? 0) > performance.now();
      expected.delete(key);
      // On another connection that was used before it is sent once more.
      if (isResent) expect(request);
      return isResent;
    },
    dropped: expect,
  };
}

function keyOf({ headers, method, url }: IncomingMessage): string {
  return JSON.stringify([method, url, headers]);
}
