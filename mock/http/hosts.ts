import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { UsageError } from '../../spec/files/usage-error.ts';
import { headerIn, type Profile } from '../../spec/profile/profile.ts';
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

/** Whether a request has several Host headers: Node takes the first one, a proxy before it might take the last. */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  return hosts > 1;
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
 * the same process is trusted. Only the address of a page can make it trusted: a page that hides its address is
 * another.
 */
export function senderOf({ corsOrigins = [], headers, peer }: MockRequest): Sender {
  const { host = '', origin, referer } = headers;
  const site = headers['sec-fetch-site'];
  if (peer === undefined) return 'own';
  if (origin === undefined && (site === 'same-origin' || site === 'none')) return 'own';
  // No page sends an Origin with a plain GET, so the Referer replaces it.
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

/**
 * Whether a user follows a link in the main frame. A page of another origin can send this and learn nothing from it.
 */
export function isNavigation({ headers, method }: MockRequest): boolean {
  // Browsers leave these headers out for an address that isn't trustworthy.
  const { 'sec-fetch-dest': target = 'document', 'sec-fetch-mode': mode = 'navigate' } = headers;
  return method === 'GET' && headers.origin === undefined && mode === 'navigate' && target === 'document';
}

type CorsHeaders = Readonly<Record<string, string>>;

/** The part of a request that shows whether it is a preflight. */
type AskedBeforehand = {
  readonly method?: string | undefined;
  readonly headers: {
    readonly [Name in 'origin' | `access-control-request-${'headers' | 'method' | 'private-network'}`]?:
      | string
      | undefined;
  };
};

/**
 * What pages of other origins may read (Fetch standard, 3.3). By hand: libraries write to the response at once, and
 * here the headers go with an answer that is made later.
 */
export type Cors = {
  /** The headers that let a page of an origin read an answer. */
  headersFor(origin: string | undefined): CorsHeaders;
  /** Returns the headers of the response to a preflight of a trusted page; undefined for any other request. */
  preflight(request: AskedBeforehand): CorsHeaders | undefined;
};

/** Returns the CORS headers of a service for its current profile; undefined for a service without a profile. */
export function createCurrentCors(
  service: { readonly profile?: Profile },
  allowed: readonly string[],
): () => Cors | undefined {
  for (const one of allowed)
    if (!ORIGIN.test(one))
      throw new UsageError(`"${one}" is not an origin. Pass one such as https://app.example.com.`);
  let known: { readonly profile: Profile; readonly cors: Cors } | undefined;
  return () => {
    const { profile } = service;
    if (profile && profile !== known?.profile) known = { profile, cors: createCors(profile, allowed) };
    return profile && known?.cors;
  };
}

/** The origin of a native app can have another scheme than http. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+\/?$/i;

/**
 * Lets pages of this machine and of the named origins read every response, with credentials and from another network.
 */
function createCors(profile: Profile, allowed: readonly string[]): Cors {
  const exposed = ['Allow', 'Location', 'Retry-After', 'WWW-Authenticate'];
  const total = headerIn(profile['response.total']);
  if (total !== undefined) exposed.push(total);
  const shared = { 'access-control-expose-headers': exposed.join(', '), vary: 'Origin' };
  const isTrusted = (origin: string) => isLocalOrigin(origin) || isNamed(origin, allowed);
  return {
    headersFor: (origin) =>
      origin !== undefined && isTrusted(origin) ? { ...shared, ...withCredentials(origin) } : shared,
    preflight: ({ headers, method }) => {
      if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined;
      const { origin = '' } = headers;
      if (!isTrusted(origin)) return undefined;
      const isToPrivate = headers['access-control-request-private-network'] === 'true';
      return {
        ...withCredentials(origin),
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        // `*` would not cover Authorization (Fetch standard, 4.10).
        'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
        'access-control-max-age': '600',
        vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Private-Network',
        ...(isToPrivate ? { 'access-control-allow-private-network': 'true' } : {}),
      };
    },
  };
}

function withCredentials(origin: string): CorsHeaders {
  return { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
}
