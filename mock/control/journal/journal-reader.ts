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

/** Until the others are asked again, in milliseconds. */
const PAUSE = 100;

/** Often enough that nothing on the way takes the connection for dead. */
const HEARTBEAT = 15_000;

/** A page that does not read any more is let go. */
const MOST_WAITING = 1024 * 1024;

/** The text of an exchange is made once for all who read it. */
let latest: { readonly entry: JournalEntry; readonly text: Buffer } | undefined;

export type JournalQuestion = {
  /** Its values as they are, or as texts. */
  readonly filter: object;
  /** The number of exchanges, the newest ones. The default is all. */
  readonly limit?: number | undefined;
  /** The number of exchanges to wait for. The default is not to wait. */
  readonly wait?: number;
  /** Milliseconds to wait at most. */
  readonly timeout?: number;
};

/**
 * Questions to the journal of a session, in all replicas. Each rejects with ControlError 408 when it waited in vain, and
 * with UsageError for an invalid filter.
 */
export type JournalReader = {
  find(session: Session, question: JournalQuestion, whenDone?: WhenDone): Promise<readonly RecordedRequest[]>;
  count(session: Session, question: JournalQuestion, whenDone?: WhenDone): Promise<number>;
  clear(session: Session): Promise<void>;
  /** The exchanges of this replica as server-sent events, each as it happens. It ends when nobody reads it. */
  stream(session: Session): Readable;
  /** The same of this replica alone, at once. */
  readonly own: {
    find(session: Session, filter: JournalFilter, limit?: number): readonly RecordedRequest[];
    count(session: Session, filter: JournalFilter): number;
  };
};

export function createJournalReader(
  view: JournalView,
  refuseUnknown: NameCheck,
  replicas: Replicas | undefined,
): JournalReader {
  const matching = ({ journal }: Session, filter: JournalFilter) =>
    journal.entries().filter((entry) => view.matches(entry, filter));
  const own: JournalReader['own'] = {
    count: (session, filter) => matching(session, filter).length,
    find: (session, filter, limit) => newest(matching(session, filter), limit).map(view.show),
  };
  return {
    own,
    stream: (session) => streamEvents(session, view),
    find: async (session, question, whenDone) => {
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
    count: async (session, question, whenDone) =>
      enough(session, readFilter(question.filter, refuseUnknown), question, whenDone),
    clear: async ({ journal, name }) => {
      journal.clear();
      await replicas?.ask({ kind: 'clear', session: name });
    },
  };

  /** How many match, once there are as many as are wanted. Given up when who asked goes away. */
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
  // The headers go out with the first bytes.
  send(Buffer.from(': exchanges of this session\n\n'));
  return stream;
}

function describe(entry: JournalEntry, view: JournalView): Buffer {
  return Buffer.from(`event: exchange\nid: ${entry.id}\ndata: ${JSON.stringify(view.show(entry))}\n\n`);
}
