import { SHARED } from '../control/address.ts';
import type { ListedFault } from '../control/faults/faults.ts';
import type { RecordedRequest } from '../control/journal/journal-view.ts';
import type { SessionApi } from '../control/sessions/session-api.ts';

/** A session of a mock that runs elsewhere, in the words of the one in the same process. */
export type RemoteSession = Omit<SessionApi, 'records'> & {
  readonly name: string;
  /** What a client takes for the address of the API, so that its requests are of this session. */
  readonly url: string;
};

/** A mock that runs elsewhere. */
export type RemoteMock = { session(name: string): RemoteSession };

/**
 * Reaches a mock by its address, such as `http://127.0.0.1:4010`, or by that of a server that passes `/__mock` on to
 * it. What the control plane refuses, rejects with what it says.
 */
export function connectMock(address: string): RemoteMock {
  const base = address.replace(/\/+$/, '');
  return { session: (name) => connectSession(base, name) };
}

function connectSession(base: string, name: string): RemoteSession {
  const url = `${base}/__mock/sessions/${encodeURIComponent(name)}`;
  const send = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const response = await ownFetch(`${url}/__mock${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (response.ok) return response;
    const text = await response.text();
    throw new Error(`${method} ${path} failed with status ${response.status}: ${detailIn(text)}`);
  };
  const ask = async <Answer>(path: string) => (await (await send('GET', path)).json()) as Answer;
  const tell = async (method: string, path: string, body?: unknown) => {
    await (await send(method, path, body)).arrayBuffer();
  };
  const requests = async (query: object) =>
    (await ask<{ requests: RecordedRequest[] }>(`/requests${search(query)}`)).requests;
  return {
    name,
    url,
    reset: () => tell('POST', '/reset'),
    state: (models) => ask(`/state${search(models ? { models: models.join(',') } : {})}`),
    setState: (state) => tell('PUT', '/state', state),
    patchState: (state) => tell('PATCH', '/state', state),
    snapshot: (snapshot, options) => tell('POST', '/snapshots', { name: snapshot, ...options }),
    restore: (snapshot) => tell('POST', `/snapshots/${encodeURIComponent(snapshot)}/restore`),
    requests: (filter = {}) => requests(filter),
    count: async (filter = {}) => (await ask<{ count: number }>(`/requests/count${search(filter)}`)).count,
    waitFor: (filter, { count = 1, timeout = 5000 } = {}) => requests({ ...filter, wait: count, timeout }),
    clearRequests: () => tell('DELETE', '/requests'),
    fault: async (rule) => ((await (await send('POST', '/faults', rule)).json()) as { id: string }).id,
    faults: async () => (await ask<{ faults: ListedFault[] }>('/faults')).faults,
    clearFaults: (id) => tell('DELETE', id === undefined ? '/faults' : `/faults/${encodeURIComponent(id)}`),
    delete: async () => {
      const response = await ownFetch(url, { method: 'DELETE' });
      const text = await response.text();
      // A session that nobody used is not there.
      if (response.ok || (response.status === 404 && name !== SHARED)) return;
      throw new Error(`DELETE failed with status ${response.status}: ${detailIn(text)}`);
    },
    clock: {
      now: async () => new Date((await ask<{ now: string }>('/clock')).now),
      set: (change) => tell('PUT', '/clock', change),
      advance: (ms) => tell('POST', '/clock/advance', { ms }),
    },
    fetch: (request) => {
      const { pathname, search: query } = new URL(request.url);
      return ownFetch(url + pathname + query, request);
    },
  };
}

/**
 * Sends a request on a connection of its own. A kept connection can be closed by the mock at the moment of the next
 * request, and nobody knows then whether the mock has done what it asks for.
 */
function ownFetch(url: string, init: Request | RequestInit): Promise<Response> {
  const request = new Request(url, init);
  request.headers.set('connection', 'close');
  return fetch(request);
}

function search(values: object): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** What a problem says (RFC 9457), or else the text. */
function detailIn(text: string): string {
  try {
    return JSON.parse(text).detail ?? text;
  } catch {
    return text;
  }
}
