import { Readable } from 'node:stream';
import type { WhenDone } from '../../http/http.ts';
import type { Replicas } from '../../store/store.ts';
import { ControlError } from '../control-error.ts';
import type { NameCheck } from '../faults/fault-rule.ts';
import type { Session } from '../sessions/session.ts';
import type { JournalEntry } from './journal.ts';
import { checkFilter, type JournalFilter, type JournalView, type RecordedRequest } from './journal-view.ts';

/** Milliseconds between two questions to the other replicas. */
const PAUSE = 100;

/** Milliseconds between two comments, so that no proxy closes the idle connection. */
const HEARTBEAT = 15_000;

/** Bytes after which a stream without a reader ends. */
const MOST_WAITING = 1024 * 1024;

/** The number of exchanges of all sessions that a list has by default, the newest ones. */
export const MOST_OF_ALL = 1000;

export type JournalQuestion = JournalFilter & {
  /** `all` for the exchanges of all sessions. */
  readonly sessions?: 'all' | undefined;
  /** The number of exchanges, the newest ones. The default is all, or 1000 of all sessions. */
  readonly limit?: number | undefined;
  /** The number of exchanges to wait for. The default is not to wait. */
  readonly wait?: number;
  /** Milliseconds to wait at most. The default is 5000. */
  readonly timeout?: number;
};

export type JournalReader = ReturnType<typeof createJournalReader>;

/** Reads the journals of all replicas. Rejects with ControlError 408 or UsageError. */
export function createJournalReader(
  view: JournalView,
  refuseUnknown: NameCheck,
  list: () => readonly Session[],
  replicas: Replicas | undefined,
) {
  const journalsOf = (scope: Session | 'all') =>
    (scope === 'all' ? list() : [scope]).map(({ journal }) => journal);
  const matching = (journal: Session['journal'], filter: JournalFilter) =>
    journal.entries().filter((entry) => view.matches(entry, filter));
  const own = {
    count: (scope: Session | 'all', filter: JournalFilter) =>
      journalsOf(scope).reduce((sum, journal) => sum + matching(journal, filter).length, 0),
    find: (scope: Session | 'all', filter: JournalFilter, limit?: number) => {
      const all = journalsOf(scope).flatMap((journal) => newest(matching(journal, filter), limit));
      return newest(all, limit).map(view.show);
    },
  };
  return {
    /** Reads only the journals of this replica, without waiting. */
    own,
    /** Returns the exchanges of this replica as server-sent events. The stream ends when its client leaves. */
    stream: (session: Session, sessions?: 'all') => streamEvents(session, sessions, view),
    find: async (session: Session, question: JournalQuestion, whenDone?: WhenDone) => {
      await enough(session, question, whenDone);
      const { sessions, limit = sessions && MOST_OF_ALL, timeout: _, wait: __, ...filter } = question;
      const scope = sessions ?? session;
      if (!replicas) return own.find(scope, filter, limit);
      const others = await replicas.ask({ kind: 'find', session: session.name, sessions, filter, limit });
      const all = [...own.find(scope, filter, limit), ...(others.flat() as RecordedRequest[])];
      return newest(all, limit);
    },
    count: enough,
    clear: async ({ journal, name }: Session) => {
      journal.clear();
      await replicas?.ask({ kind: 'clear', session: name });
    },
  };

  /** Returns the number of matching exchanges, once there are enough. Stops when the client goes away. */
  async function enough(
    session: Session,
    { limit: _, sessions, timeout = 5000, wait: wanted = 0, ...filter }: JournalQuestion,
    whenDone?: WhenDone,
  ): Promise<number> {
    checkFilter(filter, refuseUnknown);
    const end = performance.now() + timeout;
    let isGone = false;
    let look = () => {};
    const stop = listenTo(session, sessions, () => look());
    whenDone?.(() => {
      isGone = true;
      look();
    });
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          look = resolve;
        });
        const seen = await count(session, sessions, filter);
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

  async function count(
    session: Session,
    sessions: 'all' | undefined,
    filter: JournalFilter,
  ): Promise<number> {
    const others = (await replicas?.ask({ kind: 'count', session: session.name, sessions, filter })) ?? [];
    return others.reduce((sum: number, one) => sum + Number(one), own.count(sessions ?? session, filter));
  }
}

/** Calls a listener for each later exchange of a session, or of all sessions. Returns a function that stops this. */
function listenTo(
  { journal: { feed }, name }: Session,
  sessions: 'all' | undefined,
  listener: (entry: JournalEntry) => void,
): () => void {
  const heard = (entry: JournalEntry) => {
    if (sessions === 'all' || entry.session === name) listener(entry);
  };
  feed.listeners.add(heard);
  return () => feed.listeners.delete(heard);
}

function newest<One extends { readonly id: number }>(all: readonly One[], limit = Number.POSITIVE_INFINITY) {
  return limit === 0 ? [] : all.toSorted((one, other) => one.id - other.id).slice(-limit);
}

/** The newest exchange with its text, which all streams share. */
let latest: { readonly entry: JournalEntry; readonly text: Buffer } | undefined;

function streamEvents(session: Session, sessions: 'all' | undefined, view: JournalView): Readable {
  const stream = new Readable({ read: () => undefined });
  const send = (text: string | Buffer) => {
    if (stream.readableLength > MOST_WAITING) stream.destroy();
    else stream.push(text);
  };
  const stop = listenTo(session, sessions, (entry) => {
    if (latest?.entry !== entry) {
      const data = JSON.stringify(view.show(entry));
      latest = { entry, text: Buffer.from(`event: exchange\nid: ${entry.id}\ndata: ${data}\n\n`) };
    }
    send(latest.text);
  });
  const heartbeat = setInterval(send, HEARTBEAT, ': still here\n\n').unref();
  stream.on('close', () => {
    clearInterval(heartbeat);
    stop();
  });
  // The server sends the headers with the first bytes.
  send(`: exchanges of ${sessions === 'all' ? 'all sessions' : 'this session'}\n\n`);
  return stream;
}
