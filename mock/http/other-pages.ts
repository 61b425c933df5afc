import { isLocalOrigin, isLoopbackHost } from './hosts.ts';
import type { MockRequest } from './http.ts';

/**
 * Where a request comes from: from a program, or a page of this machine or of the service's own origin (`own`), from a
 * page whose origin the user named (`named`), or from any other page (`other`).
 */
export type Sender = 'own' | 'named' | 'other';

/**
 * Returns the sender of a request, by what a browser says of it (Fetch standard, 3.2; Fetch Metadata, 2). A request in
 * the same process is trusted. Only the address of a page can make it trusted: a page that hides its address is another.
 */
export function senderOf({ corsOrigins = [], headers, peer }: MockRequest): Sender {
  const { host = '', origin, referer } = headers;
  const site = headers['sec-fetch-site'];
  if (peer === undefined) return 'own';
  if (origin === undefined && (site === 'same-origin' || site === 'none')) return 'own';
  // No page sends an Origin with a plain GET, so the Referer stands in for it.
  const address = origin ?? referer;
  if (address !== undefined) return senderAt(address, host, corsOrigins);
  const isOwn = site === undefined || (site === 'same-site' && isLoopbackHost(host));
  return isOwn ? 'own' : 'other';
}

function senderAt(address: string, host: string, named: readonly string[]): Sender {
  const url = URL.parse(address);
  if (!url) return 'other';
  if (isLocalOrigin(address) || isHttpAt(url, host)) return 'own';
  // The origin of a URL with another scheme than HTTP is opaque.
  const origin = /^https?:$/.test(url.protocol) ? url.origin : address.toLowerCase();
  return isNamed(origin, named) ? 'named' : 'other';
}

function isHttpAt({ host, protocol }: URL, name: string): boolean {
  return /^https?:$/.test(protocol) && host === name.toLowerCase();
}

/** Whether an origin is one of those that the user named. */
export function isNamed(origin: string, named: readonly string[]): boolean {
  return named.some((one) => one.toLowerCase().replace(/\/$/, '') === origin.toLowerCase());
}

/** Whether a user follows a link in the main frame. A page of another origin can send this and learn nothing from it. */
export function isNavigation({ headers, method }: MockRequest): boolean {
  // Browsers leave these headers out for an address that isn't trustworthy.
  const { 'sec-fetch-dest': target = 'document', 'sec-fetch-mode': mode = 'navigate' } = headers;
  return method === 'GET' && headers.origin === undefined && mode === 'navigate' && target === 'document';
}
