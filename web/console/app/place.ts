import { SHARED } from './api.ts';

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
  const query = new URLSearchParams(search);
  if (!query.has('session')) query.set('session', decodeURIComponent(session));
  if (query.get('session') === SHARED) query.delete('session');
  const parameters = query.toString();
  history.replaceState(null, '', `${address}__mock/${path}${parameters === '' ? '' : `?${parameters}`}`);
  return address;
}
