import { Readable } from 'node:stream';
import type { WhenDone } from '../../http/http.ts';
import type { Holder } from '../../memory-budget.ts';
import type { Replicas } from '../../store/store.ts';
import { ControlError } from '../control-error.ts';
import type { NameCheck } from '../names.ts';
import type { Session } from '../sessions/sessions.ts';
import type { JournalEntry } from './journal.ts';
import { type JournalFilter, readFilter } from './journal-filter.ts';
import type { JournalView, RecordedRequest } from './journal-view.ts';

/** Milliseconds between two questions to the other replicas. */
const PAUSE = 100;

/** Milliseconds between two comments, so that no proxy closes the idle connection. */
const HEARTBEAT = 15_000;

/** Bytes after which a stream without a reader ends. */
const MOST_WAITING = 1024 * 1024;

/** The last exchange, so that its text is written once for all streams. */
let latest: { readonly entry: JournalEntry; readonly text: Buffer } | undefined;

export type JournalQuestion = {
  /** The values of a `JournalFilter`, or their texts. */
  readonly filter: object;
  /** The number of exchanges, the newest ones. The default is all. */
  readonly limit?: number | undefined;
  /** The number of exchanges to wait for. The default is not to wait. */
  readonly wait?: number;
  /** Milliseconds to wait at most. */
  readonly timeout?: number;
};

export type JournalReader = ReturnType<typeof createJournalReader>;

/**
 * Reads the journals of a session in all replicas. `find` and `count` reject with ControlError 408 after the timeout,
 * and with UsageError for an invalid filter.
 */
export function createJournalReader(
  view: JournalView,
  refuseUnknown: NameCheck,
  replicas: Replicas | undefined,
) {
  const matching = ({ journal }: Session, filter: JournalFilter) =>
    journal.entries().filter((entry) => view.matches(entry, filter));
  const own = {
    count: (session: Session, filter: JournalFilter) => matching(session, filter).length,
    find: (session: Session, filter: JournalFilter, limit?: number) =>
      newest(matching(session, filter), limit).map(view.show),
  };
  return {
    /** Reads only the journal of this replica, without waiting. */
    own,
    /** Returns the exchanges of this replica as server-sent events. The stream ends when nobody reads it. */
    stream: (session: Session) => streamEvents(session, view),
    find: async (session: Session, question: JournalQuestion, whenDone?: WhenDone) => {
      const filter = readFilter(question.filter, refuseUnknown);
      const { limit } = question;
      await enough(session, filter, question, whenDone);
      if (!replicas) return own.find(session, filter, limit);
      const others = await replicas.ask({ kind: 'find', session: session.name, filter, limit });
      const all = [...own.find(session, filter, limit), ...(others.flat() as RecordedRequest[])];
      return newest(
        all.toSorted((one, other) => one.id - other.id),
        limit,
      );
    },
    count: async (session: Session, question: JournalQuestion, whenDone?: WhenDone) =>
      enough(session, readFilter(question.filter, refuseUnknown), question, whenDone),
    clear: async ({ journal, name }: Session) => {
      journal.clear();
      await replicas?.ask({ kind: 'clear', session: name });
    },
  };

  /** Returns the number of matching exchanges, once there are enough. Stops when the client goes away. */
  async function enough(
    session: Session,
    filter: JournalFilter,
    { timeout = 0, wait: wanted = 0 }: JournalQuestion,
    whenDone: WhenDone | undefined,
  ): Promise<number> {
    const end = performance.now() + timeout;
    let isGone = false;
    let look = () => {};
    const stop = session.journal.subscribe(() => look());
    whenDone?.(() => {
      isGone = true;
      look();
    });
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          look = resolve;
        });
        const seen = await count(session, filter);
        if (seen >= wanted) return seen;
        const left = end - performance.now();
        if (isGone || left <= 0)
          throw new ControlError(
            408,
            `Only ${seen} of ${wanted} requests matched within ${timeout} ms. Send them, or pass a longer timeout.`,
          );
        const timer = setTimeout(look, replicas ? Math.min(left, PAUSE) : left);
        await changed;
        clearTimeout(timer);
      }
    } finally {
      stop();
    }
  }

  async function count(session: Session, filter: JournalFilter): Promise<number> {
    const others = (await replicas?.ask({ kind: 'count', session: session.name, filter })) ?? [];
    return others.reduce((sum: number, one) => sum + Number(one), own.count(session, filter));
  }
}

function newest<One>(all: readonly One[], limit: number | undefined): readonly One[] {
  if (limit === undefined) return all;
  return limit === 0 ? [] : all.slice(-limit);
}

function streamEvents({ allowance, journal }: Session, view: JournalView): Readable {
  const stream = new Readable({ read: () => undefined });
  const holder: Holder = {
    held: 0,
    letGo: () => {
      stream.destroy();
      holder.held = 0;
    },
  };
  const send = (text: Buffer) => {
    if (stream.readableLength > MOST_WAITING) stream.destroy();
    else {
      stream.push(text);
      allowance.hold(holder, stream.readableLength);
    }
  };
  const stop = journal.subscribe((entry) => {
    if (latest?.entry !== entry) latest = { entry, text: describe(entry, view) };
    send(latest.text);
  });
  const heartbeat = setInterval(() => send(Buffer.from(': still here\n\n')), HEARTBEAT).unref();
  stream.on('close', () => {
    clearInterval(heartbeat);
    stop();
    allowance.hold(holder, 0);
  });
  // The server sends the headers with the first bytes.
  send(Buffer.from(': exchanges of this session\n\n'));
  return stream;
}

function describe(entry: JournalEntry, view: JournalView): Buffer {
  return Buffer.from(`event: exchange\nid: ${entry.id}\ndata: ${JSON.stringify(view.show(entry))}\n\n`);
}
