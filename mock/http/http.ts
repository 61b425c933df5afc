import { hash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, isIP, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Readable } from 'node:stream';
import { MIMEType } from 'node:util';
import { UsageError } from '../../spec/files/usage-error.ts';
import { onceFor } from '../../spec/once-for.ts';
import { headerIn, type Profile } from '../../spec/profile/profile.ts';

/** Names in small letters; those that stand several times are joined. */
export type Headers = Readonly<Record<string, string>>;

/** A request as every server has it: header names in small letters, the target as in the request line. */
export type MockRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  /** The body; `too-large` if it exceeds the limit. */
  readonly body?: Uint8Array | 'too-large' | undefined;
  /** The address of the client; absent in the same process. */
  readonly peer?: string | undefined;
  /** Origins whose pages can use the service, in addition to those of this machine. */
  readonly corsOrigins?: readonly string[] | undefined;
};

/** An answer of a service that may also pass on what it did not make: bytes, or a stream that has no end yet. */
export type ServedReply = {
  readonly status: number;
  /** Names in small letters; a header that stands several times has a list. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array | Readable;
};

/** The result for a client: a reply, or a connection that closes without one. */
export type Answer = ServedReply | 'dropped';

/** Registers a function to call when the connection of a response ends, also if the client disconnects. */
export type WhenDone = (stop: () => void) => void;

/** The path and the query of a target; the query with its question mark, empty when there is none. */
export function splitTarget(target: string): [path: string, search: string] {
  // A proxy may be asked with the whole address (RFC 9112, 3.2.2).
  const whole = target.startsWith('/') ? target : (/^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1] ?? target);
  const fragment = whole.indexOf('#');
  const plain = fragment < 0 ? whole : whole.slice(0, fragment);
  const mark = plain.indexOf('?');
  return mark < 0 ? [plain, ''] : [plain.slice(0, mark), plain.slice(mark)];
}

/** Everything below it is the mock's own and never part of the contract. */
export const CONTROL = '/__mock';
/** Pictures of generated records are traffic of the contract, and open wherever the API is. */
export const IMAGES = `${CONTROL}/images/`;
const PROBES = [`${CONTROL}/live`, `${CONTROL}/ready`];
/** The session of requests that name none. */
export const SHARED = 'default';

/** A URL parser would remove the names `.` and `..` from a path. */
export const SESSION_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/;

const PREFIX = /^\/__mock\/sessions\/([^/?#]*)(\/[^?#]*)/;

/** Finds the session of a request: by the prefix `/__mock/sessions/NAME`, which is removed, or by its header. */
export function addressSession(
  request: MockRequest,
): { readonly session: string; readonly request: MockRequest } | { readonly invalid: string } {
  if (request.target.includes(CONTROL)) {
    const [path, search] = splitTarget(request.target);
    const [, name, rest] = PREFIX.exec(path) ?? [];
    if (name !== undefined && rest !== undefined)
      return SESSION_NAME.test(name)
        ? { session: name, request: { ...request, target: rest + search } }
        : { invalid: name };
  }
  const named = request.headers['x-mock-session'];
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

export function isControl(target: string): boolean {
  if (!target.includes(CONTROL)) return false;
  const [path] = splitTarget(target);
  return `${path}/`.startsWith(`${CONTROL}/`) && !path.startsWith(IMAGES);
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

/** Returns the response to a HEAD: everything except the body (RFC 9110, 9.3.2). */
export function withoutBodyForHead<Some extends ServedReply>({ method }: MockRequest, reply: Some): Some {
  if (method !== 'HEAD' || reply.body === '') return reply;
  if (reply.body instanceof Readable) {
    reply.body.destroy();
    return { ...reply, body: '' };
  }
  if (typeof reply.body !== 'string') return reply;
  const length = String(Buffer.byteLength(reply.body));
  return { ...reply, headers: { ...reply.headers, 'content-length': length }, body: '' };
}

/** The type in a Content-Type header without its parameters, in small letters; undefined when it can't be read. */
export function mediaTypeOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  // Common types first, because parsing is slow.
  if (header === 'application/json' || header === 'application/x-www-form-urlencoded') return header;
  try {
    return new MIMEType(header).essence;
  } catch {
    return undefined;
  }
}

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

/**
 * Whether a Host header is one that a server may be asked by: loopback, the host it listens at, or one that is allowed.
 * Any other is what a page gets by DNS rebinding. `*` allows all. A server that listens at all addresses has each.
 */
export function createHostCheck(listening: string, allowed: readonly string[]): (host: string) => boolean {
  const known = new Set([listening, ...allowed].map((name) => name.toLowerCase().replace(/^\[|\]$/g, '')));
  const everywhere = known.has('0.0.0.0') || known.has('::');
  return (host) => {
    if (known.has('*') || isLoopbackHost(host)) return true;
    const name = nameOf(host);
    if (known.has(name) || known.has(host.toLowerCase())) return true;
    if (!everywhere || isIP(name) === 0) return false;
    return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === name));
  };
}

function nameOf(host: string): string {
  const lower = host.toLowerCase();
  return (/^\[([^\]]*)\](?::\d*)?$/.exec(lower)?.[1] ?? lower.replace(/:\d*$/, '')).replace(/\.$/, '');
}

/** The sender of a request: a program or a page of the mock (`own`), a page that the user named (`named`), or another page. */
type Sender = 'own' | 'named' | 'other';

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
  if (address === undefined) {
    const isOwn = site === undefined || (site === 'same-site' && isLoopbackHost(host));
    return isOwn ? 'own' : 'other';
  }
  const url = URL.parse(address);
  if (!url) return 'other';
  const isHttp = /^https?:$/.test(url.protocol);
  if (isHttp && (isLoopbackHost(url.host) || url.host === host.toLowerCase())) return 'own';
  // The origin of a URL with another scheme than HTTP is opaque.
  return isNamed(isHttp ? url.origin : address, corsOrigins) ? 'named' : 'other';
}

