import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { MockRequest } from './http.ts';

/** Whether an address of a peer is this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '');
  return plain === '::1' || /^127\.\d+\.\d+\.\d+$/.test(plain);
}

/** Whether a Host header, with or without a port, names this machine and nothing else. */
export function isLoopbackHost(host: string): boolean {
  const name = nameOf(host);
  // Not what ends in `.localhost`: anybody can have such a name resolve to anything.
  return name === 'localhost' || isLoopbackAddress(name);
}

/** Whether the Origin header of a page names this machine. */
export function isLocalOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackHost(url.host);
}

/**
 * Whether a Host header is one that a server may be asked by: loopback, the host it listens at, or one that is allowed.
 * Any other is what a page gets by DNS rebinding. `*` allows all. A server that listens at all addresses has each.
 */
export function createHostCheck(listening: string, allowed: readonly string[]): (host: string) => boolean {
  const known = new Set([listening, ...allowed].map((name) => name.toLowerCase().replace(/^\[|\]$/g, '')));
  const everywhere = known.has('0.0.0.0') || known.has('::');
  const isKnown = (host: string): boolean => {
    if (known.has('*') || isLoopbackHost(host)) return true;
    const name = nameOf(host);
    return known.has(name) || known.has(host.toLowerCase()) || (everywhere && isOwnAddress(name));
  };
  // Clients ask by one name; the addresses of a machine may change.
  let last: string | undefined;
  return (host) => {
    if (host === last && !everywhere) return true;
    if (!isKnown(host)) return false;
    last = host;
    return true;
  };
}

function isOwnAddress(name: string): boolean {
  if (isIP(name) === 0) return false;
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === name));
}

function nameOf(host: string): string {
  const lower = host.toLowerCase();
  return (/^\[([^\]]*)\](?::\d*)?$/.exec(lower)?.[1] ?? lower.replace(/:\d*$/, '')).replace(/\.$/, '');
}

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
