import { Readable } from 'node:stream';
import type { Holder } from '../../memory-budget.ts';
import type { Session } from '../sessions/sessions.ts';
import type { JournalEntry } from './journal.ts';
import type { JournalView } from './journal-view.ts';

/** Often enough that nothing on the way takes the connection for dead. */
const HEARTBEAT = 15_000;
/** A page that does not read any more is let go. */
const MOST_WAITING = 1024 * 1024;

/** The text of an exchange is made once for all who read it. */
let latest: { readonly entry: JournalEntry; readonly text: Buffer } | undefined;

/** The exchanges of a session as server-sent events, each as it happens. It ends when nobody reads it. */
export function streamEvents({ allowance, journal }: Session, view: JournalView): Readable {
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
