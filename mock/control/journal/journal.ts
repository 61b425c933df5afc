import type { ShownViolation } from '../../engine/violation.ts';
import type { MockRequest, ServedReply } from '../../http/http.ts';

/** An exchange as it happened; what it means is read from it when somebody asks. */
export type JournalEntry = {
  readonly id: number;
  readonly at: Date;
  readonly request: Pick<MockRequest, 'method' | 'target' | 'headers'>;
  /** At most 64 KiB of it. */
  readonly requestBody: Buffer | undefined;
  readonly status: number;
  readonly headers: ServedReply['headers'];
  /** The body, or what writes it again. */
  readonly responseBody: string | (() => string);
  readonly ms: number;
  readonly violations?: readonly ShownViolation[] | undefined;
  /** Pointers of what was sent and ignored. */
  readonly ignored?: readonly string[] | undefined;
  /** The id of the fault that was met. */
  readonly fault?: string | undefined;
};

export type NewEntry = Omit<JournalEntry, 'id' | 'requestBody' | 'responseBody'> & {
  readonly body: MockRequest['body'];
  readonly response: JournalEntry['responseBody'];
};

/** The exchanges of a session, the newest last; the oldest go when there are too many. */
export type Journal = {
  record(entry: NewEntry): void;
  entries(): readonly JournalEntry[];
  clear(): void;
  /** Told of each exchange from now on. Returns how to stop that. */
  subscribe(listener: (entry: JournalEntry) => void): () => void;
};

const LONGEST_BODY = 64 * 1024;

/** Keeps `size` entries; with 0 only subscribers are told. */
export function createJournal(size: number): Journal {
  let ring: JournalEntry[] = [];
  let next = 1;
  const listeners = new Set<(entry: JournalEntry) => void>();
  return {
    record: (seen) => {
      if (size === 0 && listeners.size === 0) return;
      const { body, response } = seen;
      // Member by member: a copy of the rest of an object costs as much as all else here.
      const entry: JournalEntry = {
        id: next,
        at: seen.at,
        request: seen.request,
        requestBody: cutBytes(body),
        status: seen.status,
        headers: seen.headers,
        responseBody: typeof response === 'string' ? cutText(response) : response,
        ms: seen.ms,
        violations: seen.violations,
        ignored: seen.ignored,
        fault: seen.fault,
      };
      next += 1;
      if (size > 0) {
        ring.push(entry);
        // Cut now and then, and not for every entry.
        if (ring.length >= 2 * size) ring = ring.slice(-size);
      }
      for (const listener of listeners) listener(entry);
    },
    entries: () => ring.slice(-size || ring.length),
    clear: () => {
      ring = [];
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function cutBytes(body: MockRequest['body']): Buffer | undefined {
  if (!(body instanceof Uint8Array)) return undefined;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // A part of a buffer would keep all of it.
  return bytes.byteLength > LONGEST_BODY ? Buffer.from(bytes.subarray(0, LONGEST_BODY)) : bytes;
}

/** At most 64 KiB of a text; a part of one would keep all of it, and so is copied. */
export function cutText(text: string): string {
  return text.length > LONGEST_BODY ? Buffer.from(text.slice(0, LONGEST_BODY)).toString() : text;
}
