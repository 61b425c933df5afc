import { setTimeout as pause } from 'node:timers/promises';
import type { WhenDone } from '../../http/http.ts';
import type { Replicas } from '../../store/store.ts';
import { ControlError } from '../endpoint.ts';
import type { Session } from '../sessions/sessions.ts';
import type { JournalFilter } from './journal-filter.ts';
import type { JournalView, RecordedRequest } from './journal-view.ts';
import { waitForRequests } from './wait.ts';

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

/** Between two questions to the others, in milliseconds. */
const PAUSE = 100;

export function createJournalReader(view: JournalView, replicas: Replicas | undefined): JournalReader {
  const matching = ({ journal }: Session, { filter }: JournalQuestion) =>
    journal.entries().filter((entry) => view.matches(entry, filter));
  const own: JournalReader['own'] = {
    count: (session, question) => matching(session, question).length,
    find: (session, { limit, ...question }) => newest(matching(session, question), limit).map(view.show),
  };
  if (!replicas) {
    const wait = ({ journal }: Session, { count = 0, filter, timeout = 0, whenDone }: JournalQuestion) =>
      waitForRequests(journal, view, filter, { count, timeout, ...(whenDone && { whenDone }) });
    return {
      own,
      find: async (session, question) => newest(await wait(session, question), question.limit).map(view.show),
      count: async (session, question) => (await wait(session, question)).length,
      clear: async ({ journal }) => journal.clear(),
    };
  }
  const count = async (session: Session, question: JournalQuestion) => {
    const { filter } = question;
    const others = await replicas.ask({ kind: 'count', session: session.name, filter });
    return others.reduce((sum: number, one) => sum + Number(one), own.count(session, question));
  };
  return {
    own,
    find: async (session, question) => {
      await enough(session, question);
      const { filter, limit } = question;
      const others = await replicas.ask({ kind: 'find', session: session.name, filter, limit });
      const all = [...own.find(session, question), ...(others.flat() as RecordedRequest[])];
      return newest(
        all.toSorted((one, other) => one.id - other.id),
        limit,
      );
    },
    count: async (session, question) => enough(session, question),
    clear: async ({ journal, name }) => {
      journal.clear();
      await replicas.ask({ kind: 'clear', session: name });
    },
  };

  async function enough(session: Session, question: JournalQuestion): Promise<number> {
    const { count: wanted = 0, timeout = 0, whenDone } = question;
    const end = performance.now() + timeout;
    let isGone = false;
    whenDone?.(() => {
      isGone = true;
    });
    for (;;) {
      const seen = await count(session, question);
      if (seen >= wanted) return seen;
      if (isGone || performance.now() >= end)
        throw new ControlError(408, `${seen} requests matched in ${timeout} ms; expected ${wanted}.`);
      await pause(PAUSE);
    }
  }
}

function newest<One>(all: readonly One[], limit: number | undefined): readonly One[] {
  if (limit === undefined) return all;
  return limit === 0 ? [] : all.slice(-limit);
}
