import { unexpected } from '../../../spec/files/usage-error.ts';
import { type ControlCall, ControlError, type Endpoint, json } from '../endpoint.ts';
import { streamEvents } from './events.ts';
import { FILTER_PARAMETERS, readCount, readFilter } from './journal-filter.ts';
import type { JournalView } from './journal-view.ts';
import type { JournalQuestion, JournalReader } from './reader.ts';

const LONGEST_WAIT = 60_000;
const COUNT = { type: 'integer', minimum: 0 };
const LIMIT = { description: 'The newest so many.', schema: COUNT };
const WAITING = {
  wait: { description: 'Answers when so many match.', schema: COUNT },
  timeout: {
    description: 'Milliseconds to wait at most, 5000 when absent; then 408.',
    schema: { ...COUNT, maximum: LONGEST_WAIT },
  },
};

/** The journal of a session, and its exchanges as they happen. */
export function journalEndpoints(view: JournalView, reader: JournalReader): Endpoint[] {
  const late = { 408: { description: 'So many did not come in time.' } };
  return [
    {
      method: 'GET',
      path: '/requests',
      id: 'listRequests',
      summary: 'The exchanges of the session, the newest last.',
      query: { ...FILTER_PARAMETERS, limit: LIMIT, ...WAITING },
      answers: {
        200: {
          description: 'The exchanges that match.',
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
      summary: 'Empties the journal of the session.',
      answers: { 204: { description: 'The journal is empty.' } },
      run: ({ session }) => reader.clear(session),
    },
    {
      method: 'GET',
      path: '/requests/count',
      id: 'countRequests',
      summary: 'How many exchanges of the session match.',
      query: { ...FILTER_PARAMETERS, ...WAITING },
      answers: {
        200: {
          description: 'Their number.',
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
      summary: 'The exchanges of the session as server-sent events, each as it happens.',
      answers: { 200: { description: 'An endless text/event-stream of events named exchange.' } },
      run: async ({ session, whenDone }) => {
        const stream = streamEvents(session, view);
        whenDone(() => stream.destroy());
        const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
        return { status: 200, headers, body: stream };
      },
    },
  ];
}

function readQuestion({ query, whenDone }: ControlCall): JournalQuestion {
  refuseUnknown(query);
  const limit = query.get('limit');
  return {
    filter: readFilter(query),
    limit: limit === null ? undefined : readCount('limit', limit, 1_000_000),
    count: readCount('wait', query.get('wait') ?? '0', 1_000_000),
    timeout: readCount('timeout', query.get('timeout') ?? '5000', LONGEST_WAIT),
    whenDone,
  };
}

function refuseUnknown(query: URLSearchParams): void {
  const known = [...Object.keys(FILTER_PARAMETERS), ...Object.keys(WAITING), 'limit'];
  for (const name of query.keys())
    if (!known.includes(name)) throw new ControlError(400, unexpected('parameter', name, known));
}
