import { type MockRequest, splitTarget } from '../http/http.ts';
import { isDocumentPath } from '../operations/router.ts';

/** Everything below it is the mock's own and never part of the contract. */
export const CONTROL = '/__mock';
/** Pictures of generated records are traffic of the contract, and open wherever the API is. */
export const IMAGES = `${CONTROL}/images/`;
const PROBES = [`${CONTROL}/live`, `${CONTROL}/ready`];
/** The session of requests that name none. */
export const SHARED = 'default';

/** A URL parser would remove the names `.` and `..` from a path. */
export const SESSION_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/;

const HEADER = 'x-mock-session';
const PREFIX = /^\/__mock\/sessions\/([^/?#]*)(\/[^?#]*)/;

/** A request and whose it is. */
type Addressed = { readonly session: string; readonly request: MockRequest };

/** Finds the session of a request: by the prefix `/__mock/sessions/NAME`, which is removed, or by its header. */
export function addressSession(request: MockRequest): Addressed | { readonly invalid: string } {
  if (request.target.includes(CONTROL)) {
    const [path, search] = splitTarget(request.target);
    const [, name, rest] = PREFIX.exec(path) ?? [];
    if (name !== undefined && rest !== undefined)
      return SESSION_NAME.test(name)
        ? { session: name, request: { ...request, target: rest + search } }
        : { invalid: name };
  }
  const named = request.headers[HEADER];
  if (named === undefined) return { session: SHARED, request };
  return SESSION_NAME.test(named) ? { session: named, request } : { invalid: named };
}

/** Returns the maximum length of a body by target. A body of the control API can contain all records. */
export function createBodyLimit(ofContract: number, hasControl: boolean): (target: string) => number {
  return (target) => {
    if (!hasControl || !target.includes(CONTROL)) return ofContract;
    const addressed = addressSession({ method: 'GET', target, headers: {} });
    const isForControl = 'request' in addressed && isControl(addressed.request.target);
    return isForControl ? 16 * 2 ** 20 : ofContract;
  };
}

/** Whether a target tells a load balancer whether to use this mock. Such targets are open, and concern no session. */
export function isProbe(target: string): boolean {
  return target.startsWith(CONTROL) && PROBES.includes(splitTarget(target)[0]);
}

/** Whether a path belongs to the mock where an app has the same origin. `base` is the path before the models. */
export function isOwnPath(path: string, base: string): boolean {
  return isDocumentPath(path) || [base, CONTROL].some((own) => `${path}/`.startsWith(`${own}/`));
}

export function isControl(target: string): boolean {
  if (!target.includes(CONTROL)) return false;
  const [path] = splitTarget(target);
  if (path.startsWith(IMAGES)) return false;
  return path === CONTROL || path.startsWith(`${CONTROL}/`);
}

/** Returns the pattern of a path with variables, such as `/files/{id}`. Each variable matches one segment. */
export function patternOf(path: string): RegExp {
  const parts = path
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 ? `(?<${part}>[^/]+)` : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${parts.join('')}$`);
}

/** Says what is wrong with the name of a session or a snapshot. */
export function refuseName(name: string, what = 'session name'): string {
  return `The ${what} ${JSON.stringify(name)} is invalid. Use 1 to 64 of these characters: A-Z a-z 0-9 . _ -`;
}
