import type { Readable } from 'node:stream';
import type { Action } from '../action.ts';
import { all, COUNT, given, INTEGER, object, oneOf, schemaOf } from '../schema.ts';
import { type LogQuestion, MOST_OF_ALL } from './request-log-reader.ts';
import { FILTERS } from './request-log-view.ts';

const LONGEST_WAIT = 600_000;
const TOO_FEW = 'Too few requests matched before the timeout.';
const SESSIONS = {
  sessions: given(
    'The value all includes the requests of all sessions. By default, only those of the session.',
    oneOf('all'),
  ),
};
const LIMIT = given(
  `Return only this many requests, the newest ones (default: all; ${MOST_OF_ALL} if sessions is all).`,
  COUNT,
);
const WAITING = {
  wait: given('Number of matching requests to wait for before the response.', COUNT),
  timeout: given('Maximum wait in milliseconds (default: 5000). After it, the status is 408.', {
    ...COUNT,
    maximum: LONGEST_WAIT,
  }),
};

export const LOG_ACTIONS = {
  listRequests: {
    route: 'GET /requests',
    summary: 'List the requests of the session with their responses, oldest first.',
    query: { ...FILTERS, ...SESSIONS, limit: LIMIT, ...WAITING },
    answers: {
      200: ['The matching requests.', object({ requests: all(schemaOf('Exchange')) })],
      408: TOO_FEW,
    },
    run: async ({ reader, session, whenDone }, question: LogQuestion) => ({
      requests: await reader.find(session, question, whenDone),
    }),
  },
  clearRequests: {
    route: 'DELETE /requests',
    summary: 'Clear the request log of the session.',
    answers: { 204: 'The request log is empty.' },
    run: async ({ session }) => session.requestLog.clear(),
  },
  countRequests: {
    route: 'GET /requests/count',
    summary: 'Count the matching requests of the session.',
    query: { ...FILTERS, ...SESSIONS, ...WAITING },
    answers: { 200: ['The number of matching requests.', object({ count: INTEGER })], 408: TOO_FEW },
    run: async ({ reader, session, whenDone }, question: LogQuestion) => ({
      count: await reader.count(session, question, whenDone),
    }),
  },
  streamEvents: {
    route: 'GET /events',
    summary: 'Stream the requests of the session as server-sent events.',
    query: SESSIONS,
    answers: {
      200: 'A text/event-stream that stays open. Each request with its response is an event named exchange.',
    },
    run: async ({ reader, session, whenDone }, { sessions }: Pick<LogQuestion, 'sessions'>) => {
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
