import type { Readable } from 'node:stream';
import type { HarFile } from '../../../spec/wire/har.ts';
import type { Action } from '../action.ts';
import { FILTER_PARAMETERS, readCount } from './journal-filter.ts';
import { type JournalQuestion, MOST_OF_ALL } from './journal-reader.ts';
import { writeHar } from './journal-view.ts';

const COUNT = { type: 'integer', minimum: 0 };
const LONGEST_WAIT = 60_000;
const WAITING = {
  wait: { description: 'Number of matching requests to wait for before the response.', schema: COUNT },
  timeout: {
    description: 'Maximum wait in milliseconds (default: 5000). After it, the status is 408.',
    schema: { ...COUNT, maximum: LONGEST_WAIT },
  },
};
const SESSIONS = {
  sessions: {
    description:
      'The value all includes the requests of all sessions. By default, only those of the session.',
    schema: { type: 'string', enum: ['all'] },
  },
};
const LIMIT = {
  limit: {
    description: `Return only this many requests, the newest ones (default: all; ${MOST_OF_ALL} if sessions is all).`,
    schema: COUNT,
  },
};
const TOO_FEW = { description: 'Too few requests matched before the timeout.' };

/** The actions on the request log of a session. */
export const JOURNAL_ACTIONS = {
  listRequests: {
    method: 'GET',
    path: '/requests',
    summary: 'List the requests of the session with their responses, oldest first.',
    query: {
      ...FILTER_PARAMETERS,
      ...SESSIONS,
      ...LIMIT,
      ...WAITING,
    },
    answers: {
      200: {
        description: 'The matching requests.',
        schema: {
          type: 'object',
          required: ['requests'],
          properties: { requests: { type: 'array', items: { $ref: '#/components/schemas/Exchange' } } },
        },
      },
      408: TOO_FEW,
    },
    read: readQuestion,
    run: async ({ reader, session, whenDone }, question: JournalQuestion) => ({
      requests: await reader.find(session, question, whenDone),
    }),
  },
  clearRequests: {
    method: 'DELETE',
    path: '/requests',
    summary: 'Clear the request log of the session.',
    answers: { 204: { description: 'The request log is empty.' } },
    run: ({ reader, session }) => reader.clear(session),
  },
  countRequests: {
    method: 'GET',
    path: '/requests/count',
    summary: 'Count the matching requests of the session.',
    query: { ...FILTER_PARAMETERS, ...SESSIONS, ...WAITING },
    answers: {
      200: {
        description: 'The number of matching requests.',
        schema: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } },
      },
      408: TOO_FEW,
    },
    read: readQuestion,
    run: async ({ reader, session, whenDone }, question: JournalQuestion) => ({
      count: await reader.count(session, question, whenDone),
    }),
  },
  exportRequests: {
    method: 'GET',
    path: '/requests/har',
    summary: 'Return the requests of the session as an HTTP archive (HAR 1.2), without secrets.',
    query: { ...FILTER_PARAMETERS, ...SESSIONS, ...LIMIT },
    answers: {
      200: {
        description: 'The matching requests. Browsers and other tools open the file.',
        schema: { type: 'object', required: ['log'], properties: { log: { type: 'object' } } },
      },
    },
    read: readQuestion,
    run: async ({ reader, session }, question: JournalQuestion) =>
      writeHar(await reader.find(session, question)),
    write: (har: HarFile) => ({
      status: 200,
      headers: {
        'content-type': 'application/json',
        'content-disposition': 'attachment; filename="requests.har"',
      },
      body: JSON.stringify(har),
    }),
  },
  streamEvents: {
    method: 'GET',
    path: '/events',
    summary: 'Stream the requests of the session as server-sent events.',
    query: SESSIONS,
    answers: {
      200: {
        description:
          'A text/event-stream that stays open. Each request with its response is an event named exchange.',
      },
    },
    run: async ({ reader, session, whenDone }, { sessions }: { readonly sessions?: string }) => {
      const stream = reader.stream(session, sessions);
      whenDone?.(() => stream.destroy());
      return stream;
    },
    write: (stream: Readable) => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
      body: stream,
    }),
  },
} satisfies Readonly<Record<string, Action>>;

/** Reads a question to the request log. Its other texts are a filter. */
function readQuestion(texts: Readonly<Record<string, string>>): JournalQuestion {
  const { limit, sessions, timeout = '5000', wait = '0', ...filter } = texts;
  return {
    filter,
    sessions,
    limit: limit === undefined ? undefined : readCount('limit', limit, 1_000_000),
    wait: readCount('wait', wait, 1_000_000),
    timeout: readCount('timeout', timeout, LONGEST_WAIT),
  };
}
