import { useEffect, useState } from 'preact/hooks';
import { useListener } from '../../ui/browser.ts';
import { type QueryValues, SHARED, searchOf } from './api.ts';

const IN_SESSION = /__mock\/sessions\/([^/?#]+)\/$/;

/** The address of the mock, from the place of the page. It ends with a slash. */
export const root = findRoot();

/**
 * A page at the address of a session, such as `/__mock/sessions/a/`, moves to the address of the console with that
 * session. Otherwise each request would be in session `a`, and the console could show no other one.
 */
function findRoot(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name=root]');
  const place = new URL(meta?.content ?? './', location.href).href;
  const [, session] = IN_SESSION.exec(place) ?? [];
  if (session === undefined) return place;
  const address = place.replace(IN_SESSION, '');
  const [path = '#/requests', search = ''] = location.hash.split('?', 2).filter(Boolean);
  const query = { session: decodeURIComponent(session), ...Object.fromEntries(new URLSearchParams(search)) };
  const hash = path + searchOf({ ...query, ...inSession(query.session) });
  history.replaceState(null, '', `${address}__mock/${hash}`);
  return address;
}

/**
 * The part of the address after `#`, such as `#/records/brand/5?session=a&sort=name`. It names the view, so that each
 * view has a link and Back works.
 */
export type ViewAddress = {
  /** The segments of the path, decoded. The first one names the view. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
};

/** The event of the page when another route is shown. */
const ROUTED = 'console-routed';
let shown = location.hash;
/** Asks whether the reader wants to leave the view. Undefined if nothing is lost. */
let guard: (() => Promise<boolean>) | undefined;

addEventListener('hashchange', async () => {
  const next = location.hash;
  if (next === shown) return;
  if (guard) {
    // The view stays until the reader has answered.
    history.pushState(null, '', shown);
    if (!(await guard())) return;
    guard = undefined;
    history.replaceState(null, '', next);
  }
  show();
});
addEventListener('beforeunload', (event) => {
  if (guard) event.preventDefault();
});

function show(): void {
  shown = location.hash;
  dispatchEvent(new Event(ROUTED));
}

/** Asks before the reader leaves the view, while `isEdited`. Returns the function that ends this at once. */
export function useGuard(isEdited: boolean, ask: () => Promise<boolean>): () => void {
  const end = () => {
    guard = undefined;
  };
  useEffect(() => {
    if (isEdited) guard = ask;
    return end;
  }, [isEdited]);
  return end;
}

export function readRoute(): ViewAddress {
  const [path = '', search = ''] = shown.replace(/^#\/?/, '').split('?', 2);
  return {
    path: path.split('/').filter(Boolean).map(decode),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The session that the address names, or the shared one. */
export function sessionOf({ query }: ViewAddress): string {
  return query.session ?? SHARED;
}

/** Returns the parameter that names a session in an address. */
export function inSession(name: string): QueryValues {
  return { session: name === SHARED ? undefined : name };
}

/** Returns the address of a view in the current session. */
export function href(path: readonly (string | number)[], query: QueryValues = {}): string {
  const session = readRoute().query.session;
  const hash = path.map((segment) => encodeURIComponent(segment)).join('/');
  return `${location.pathname}${location.search}#/${hash}${searchOf({ session, ...query })}`;
}

/** Opens a view. */
export function go(path: readonly (string | number)[], query: QueryValues = {}): void {
  location.hash = new URL(href(path, query), location.href).hash;
}

/** Opens a view in place of the current one, so that Back skips the current one. */
export function replace(path: readonly (string | number)[], query: QueryValues = {}): void {
  history.replaceState(null, '', href(path, query));
  show();
}

/** Changes parameters of the current view, without an entry in the history. */
export function setQuery(change: QueryValues): void {
  const { path, query } = readRoute();
  replace(path, { ...query, ...change });
}

/** The current route. The component renders again when it changes. */
export function useRoute(): ViewAddress {
  const [route, setRoute] = useState(readRoute);
  useListener(ROUTED, () => setRoute(readRoute()));
  return route;
}
