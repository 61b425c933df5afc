import { Readable } from 'node:stream';
import type { Holder } from '../../memory-budget.ts';
import { type ControlCall, type Endpoint, json } from '../endpoint.ts';
import type { NameCheck } from '../names.ts';
import type { Session } from '../sessions/sessions.ts';
import type { JournalEntry } from './journal.ts';
import { FILTER_PARAMETERS, readCount, readFilter } from './journal-filter.ts';
import type { JournalQuestion, JournalReader, JournalView } from './journal-view.ts';

/** Often enough that nothing on the way takes the connection for dead. */
const HEARTBEAT = 15_000;

/** A page that does not read any more is let go. */
const MOST_WAITING = 1024 * 1024;

/** The text of an exchange is made once for all who read it. */
let latest: { readonly entry: JournalEntry; readonly text: Buffer } | undefined;

const LONGEST_WAIT = 60_000;
const COUNT = { type: 'integer', minimum: 0 };
const LIMIT = { description: 'Return only this many requests, the newest ones.', schema: COUNT };
const WAITING = {
  wait: { description: 'Number of matching requests to wait for before the response.', schema: COUNT },
  timeout: {
    description: 'Maximum wait in milliseconds (default: 5000). After it, the status is 408.',
    schema: { ...COUNT, maximum: LONGEST_WAIT },
  },
};

/** The journal of a session, and its exchanges as they happen. */
export function journalEndpoints(
  view: JournalView,
  reader: JournalReader,
  refuseUnknown: NameCheck,
): Endpoint[] {
  const readQuestion = (call: ControlCall) => questionOf(call, refuseUnknown);
  const late = { 408: { description: 'Too few requests matched before the timeout.' } };
  return [
    {
      method: 'GET',
      path: '/requests',
      id: 'listRequests',
      summary: 'List the requests of the session with their responses, oldest first.',
      query: { ...FILTER_PARAMETERS, limit: LIMIT, ...WAITING },
      answers: {
        200: {
          description: 'The matching requests.',
          schema: {
            type: 'object',
            required: ['requests'],
            properties: { requests: { type: 'array', items: { $ref: '#/components/schemas/Exchange' } } },
          },
        },
        ...late,
      },
      run: async (call) => json(200, { requests: await reader.find(call.session, readQuestion(call)) }),
    },
    {
      method: 'DELETE',
      path: '/requests',
      id: 'clearRequests',
      summary: 'Clear the request log of the session.',
      answers: { 204: { description: 'The request log is empty.' } },
      run: ({ session }) => reader.clear(session),
    },
    {
      method: 'GET',
      path: '/requests/count',
      id: 'countRequests',
      summary: 'Count the matching requests of the session.',
      query: { ...FILTER_PARAMETERS, ...WAITING },
      answers: {
        200: {
          description: 'The number of matching requests.',
          schema: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } },
        },
        ...late,
      },
      run: async (call) => json(200, { count: await reader.count(call.session, readQuestion(call)) }),
    },
    {
      method: 'GET',
      path: '/events',
      id: 'streamEvents',
      summary: 'Stream the requests of the session as server-sent events.',
      answers: {
        200: {
          description:
            'A text/event-stream that stays open. Each request with its response is an event named exchange.',
        },
      },
      run: async ({ session, whenDone }) => {
        const stream = streamEvents(session, view);
        whenDone(() => stream.destroy());
        const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
        return { status: 200, headers, body: stream };
      },
    },
  ];
}

function questionOf({ query, whenDone }: ControlCall, refuseUnknown: NameCheck): JournalQuestion {
  const limit = query.get('limit');
  return {
    filter: readFilter(query, refuseUnknown),
    limit: limit === null ? undefined : readCount('limit', limit, 1_000_000),
    count: readCount('wait', query.get('wait') ?? '0', 1_000_000),
    timeout: readCount('timeout', query.get('timeout') ?? '5000', LONGEST_WAIT),
    whenDone,
  };
}

/** The exchanges of a session as server-sent events, each as it happens. It ends when nobody reads it. */
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
