import { createHash, timingSafeEqual } from 'node:crypto';
import { isLocalOrigin, isLoopbackAddress, isLoopbackHost } from '../http/hosts.ts';
import type { MockRequest } from '../http/http.ts';

/** Why a request may not use the control plane; undefined when it may. */
export type Guard = (request: MockRequest) => string | undefined;

/**
 * Lets in whom this machine's own programs and pages are: the peer, the Host and the Origin, if any, are all loopback.
 * Anybody else has to know the token. A request in the same process has no peer and is let in.
 */
export function createGuard(token: string | undefined): Guard {
  return (request) => {
    if (isLocal(request) || isAuthorized(request, token)) return undefined;
    return token === undefined
      ? 'Only programs and pages on this machine can use the control API. To use it from elsewhere, start the mock with --control-token.'
      : 'From elsewhere, the control API needs the token of --control-token. Send the header Authorization: Bearer TOKEN.';
  };
}

function isLocal({ headers, peer }: MockRequest): boolean {
  if (peer === undefined) return true;
  const { host, origin } = headers;
  if (!isLoopbackAddress(peer) || !isLoopbackHost(host ?? '')) return false;
  if (origin !== undefined) return isLocalOrigin(origin);
  // A page may ask without an Origin, for an image, say; browsers then say where it is from.
  return headers['sec-fetch-site'] !== 'cross-site';
}

function isAuthorized({ headers }: MockRequest, token: string | undefined): boolean {
  if (token === undefined) return false;
  const [, given = ''] = /^Bearer +(.+)$/i.exec(headers.authorization ?? '') ?? [];
  // Hashes are as long as each other, and tell nothing by the time that they take.
  return timingSafeEqual(hash(given), hash(token));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
