import { createHash, timingSafeEqual } from 'node:crypto';
import {
  asksForPage,
  isLoopbackAddress,
  isLoopbackHost,
  isNavigation,
  type MockRequest,
  senderOf,
} from '../http/http.ts';

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

/** Whether a request opens the page, which a link on any page can do. */
export function opensPage(request: MockRequest): boolean {
  return isNavigation(request) && asksForPage(request);
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
  return timingSafeEqual(hash(given), hash(token));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
