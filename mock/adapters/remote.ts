import { SHARED } from '../control/address.ts';
import { type RunAction, type SessionApi, sessionMethods } from '../control/sessions/session-api.ts';

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
  const run: RunAction = async (action, given) => {
    const { body, method } = action;
    const [place, left] = fillPath(action.path, { ...given });
    const path = body ? place : place + queryOf(left);
    const init = body && { body: JSON.stringify(left), headers: { 'content-type': 'application/json' } };
    const response = await ownFetch(`${url}/__mock${path}`, { method, ...init });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} failed with status ${response.status}: ${detailIn(text)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    name,
    url,
    ...sessionMethods(run),
    delete: async () => {
      const response = await ownFetch(url, { method: 'DELETE' });
      const text = await response.text();
      // An unused session does not exist.
      if (response.ok || (response.status === 404 && name !== SHARED)) return;
      throw new Error(`DELETE failed with status ${response.status}: ${detailIn(text)}`);
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

type Given = Readonly<Record<string, unknown>>;

/** Returns the path of an action with its values, and the values that are not in the path. */
function fillPath(path: string, given: Given): readonly [path: string, left: Given] {
  const left = { ...given };
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = encodeURIComponent(String(left[name] ?? ''));
    delete left[name];
    return value;
  });
  return [filled, left];
}

/** Returns values as a query. The values of a filter are parameters. */
function queryOf({ filter, ...given }: Given): string {
  const values = Object.entries<unknown>({ ...(filter as object | undefined), ...given });
  const query = new URLSearchParams();
  for (const [name, value] of values) if (value !== undefined) query.append(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

/** Returns the detail of a problem (RFC 9457), or the text itself. */
function detailIn(text: string): string {
  try {
    return JSON.parse(text).detail ?? text;
  } catch {
    return text;
  }
}
