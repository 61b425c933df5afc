import { useEffect, useState } from 'preact/hooks';
import { SHARED } from './api.ts';

/**
 * The part of the address after `#`, such as `#/records/brand/5?session=a&sort=name`. It names the view, so that each
 * view has a link and Back works.
 */
export type Route = {
  /** The segments of the path, decoded. The first one names the view. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
};

/** Parameters with a value; undefined removes one. */
export type Query = Readonly<Record<string, string | number | undefined>>;

export function readRoute(): Route {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
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
export function sessionOf({ query }: Route): string {
  return query.session ?? SHARED;
}

/** Returns the address of a view in the current session. */
export function href(path: readonly (string | number)[], query: Query = {}): string {
  const session = readRoute().query.session;
  const all = Object.entries({ session, ...query }).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  const search = new URLSearchParams(all.map(([name, value]) => [name, String(value)])).toString();
  const hash = path.map((segment) => encodeURIComponent(segment)).join('/');
  return `${location.pathname}${location.search}#/${hash}${search === '' ? '' : `?${search}`}`;
}

/** Opens a view. */
export function go(path: readonly (string | number)[], query: Query = {}): void {
  location.hash = new URL(href(path, query), location.href).hash;
}

/** Opens a view in place of the current one, so that Back skips the current one. */
export function replace(path: readonly (string | number)[], query: Query = {}): void {
  history.replaceState(null, '', href(path, query));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Changes parameters of the current view, without an entry in the history. */
export function setQuery(change: Query): void {
  const { path, query } = readRoute();
  replace(path, { ...query, ...change });
}

/** The current route. The component renders again when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const read = () => setRoute(readRoute());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return route;
}
