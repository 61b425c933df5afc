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
export function addressOf({ root, session }: Pick<ConsoleApi, 'root' | 'session'>): string {
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

/** Parameters of an address. Those without a value are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Returns `?a=1&b=2`, or no text if there are no parameters. */
export function searchOf(query: QueryValues): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return pairs.length === 0
    ? ''
    : `?${new URLSearchParams(pairs.map(([name, value]) => [name, `${value}`]))}`;
}

export type ConsoleApi = ReturnType<typeof createClient> & {
  /** Returns the client for another session. */
  in(session: string): ConsoleApi;
};

type ApiOptions = {
  /** The address of the mock, which ends with a slash. */
  readonly root: string;
  readonly session: string;
  readonly token: () => string | undefined;
  /** Gives the token of `--control-token` to a request without access, which is then sent again. */
  readonly askToken: (reason: string) => Promise<boolean>;
};

/** Returns a client of the control API for one session. */
export function createApi(options: ApiOptions): ConsoleApi {
  const api: ConsoleApi = {
    ...createClient(options),
    in: (session) => (session === options.session ? api : createApi({ ...options, session })),
  };
  return api;
}

function createClient({ askToken, root, session, token }: ApiOptions) {
  const underWay = new Set<Promise<Response>>();
  let isLeft = false;
  return {
    root,
    session,
    get: <Result>(path: string, query: QueryValues = {}) => ask<Result>('GET', path + searchOf(query)),
    post: <Result>(path: string, body?: unknown) => ask<Result>('POST', path, body),
    put: (path: string, body: unknown) => ask('PUT', path, body),
    patch: <Result>(path: string, body: unknown) => ask<Result>('PATCH', path, body),
    delete: (path: string) => ask('DELETE', path),
    /** Stops requests, and waits for the open ones, because each would create a deleted session again. */
    leave: async () => {
      isLeft = true;
      await Promise.allSettled(underWay);
    },
    /** Opens a stream, which ends when the signal aborts. */
    open: (path: string, signal: AbortSignal) => send(path, { signal }),
  };

  function send(path: string, init: RequestInit): Promise<Response> {
    const own = token();
    const headers = {
      // The mock refuses a name with other characters, but a header can't have them.
      ...(session !== SHARED && { 'x-mock-session': encodeURIComponent(session) }),
      ...(own !== undefined && { authorization: `Bearer ${own}` }),
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
    };
    return fetch(`${root}__mock${path}`, { ...init, headers });
  }

  async function ask<Result>(method: string, path: string, body?: unknown): Promise<Result> {
    if (isLeft) throw new ApiError(404, `The session ${session} is deleted.`);
    const sent = send(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    underWay.add(sent);
    const response = await sent
      .catch(() => {
        throw new ApiError(0, 'The mock does not respond. Start it again, and this page goes on.');
      })
      .finally(() => underWay.delete(sent));
    const text = await response.text();
    if (response.ok) {
      const result = text === '' ? undefined : readJson(text);
      if (result === text)
        throw new ApiError(
          0,
          'The response is not JSON. Check that this address belongs to a mock, and that its control API is on.',
        );
      if (method !== 'GET') dispatchEvent(new Event(CHANGED));
      return result as Result;
    }
    const { detail, violations } = readProblem(text, response.status);
    if (response.status === 403 && (await askToken(detail))) return ask(method, path, body);
    throw new ApiError(response.status, detail, violations);
  }
}

/** Maximum number of characters of a text that is not a problem, such as the page of a proxy. */
const LONGEST = 500;

/** Reads a problem (RFC 9457). Another text is its own detail. */
function readProblem(text: string, status: number): { detail: string; violations: readonly Mark[] } {
  const { detail, violations } = Object(readJson(text));
  if (typeof detail === 'string') return { detail, violations: Array.isArray(violations) ? violations : [] };
  const other = text.trim() === '' ? `The mock returned ${status} without a reason.` : text.slice(0, LONGEST);
  return { detail: other, violations: [] };
}
