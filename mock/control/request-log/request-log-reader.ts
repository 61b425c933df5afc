import { Readable } from 'node:stream';
import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import type { WhenDone } from '../../http/http.ts';
import { ControlError } from '../control-error.ts';
import type { NameCheck } from '../faults/fault-rule.ts';
import type { Session } from '../sessions/session.ts';
import type { LogEntry } from './request-log.ts';
import type { LogView, RequestFilter } from './request-log-view.ts';

/** Milliseconds between two comments, so that no proxy closes the idle connection. */
const HEARTBEAT = 15_000;

/** Bytes after which a stream without a reader ends. */
const MOST_WAITING = 1024 * 1024;

/** The number of exchanges of all sessions that a list has by default, the newest ones. */
export const MOST_OF_ALL = 1000;

export type LogQuestion = RequestFilter & {
  /** `all` for the exchanges of all sessions. */
  readonly sessions?: 'all' | undefined;
  /** The number of exchanges, the newest ones. The default is all, or 1000 of all sessions. */
  readonly limit?: number | undefined;
  /** The number of exchanges to wait for. The default is not to wait. */
  readonly wait?: number;
  /** Milliseconds to wait at most. The default is 5000. */
  readonly timeout?: number;
};

export type LogReader = ReturnType<typeof createLogReader>;

/** Reads the request logs of this mock. Rejects with ControlError 408 or UsageError. */
export function createLogReader(view: LogView, refuseUnknown: NameCheck, list: () => readonly Session[]) {
  return {
    /** Returns the exchanges as server-sent events. The stream ends when its client leaves. */
    stream: streamEvents,
    find: async (session: Session, question: LogQuestion, whenDone?: WhenDone) => {
      const { sessions, limit = sessions ? MOST_OF_ALL : Number.POSITIVE_INFINITY } = question;
      const found = (await enough(session, question, whenDone)).toSorted((one, other) => one.id - other.id);
      return (limit === 0 ? [] : found.slice(-limit)).map(view.show);
    },
    count: async (session: Session, question: LogQuestion, whenDone?: WhenDone) =>
      (await enough(session, question, whenDone)).length,
  };

  /** Returns the matching exchanges, once there are enough. Stops when the client goes away. */
  async function enough(
    session: Session,
    { limit: _, sessions, timeout = 5000, wait: wanted = 0, ...filter }: LogQuestion,
    whenDone?: WhenDone,
  ): Promise<LogEntry[]> {
    refuseUnknown(filter, 'path');
    if (!/^\d*$/.test(filter.fault ?? '') && filter.fault !== 'prefer')
      throw new UsageError(unexpected('fault', filter.fault, ['prefer']));
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
        const entries = (sessions ? list() : [session]).flatMap(({ requestLog }) => requestLog.entries());
        const found = entries.filter((entry) => view.matches(entry, filter));
        if (found.length >= wanted) return found;
        const left = end - performance.now();
        if (isGone || left <= 0)
          throw new ControlError(
            408,
            `Only ${found.length} of ${wanted} requests matched within ${timeout} ms. Send them, or pass a longer timeout.`,
          );
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          look = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    } finally {
      stop();
    }
  }

  function streamEvents(session: Session, sessions?: 'all'): Readable {
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
}

/** The newest exchange with its text, which all streams share. */
let latest: { readonly entry: LogEntry; readonly text: Buffer } | undefined;

/** Calls a listener for each later exchange of a session, or of all sessions. Returns a function that stops this. */
function listenTo(
  { requestLog: { feed }, name }: Session,
  sessions: 'all' | undefined,
  listener: (entry: LogEntry) => void,
): () => void {
  const heard = (entry: LogEntry) => {
    if (sessions === 'all' || entry.session === name) listener(entry);
  };
  feed.listeners.add(heard);
  return () => feed.listeners.delete(heard);
}
