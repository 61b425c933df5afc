import type { IncomingMessage } from 'node:http';
import type { Profile } from '../../spec/profile/profile.ts';

/** The headers that let a page of any origin read every answer. */
export function createCorsHeaders(profile: Profile): Readonly<Record<string, string>> {
  const exposed = ['Allow', 'Location', 'Retry-After', 'WWW-Authenticate'];
  if (profile['response.total'] === 'header') exposed.push(profile['response.totalHeader']);
  return { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed.join(', ') };
}

/** The headers of the answer to a preflight; undefined when the request is none. */
export function answerPreflight({
  method,
  headers,
}: IncomingMessage): Readonly<Record<string, string>> | undefined {
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined;
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    // `*` would not cover Authorization (Fetch standard, 4.10).
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': '600',
    vary: 'Access-Control-Request-Headers',
  };
}
