import { Readable } from 'node:stream';
import type { Session } from '../sessions/sessions.ts';
import type { JournalView } from './journal-view.ts';

/** Often enough that nothing on the way takes the connection for dead. */
const HEARTBEAT = 15_000;
/** A page that does not read any more is let go. */
const MOST_WAITING = 1024 * 1024;

/** The exchanges of a session as server-sent events, each as it happens. It ends when nobody reads it. */
export function streamEvents({ journal }: Session, view: JournalView): Readable {
  const stream = new Readable({ read: () => undefined });
  const send = (text: string) => {
    if (stream.readableLength > MOST_WAITING) stream.destroy();
    else stream.push(text);
  };
  const stop = journal.subscribe((entry) => {
    send(`event: exchange\nid: ${entry.id}\ndata: ${JSON.stringify(view.show(entry))}\n\n`);
  });
  const heartbeat = setInterval(() => send(': still here\n\n'), HEARTBEAT).unref();
  stream.on('close', () => {
    clearInterval(heartbeat);
    stop();
  });
  // The headers go out with the first bytes.
  send(': exchanges of this session\n\n');
  return stream;
}
