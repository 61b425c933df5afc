import type { Mark } from '../../ui/json.tsx';
import { readJson } from '../../ui/text.ts';

/** The event of the page after the console or the app changed the mock. */
export const CHANGED = 'mock-changed';

/** The session of requests that name none. */
export const SHARED = 'default';

/** Returns the name of a session for lists. */
export function shownName(session: string): string {
  return session === SHARED ? 'shared' : session;
}

/** Returns the name of a session in a sentence. */
export function nameOf(session: string): string {
  return session === SHARED ? 'the shared session' : session;
}

/** Returns the address of the mock for requests in a session. It ends with a slash. */
export function addressOf({ root, session }: Pick<Api, 'root' | 'session'>): string {
  return session === SHARED ? root : `${root}__mock/sessions/${session}/`;
}

/** A response that says that an action failed, and why. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly violations: readonly Mark[];
  constructor(status: number, detail: string, violations: readonly Mark[] = []) {
    super(detail);
    this.status = status;
    this.violations = violations;
  }
}

export type Api = {
  readonly root: string;
  readonly session: string;
  /** Returns the client for another session. */
  in(session: string): Api;
  /** Returns the headers of each request. */
  headers(more?: Record<string, string>): Record<string, string>;
  get<Result>(path: string, query?: Values): Promise<Result>;
  post<Result>(path: string, body?: unknown): Promise<Result>;
  put<Result>(path: string, body: unknown): Promise<Result>;
  patch<Result>(path: string, body: unknown): Promise<Result>;
  delete(path: string): Promise<undefined>;
  /** Stops requests, and waits for the open ones, because each would create a deleted session again. */
  leave(): Promise<void>;
  /** Opens a stream, which ends when the signal aborts. */
  open(path: string, query: Values, signal: AbortSignal): Promise<Response>;
};

/** Parameters of an address. Those without a value are left out. */
export type Values = Readonly<Record<string, string | number | boolean | undefined>>;

/** Returns `?a=1&b=2`, or no text if there are no parameters. */
export function searchOf(query: Values): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return pairs.length === 0
    ? ''
    : `?${new URLSearchParams(pairs.map(([name, value]) => [name, `${value}`]))}`;
}

/**
 * Returns a client of the control API for one session. `root` is the address of the mock, which ends with a slash. Without
 * access, `askToken` gives the token of `--control-token`, and the request is sent again.
 */
export function createApi(options: {
  readonly root: string;
  readonly session: string;
  readonly token: () => string | undefined;
  readonly askToken: (reason: string) => Promise<boolean>;
}): Api {
  const { askToken, root, session, token } = options;
  const underWay = new Set<Promise<Response>>();
  let isLeft = false;
  const headers = (more: Record<string, string> = {}): Record<string, string> => {
    const own = token();
    return {
      // The mock refuses a name with other characters, but a header can't have them.
      ...(session !== SHARED && { 'x-mock-session': encodeURIComponent(session) }),
      ...(own !== undefined && { authorization: `Bearer ${own}` }),
      ...more,
    };
  };
  const api: Api = {
    root,
    session,
    in: (name) => (name === session ? api : createApi({ ...options, session: name })),
    headers,
    get: (path, query = {}) => ask('GET', path, query),
    post: (path, body) => ask('POST', path, {}, body),
    put: (path, body) => ask('PUT', path, {}, body),
    patch: (path, body) => ask('PATCH', path, {}, body),
    delete: (path) => ask('DELETE', path),
    leave: async () => {
      isLeft = true;
      await Promise.allSettled(underWay);
    },
    open: (path, query, signal) => fetch(placeOf(path, query), { headers: headers(), signal }),
  };
  return api;

  function placeOf(path: string, query: Values = {}): string {
    return `${root}__mock${path}${searchOf(query)}`;
  }

  async function ask<Result>(
    method: string,
    path: string,
    query: Values = {},
    body?: unknown,
  ): Promise<Result> {
    const init: RequestInit = {
      method,
      headers: headers(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    if (isLeft) throw new ApiError(404, `The session ${session} is deleted.`);
    const sent = fetch(placeOf(path, query), init);
    underWay.add(sent);
    const response = await sent
      .catch(() => {
        throw new ApiError(0, 'The mock does not respond. Start it again, and this page goes on.');
      })
      .finally(() => underWay.delete(sent));
    const text = await response.text();
    if (response.ok) {
      const result = readResult(text) as Result;
      if (method !== 'GET') dispatchEvent(new Event(CHANGED));
      return result;
    }
    const { detail, violations } = readProblem(text, response.status);
    if (response.status === 403 && (await askToken(detail))) return ask(method, path, query, body);
    throw new ApiError(response.status, detail, violations);
  }
}

/** Maximum number of characters of a text that is not a problem, such as the page of a proxy. */
const LONGEST = 500;

function readResult(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(
      0,
      'The response is not JSON. Check that this address belongs to a mock, and that its control API is on.',
    );
  }
}

/** Reads a problem (RFC 9457). Another text is its own detail. */
function readProblem(text: string, status: number): { detail: string; violations: readonly Mark[] } {
  const { detail, violations } = Object(readJson(text));
  if (typeof detail === 'string') return { detail, violations: Array.isArray(violations) ? violations : [] };
  const other = text.trim() === '' ? `The mock returned ${status} without a reason.` : text.slice(0, LONGEST);
  return { detail: other, violations: [] };
}
