import type { WhenDone } from '../../http/http.ts';
import type { Replicas } from '../../store/store.ts';
import { ControlError } from '../endpoint.ts';
import type { Session } from '../sessions/sessions.ts';
import type { JournalFilter } from './journal-filter.ts';
import type { JournalView, RecordedRequest } from './journal-view.ts';

export type JournalQuestion = {
  readonly filter: JournalFilter;
  /** The newest so many; all when absent. */
  readonly limit?: number | undefined;
  /** Answers once there are so many; at once when absent. */
  readonly count?: number;
  /** Milliseconds to wait at most. */
  readonly timeout?: number;
  readonly whenDone?: WhenDone;
};

/** Questions to the journal of a session, in all replicas. Each rejects with ControlError 408 when it waited in vain. */
export type JournalReader = {
  find(session: Session, question: JournalQuestion): Promise<readonly RecordedRequest[]>;
  count(session: Session, question: JournalQuestion): Promise<number>;
  clear(session: Session): Promise<void>;
  /** The same of this replica alone, at once. */
  readonly own: {
    find(session: Session, question: JournalQuestion): RecordedRequest[];
    count(session: Session, question: JournalQuestion): number;
  };
};

/** Until the others are asked again, in milliseconds. */
const PAUSE = 100;

export function createJournalReader(view: JournalView, replicas: Replicas | undefined): JournalReader {
  const matching = ({ journal }: Session, { filter }: JournalQuestion) =>
    journal.entries().filter((entry) => view.matches(entry, filter));
  const own: JournalReader['own'] = {
    count: (session, question) => matching(session, question).length,
    find: (session, { limit, ...question }) => newest(matching(session, question), limit).map(view.show),
  };
  return {
    own,
    find: async (session, question) => {
      await enough(session, question);
      if (!replicas) return own.find(session, question);
      const { filter, limit } = question;
      const others = await replicas.ask({ kind: 'find', session: session.name, filter, limit });
      const all = [...own.find(session, question), ...(others.flat() as RecordedRequest[])];
      return newest(
        all.toSorted((one, other) => one.id - other.id),
        limit,
      );
    },
    count: enough,
    clear: async ({ journal, name }) => {
      journal.clear();
      await replicas?.ask({ kind: 'clear', session: name });
    },
  };

  /** How many match, once there are as many as are wanted. Given up when who asked goes away. */
  async function enough(session: Session, question: JournalQuestion): Promise<number> {
    const { count: wanted = 0, timeout = 0, whenDone } = question;
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
        const seen = await count(session, question);
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

  async function count(session: Session, { filter, ...question }: JournalQuestion): Promise<number> {
    const others = (await replicas?.ask({ kind: 'count', session: session.name, filter })) ?? [];
    return others.reduce(
      (sum: number, one) => sum + Number(one),
      own.count(session, { filter, ...question }),
    );
  }
}

function newest<One>(all: readonly One[], limit: number | undefined): readonly One[] {
  if (limit === undefined) return all;
  return limit === 0 ? [] : all.slice(-limit);
}
