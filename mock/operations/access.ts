import { headerIn, type Profile, placeIn } from '../../spec/profile/profile.ts';
import type { Violation } from '../engine/violation.ts';
import type { Headers } from '../http/http.ts';
import type { Refusal } from './reply.ts';

/** Returns the violations of the version label of a request (`version`). */
export function refuseVersion(
  headers: Headers,
  search: string,
  profile: Profile,
  version: string,
): readonly Violation[] {
  const place = placeIn(profile.version);
  if (!place) return [];
  const { name } = place;
  const found = place.in === 'header' ? headers[name.toLowerCase()] : new URLSearchParams(search).get(name);
  if (found === version) return [];
  const problem = found === undefined || found === null ? 'is missing' : `is ${JSON.stringify(found)}`;
  const message = `must be the version label ${version} in the ${place.in}, but ${problem}`;
  return [{ pointer: '', parameter: name, message }];
}

/** Whether credentials are there, where any are asked for. */
export function hasCredentials(profile: Profile, headers: Headers): boolean {
  const credentials = headers.authorization ?? '';
  switch (profile.auth) {
    case 'none':
      return true;
    case 'bearer':
      return /^Bearer +[A-Za-z0-9._~+/-]+=*$/i.test(credentials);
    case 'basic': {
      const [user, password] = readBasic(credentials).split(':', 2);
      return Boolean(user) && password !== undefined;
    }
    default:
      return Boolean(headers[headerIn(profile.auth)?.toLowerCase() ?? '']?.trim());
  }
}

/** The name and password of Basic credentials (RFC 7617), with a colon between them; empty where it is none. */
export function readBasic(credentials: string): string {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(credentials)?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString();
}

/** The answer to a request without credentials that are good for anything, with its challenge (RFC 9110, 11.6.1). */
export function unauthorized(profile: Profile, detail: string, error?: 'invalid_token'): Refusal {
  const challenges: Readonly<Record<string, string>> = {
    // RFC 6750, 3.1.
    bearer: error ? `Bearer error="${error}"` : 'Bearer',
    basic: 'Basic realm="record-model", charset="UTF-8"',
  };
  const challenge = challenges[profile.auth] ?? `ApiKey header="${headerIn(profile.auth)}"`;
  return { status: 401, detail, headers: { 'www-authenticate': challenge } };
}

/** Whether a request is more than `limits.rate` allows, in fixed windows of one second; counts it. */
export function createRateLimit(limit: Profile['limits.rate'], clock: () => Date): () => boolean {
  if (limit === 'none') return () => false;
  let second = Number.NaN;
  let count = 0;
  return () => {
    const now = Math.floor(clock().getTime() / 1000);
    if (now !== second) count = 0;
    second = now;
    count += 1;
    return count > limit;
  };
}
