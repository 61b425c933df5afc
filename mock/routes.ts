import { UsageError } from '../spec/files/usage-error.ts';
import type { SessionApi } from './control/sessions/session-api.ts';
import { CONTROL, type MockRequest, patternOf, splitTarget } from './http/http.ts';
import { asReply, problem, type Reply } from './operations/reply.ts';
import { decodeSegment, isDocumentPath } from './operations/router.ts';

/** The second argument of a route. */
export type RouteContext = {
  /** The session of the request. */
  readonly mock: SessionApi;
  /** The values of the path, by name: `id` of `GET /api/files/{id}`. */
  readonly values: Readonly<Record<string, string>>;
};

/** Answers the requests to an endpoint that is not part of the API, such as a login. */
export type Route = (request: Request, context: RouteContext) => Response | Promise<Response>;

/** Routes by method and path, such as `POST /api/login`. */
export type Routes = Readonly<Record<string, Route>>;

type Read = {
  readonly key: string;
  readonly route: Route;
  readonly method: string;
  readonly pattern: RegExp;
};

/** Returns the routes of a mock. Throws UsageError for a key that is no method and path, or that the API has. */
export function createRoutes(given: Routes, base: string) {
  const routes = Object.entries(given).map(([key, route]): Read => ({ key, route, ...readKey(key, base) }));
  return {
    /** The paths, with the names of their values. */
    paths: routes.map(({ key }) => key.slice(key.indexOf(' ') + 1)),
    hasPath: (path: string) => routes.some(({ pattern }) => pattern.test(path)),
    /** Returns a function that answers the request; undefined if no route does. */
    find(request: MockRequest, mock: () => SessionApi): (() => Promise<Reply>) | undefined {
      const [path] = splitTarget(request.target);
      for (const one of routes) {
        const found = one.method === request.method ? one.pattern.exec(path) : null;
        if (!found) continue;
        const groups = Object.entries(found.groups ?? {});
        const values = Object.fromEntries(groups.map(([name, value]) => [name, decodeSegment(value)]));
        return () => answer(request, one, { mock: mock(), values });
      }
      return undefined;
    },
  };
}

function readKey(key: string, base: string): Pick<Read, 'method' | 'pattern'> {
  const [, method, path] = /^([A-Z]+) (\/[^\s?#]*)$/.exec(key) ?? [];
  if (method === undefined || path === undefined)
    throw new UsageError(`Invalid route ${JSON.stringify(key)}. Use a method and a path: "POST /api/login".`);
  if (isOwnPath(path, base))
    throw new UsageError(`The route "${key}" is a path of the mock. Use another path, or a fault.`);
  return { method, pattern: patternOf(path) };
}

async function answer(request: MockRequest, { key, route }: Read, context: RouteContext): Promise<Reply> {
  const { body, headers, method, target } = request;
  if (body === 'too-large')
    return problem(413, 'The body is longer than the mock accepts. Send a shorter one.');
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
  const url = new URL(target, `http://${headers.host ?? 'localhost'}`);
  try {
    const asked = new Request(url, { method, headers, ...(hasBody ? { body: new Uint8Array(body) } : {}) });
    const response = await route(asked, context);
    if (!(response instanceof Response)) return problem(500, `The route "${key}" returned no Response.`);
    const bytes = Buffer.from(await response.arrayBuffer());
    const cookies = response.headers.getSetCookie();
    const all = Object.fromEntries(response.headers);
    const served = cookies.length > 0 ? { ...all, 'set-cookie': cookies } : all;
    return asReply({ status: response.status, headers: served, body: bytes }, bytes.toString());
  } catch (error) {
    return problem(500, `The route "${key}" failed: ${(error as Error)?.message ?? error}`);
  }
}

/** Whether a path belongs to the mock where an app has the same origin. `base` is the path before the models. */
export function isOwnPath(path: string, base: string): boolean {
  return isDocumentPath(path) || [base, CONTROL].some((own) => `${path}/`.startsWith(`${own}/`));
}
