import { type ControlCall, ControlError, type Endpoint, json, NO_CONTENT } from '../endpoint.ts';
import { streamEvents } from './events.ts';
import type { JournalEntry } from './journal.ts';
import type { JournalFilter, JournalView } from './journal-view.ts';
import { waitForRequests } from './wait.ts';

const FILTERS = {
  method: 'Such as POST.',
  path: 'The whole path, without the query.',
  model: 'Such as brand.',
  operation: 'An operationId such as createBrand, or an operation such as create.',
  recordId: 'The id of the record.',
  status: 'The status of the answer; 0 where the connection was dropped.',
  fault: 'The id of the fault that was met; prefer for one that the request asked for.',
  since: 'The id of an exchange, or a time; only what came after it.',
};
const WAITING = {
  wait: 'Answers when so many match.',
  timeout: 'Milliseconds to wait at most, 5000 when absent and at most 60000; then 408.',
};

/** The journal of a session, and its exchanges as they happen. */
export function journalEndpoints(view: JournalView): Endpoint[] {
  const find = ({ query, session, whenDone }: ControlCall): Promise<readonly JournalEntry[]> => {
    const count = readCount(query, 'wait', 1_000_000);
    const timeout = readCount(query, 'timeout', 60_000) ?? 5000;
    return waitForRequests(session.journal, view, readFilter(query), {
      count: count ?? 0,
      timeout,
      whenDone,
    });
  };
  const late = { 408: { description: 'So many did not come in time.' } };
  return [
    {
      method: 'GET',
      path: '/requests',
      id: 'listRequests',
      summary: 'The exchanges of the session, the newest last.',
      query: { ...FILTERS, limit: 'The newest so many.', ...WAITING },
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
      run: async (call) => {
        const found = await find(call);
        const limit = readCount(call.query, 'limit', 1_000_000) ?? found.length;
        return json(200, { requests: (limit === 0 ? [] : found.slice(-limit)).map(view.show) });
      },
    },
    {
      method: 'DELETE',
      path: '/requests',
      id: 'clearRequests',
      summary: 'Empties the journal of the session.',
      answers: { 204: { description: 'The journal is empty.' } },
      run: async ({ session }) => {
        session.journal.clear();
        return NO_CONTENT;
      },
    },
    {
      method: 'GET',
      path: '/requests/count',
      id: 'countRequests',
      summary: 'How many exchanges of the session match.',
      query: { ...FILTERS, ...WAITING },
      answers: {
        200: {
          description: 'Their number.',
          schema: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } },
        },
        ...late,
      },
      run: async (call) => json(200, { count: (await find(call)).length }),
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

function readFilter(query: URLSearchParams): JournalFilter {
  const known = [...Object.keys(FILTERS), ...Object.keys(WAITING), 'limit'];
  for (const name of query.keys())
    if (!known.includes(name))
      throw new ControlError(400, `The parameter ${name} is unknown; expected one of ${known.join(', ')}.`);
  const recordId = readCount(query, 'recordId', Number.MAX_SAFE_INTEGER);
  const status = readCount(query, 'status', 999);
  const since = query.get('since');
  if (since !== null && !/^\d+$/.test(since) && Number.isNaN(Date.parse(since)))
    throw new ControlError(
      400,
      `since is ${JSON.stringify(since)}; expected the id of an exchange or a time.`,
    );
  const texts = (['method', 'path', 'model', 'operation', 'fault'] as const).flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(texts),
    ...(recordId !== undefined && { recordId }),
    ...(status !== undefined && { status }),
    ...(since !== null && { since: /^\d+$/.test(since) ? Number(since) : since }),
  };
}

function readCount(query: URLSearchParams, name: string, most: number): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^\d{1,16}$/.test(text) && Number(text) <= most) return Number(text);
  throw new ControlError(
    400,
    `${name} is ${JSON.stringify(text)}; expected a whole number of at most ${most}.`,
  );
}
