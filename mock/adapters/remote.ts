import { type Action, type RunAction, routeOf } from '../control/action.ts';
import { type SessionApi, sessionMethods } from '../control/sessions/session-api.ts';
import { SHARED } from '../http/http.ts';

/** A session of a mock that runs elsewhere, with the methods of a session in the same process. */
export type RemoteSession = SessionApi & {
  readonly name: string;
  /** The base URL of the session for a client. */
  readonly url: string;
};

/** A mock that runs elsewhere. */
export type RemoteMock = { session(name: string): RemoteSession };

/**
 * Connects to a mock at its address, such as `http://127.0.0.1:4010`, or at that of a server that forwards `/__mock` to
 * it. If the control API refuses a call, its promise rejects with the message.
 */
export function connectMock(address: string): RemoteMock {
  const base = address.replace(/\/+$/, '');
  return { session: (name) => connectSession(base, name) };
}

function connectSession(base: string, name: string): RemoteSession {
  const url = `${base}/__mock/sessions/${encodeURIComponent(name)}`;
  const run: RunAction = async (action, given) => {
    const { body, method, path } = requestOf(action, { ...given });
    const init = action.body && { body, headers: { 'content-type': 'application/json' } };
    const response = await ask(`${url}/__mock${path}`, { method, ...init });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} failed with status ${response.status}: ${detailIn(text)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  /** Sends a request to the control API. Something else at the address has no such API. */
  const ask = async (address: string, init: RequestInit) => {
    const response = await ownFetch(address, init).catch((error) => {
      throw new Error(noMockAt(base, ''), { cause: error });
    });
    const { headers, status } = response;
    const isOther = !headers.get('content-type')?.includes('json');
    if (isOther && (status === 200 || status === 404))
      throw new Error(noMockAt(base, ', but another server'));
    return response;
  };
  return {
    name,
    url,
    ...sessionMethods(run),
    delete: async () => {
      const response = await ask(url, { method: 'DELETE' });
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

function noMockAt(base: string, instead: string): string {
  return `There is no mock at ${base}${instead}. Start it with "npx record-model mock", or add recordModelMock() to vite.config.ts.`;
}

/**
 * Sends a request on a new connection. The mock can close a kept connection at the moment of the next request. Then the
 * client can't know whether the mock ran the request.
 */
function ownFetch(url: string, init: Request | RequestInit): Promise<Response> {
  const request = new Request(url, init);
  request.headers.set('connection', 'close');
  return fetch(request);
}

/** Returns the method, the path with its query, and the body of an action with its values. */
function requestOf(
  action: Pick<Action, 'body' | 'bodyAs' | 'route' | 'query'>,
  given: Readonly<Record<string, unknown>>,
) {
  const { method, path, variables } = routeOf(action);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(given[name] ?? '')));
  const others = Object.entries(given).filter(
    ([name, value]) => value !== undefined && !variables.includes(name),
  );
  const { bodyAs, query = {} } = action;
  const isInQuery = (name: string) => !action.body || Object.hasOwn(query, name);
  const { search = [], sent = [] } = Object.groupBy(others, ([name]) =>
    isInQuery(name) ? 'search' : 'sent',
  );
  const parameters = new URLSearchParams(
    search.map(([name, value]): [string, string] => [name, String(value)]),
  );
  return {
    method,
    path: search.length === 0 ? filled : `${filled}?${parameters}`,
    body: JSON.stringify(bodyAs === undefined ? Object.fromEntries(sent) : given[bodyAs]),
  };
}

/** Returns the detail of a problem (RFC 9457), or the text itself. */
function detailIn(text: string): string {
  try {
    return JSON.parse(text).detail ?? text;
  } catch {
    return text;
  }
}
