import type { Profile } from '../../spec/profile/profile.ts';
import { isLocalOrigin, isNamed } from './hosts.ts';

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
 * What pages of other origins may read (Fetch standard, 3.3). By hand: libraries write to the response at once, and here
 * the headers go with an answer that is made later.
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
  let known: { readonly profile: Profile; readonly cors: Cors } | undefined;
  return () => {
    const { profile } = service;
    if (profile && profile !== known?.profile) known = { profile, cors: createCors(profile, allowed) };
    return profile && known?.cors;
  };
}

/** Lets pages of this machine and of the named origins read every response, with credentials and from another network. */
function createCors(profile: Profile, allowed: readonly string[]): Cors {
  const exposed = ['Allow', 'Location', 'Retry-After', 'WWW-Authenticate'];
  if (profile['response.total'] === 'header') exposed.push(profile['response.totalHeader']);
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
