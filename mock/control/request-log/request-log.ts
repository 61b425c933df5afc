import { getHeapStatistics } from 'node:v8';
import type { MockRequest } from '../../http/http.ts';
import type { Reply } from '../../operations/reply.ts';

/** An exchange as it happened, with at most 64 KiB of each body. */
export type LogEntry = {
  /** Unique in the mock, and ascending. */
  readonly id: number;
  readonly session: string;
  /** By the clock of the session, in milliseconds since 1970. */
  readonly at: number;
  readonly request: MockRequest;
  /** Undefined if a fault dropped the connection first. */
  readonly reply: Reply | undefined;
  readonly ms: number;
  readonly fault: string | undefined;
};

const LONGEST_BODY = 64 * 1024;

const NOTHING: Reply['served'] = { status: 0, headers: {}, body: '' };

/** Bytes of an entry in addition to its texts. */
const OVERHEAD = 600;

/**
 * Keeps the exchanges of a session, the newest last. If there are more than `size`, it drops the oldest. With the size 0,
 * it keeps none and only calls the listeners.
 */
export function createRequestLog(session: string, size: number, feed: LogFeed) {
  const kept: { readonly entry: LogEntry; readonly bytes: number }[] = [];
  const dropOldest = () => kept.shift()?.bytes ?? 0;
  const holder: Holder = {
    held: 0,
    letGo: () => {
      holder.held -= dropOldest();
    },
  };
  return {
    record: ({ at, fault, ms, reply, request }: Omit<LogEntry, 'id' | 'session'>) => {
      if (size === 0 && feed.listeners.size === 0) return;
      const seen = cutRequest(request);
      const bytes = bytesOf(seen, reply);
      const entry = { id: feed.nextId(), session, at, request: seen, reply: cutReply(reply), ms, fault };
      if (size > 0) {
        const dropped = kept.length >= size ? dropOldest() : 0;
        kept.push({ entry, bytes });
        feed.hold(holder, holder.held + bytes - dropped);
      }
      for (const listener of feed.listeners) listener(entry);
    },
    feed,
    entries: (): readonly LogEntry[] => kept.map(({ entry }) => entry),
    clear: () => {
      kept.length = 0;
      feed.hold(holder, 0);
    },
  };
}

/** Returns the size of an entry. A response with violations repeats them as objects, so it counts three times. */
function bytesOf({ body, headers, target }: MockRequest, reply: Reply | undefined): number {
  const sent = body instanceof Uint8Array ? body.byteLength : 0;
  const answered = Math.min(reply?.body.length ?? 0, LONGEST_BODY) * (reply?.violations ? 3 : 1);
  let names = 0;
  for (const name in headers) names += name.length + String(headers[name]).length;
  return OVERHEAD + target.length + sent + answered + names;
}

function cutRequest({ body, headers, method, peer, target }: MockRequest): MockRequest {
  // A part of a buffer would keep the whole buffer in memory.
  const isLong = body instanceof Uint8Array && body.byteLength > LONGEST_BODY;
  return { method, target, headers, body: isLong ? body.slice(0, LONGEST_BODY) : body, peer };
}

function cutReply(reply: Reply | undefined): Reply | undefined {
  // Only the text is kept of a response that is passed on.
  if (reply?.served) return { ...reply, body: cutText(reply.body), served: NOTHING };
  return reply && reply.body.length > LONGEST_BODY ? { ...reply, body: cutText(reply.body) } : reply;
}

/** Returns at most 64 KiB of a text, as a copy, because a part of a string keeps the whole string in memory. */
function cutText(text: string): string {
  return text.length > LONGEST_BODY ? Buffer.from(text.slice(0, LONGEST_BODY)).toString() : text;
}

/** A request log with its bytes. */
type Holder = {
  held: number;
  /** Drops its oldest data, and lowers `held`. */
  letGo(): void;
};

type LogFeed = ReturnType<typeof createLogFeed>;

/**
 * Gives the exchanges of all sessions their IDs, which count up, and has the listeners for them. Limits the bytes of all
 * request logs: to a quarter of the limit in MiB, or an eighth of the heap of Node.
 */
export function createLogFeed(limit?: number) {
  const most = limit === undefined ? getHeapStatistics().heap_size_limit / 8 : (limit * 2 ** 20) / 4;
  let last = 0;
  // Weak references, so that a dropped session frees its request log.
  let holders: WeakRef<Holder>[] = [];
  const known = new WeakSet<Holder>();
  let total = 0;
  return {
    listeners: new Set<(entry: LogEntry) => void>(),
    nextId: () => ++last,
    /** Sets the bytes of a holder. If the total is too large, the largest holders drop data. */
    hold(holder: Holder, bytes: number) {
      if (!known.has(holder)) {
        known.add(holder);
        holders.push(new WeakRef(holder));
      }
      total += bytes - holder.held;
      holder.held = bytes;
      if (total > most) letGo();
    },
  };

  function letGo(): void {
    const live = holders.map((one) => one.deref()).filter((one) => one !== undefined);
    if (live.length < holders.length) holders = live.map((one) => new WeakRef(one));
    total = live.reduce((sum, { held }) => sum + held, 0);
    while (total > most) {
      const largest = live.reduce((one, other) => (other.held > one.held ? other : one));
      const before = largest.held;
      largest.letGo();
      if (largest.held >= before) return;
      total += largest.held - before;
    }
  }
}
