import type { Headers, MockRequest } from '../../http/http.ts';
import type { Reply } from '../../operations/reply.ts';

/** An exchange as it happened: what it means is read from it when somebody asks. */
export type Seen = {
  /** By the clock of the session, in milliseconds since 1970. */
  readonly at: number;
  readonly request: MockRequest;
  /** Undefined where the connection was dropped before anything was done. */
  readonly reply: Reply | undefined;
  readonly ms: number;
  /** The id of the fault that was met. */
  readonly fault: string | undefined;
};

/** Of a body at most 64 KiB are kept; one that can be written again is empty. */
export type JournalEntry = Seen & { readonly id: number };

/** The exchanges of a session, the newest last; the oldest go when there are too many. */
export type Journal = {
  record(seen: Seen): void;
  entries(): readonly JournalEntry[];
  clear(): void;
  /** Told of each exchange from now on. Returns how to stop that. */
  subscribe(listener: (entry: JournalEntry) => void): () => void;
};

const LONGEST_BODY = 64 * 1024;

/** Keeps `size` entries; with 0 only subscribers are told. Ids are ascending, from 1 where nobody else gives any. */
export function createJournal(size: number, nextId: () => number = countUp()): Journal {
  let ring: JournalEntry[] = [];
  /** Where the oldest entry stands, once the ring is full. */
  let oldest = 0;
  let last: Headers = {};
  const listeners = new Set<(entry: JournalEntry) => void>();
  return {
    record: ({ at, fault, ms, reply, request }) => {
      if (size === 0 && listeners.size === 0) return;
      const seen = cutRequest(request, last);
      last = seen.headers;
      const entry = { id: nextId(), at, request: seen, reply: cutReply(reply), ms, fault };
      if (ring.length < size) {
        ring.push(entry);
      } else if (size > 0) {
        ring[oldest] = entry;
        oldest = (oldest + 1) % size;
      }
      for (const listener of listeners) listener(entry);
    },
    entries: () => [...ring.slice(oldest), ...ring.slice(0, oldest)],
    clear: () => {
      ring = [];
      oldest = 0;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function countUp(): () => number {
  let last = 0;
  return () => {
    last += 1;
    return last;
  };
}

function cutRequest(request: MockRequest, last: Headers): MockRequest {
  const { body, headers, method, peer, target } = request;
  // A part of a buffer would keep all of it.
  const isLong = body instanceof Uint8Array && body.byteLength > LONGEST_BODY;
  const kept = isLong ? body.slice(0, LONGEST_BODY) : body;
  // Clients send the same headers again and again: to keep them all is a good part of the garbage that is collected.
  return { method, target, headers: isSame(headers, last) ? last : headers, body: kept, peer };
}

function isSame(one: Headers, other: Headers): boolean {
  let left = 0;
  for (const _ in other) left += 1;
  for (const name in one) {
    if (one[name] !== other[name]) return false;
    left -= 1;
  }
  return left === 0;
}

function cutReply(reply: Reply | undefined): Reply | undefined {
  if (reply?.rewrite) return { ...reply, body: '' };
  return reply && reply.body.length > LONGEST_BODY ? { ...reply, body: cutText(reply.body) } : reply;
}

/** At most 64 KiB of a text; a part of one would keep all of it, and so is copied. */
export function cutText(text: string): string {
  return text.length > LONGEST_BODY ? Buffer.from(text.slice(0, LONGEST_BODY)).toString() : text;
}