function isNamed(origin: string, named: readonly string[]): boolean {
  return named.some((one) => one.toLowerCase().replace(/\/$/, '') === origin.toLowerCase());
}

/** Whether a person opens the address of the mock in a browser. */
export function asksForPage({ headers, method, target }: MockRequest): boolean {
  return method === 'GET' && target === '/' && /\btext\/html\b/.test(headers.accept ?? '');
}

/**
 * Returns a function that says why a request can't use the control API; undefined if it can. It accepts programs and
 * pages of this machine: the peer and the Host are loopback, no proxy forwarded the request, and no page of another
 * origin sent it, even a named one. Other clients need the token. A request in the same process has no peer.
 */
export function createGuard(token: string | undefined): (request: MockRequest) => string | undefined {
  return (request) => {
    if (isLocal(request) || isAuthorized(request, token)) return undefined;
    const forwarded = isForwarded(request)
      ? 'A proxy forwarded this request, so it does not count as local. '
      : '';
    return token === undefined
      ? `${forwarded}Only programs and pages on this machine can use the control API. To use it from elsewhere, start the mock with --control-token.`
      : `${forwarded}From elsewhere, the control API needs the token of --control-token. Send the header Authorization: Bearer TOKEN.`;
  };
}

export function refusePage({ headers }: MockRequest): string {
  const origin = URL.parse(headers.origin ?? headers.referer ?? '')?.origin;
  const shown = origin === undefined || origin === 'null' ? 'ORIGIN' : origin;
  return `Pages of other origins can't use the mock. To let this one use it, start the mock with --cors-origin ${shown}.`;
}

function isLocal(request: MockRequest): boolean {
  const { headers, peer } = request;
  if (peer === undefined) return true;
  const isHere = isLoopbackAddress(peer) && isLoopbackHost(headers.host ?? '');
  return isHere && !isForwarded(request) && (senderOf(request) !== 'named' || opensPage(request));
}

/** Whether a link on any page opens the page in the main frame. A page that sends this learns nothing from it. */
export function opensPage(request: MockRequest): boolean {
  // Browsers leave these headers out for an address that isn't trustworthy.
  const { 'sec-fetch-dest': place = 'document', 'sec-fetch-mode': mode = 'navigate' } = request.headers;
  const isNavigation = request.headers.origin === undefined && mode === 'navigate' && place === 'document';
  return isNavigation && asksForPage(request);
}

/** The headers of RFC 7239, of RFC 9110 (7.6.3), and those that nginx and Traefik add. */
const FORWARDED = /^(forwarded|via|x-forwarded-.+|x-real-ip)$/;

/** Whether a proxy forwarded the request, which might be from another machine. */
function isForwarded({ headers }: MockRequest): boolean {
  return Object.keys(headers).some((name) => FORWARDED.test(name));
}

export function isAuthorized({ headers }: MockRequest, token: string | undefined): boolean {
  if (token === undefined) return false;
  const [, given = ''] = /^Bearer +(.+)$/i.exec(headers.authorization ?? '') ?? [];
  // Hashes have equal lengths, and comparing them takes the same time for every token.
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'));
}

/** The origin of a native app can have another scheme than http. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+\/?$/i;

/**
 * Lets pages of this machine and of the named origins read every response, with credentials and from another network
 * (Fetch standard, 3.3). By hand: libraries write to the response at once, and here the headers go with an answer that is
 * made later. The profile of the service can change.
 */
export function createCors(service: { readonly profile: Profile }, allowed: readonly string[]) {
  for (const one of allowed)
    if (!ORIGIN.test(one))
      throw new UsageError(`"${one}" is not an origin. Pass one such as https://app.example.com.`);
  const isTrusted = (origin: string) => {
    const { host = '', protocol = '' } = URL.parse(origin) ?? {};
    return (/^https?:$/.test(protocol) && isLoopbackHost(host)) || isNamed(origin, allowed);
  };
  const exposedUnder = onceFor((profile: Profile) =>
    ['Allow', 'Location', 'Retry-After', 'WWW-Authenticate', headerIn(profile['response.total']) ?? []]
      .flat()
      .join(', '),
  );
  return {
    /** The headers that let a page of an origin read an answer. */
    headersFor: (origin: string | undefined): Headers => {
      const exposed = exposedUnder(service.profile);
      const shared = { 'access-control-expose-headers': exposed, vary: 'Origin' };
      return origin !== undefined && isTrusted(origin) ? { ...shared, ...withCredentials(origin) } : shared;
    },
    /** Returns the headers of the response to a preflight of a trusted page; undefined for any other request. */
    preflight: ({ headers, method }: Pick<IncomingMessage, 'method' | 'headers'>): Headers | undefined => {
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

function withCredentials(origin: string): Headers {
  return { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
}

/** Returns a free port. Image URLs contain the port, so it must be known before records are generated. */
export async function freePort(host: string): Promise<number> {
  const probe = new Server().listen(0, host);
  // If the host is wrong, the mock reports it when it listens.
  await once(probe, 'listening').catch(() => {});
  const address = probe.address() as AddressInfo | null;
  if (address) await new Promise((done) => probe.close(done));
  return address?.port ?? 0;
}

/** Node's `http` as it is required: imported it makes Node load its client and its web sockets, a tenth of a start. */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
