import type { Profile } from '../../spec/profile/profile.ts';
import type { Violation } from '../engine/violation.ts';
import type { Headers } from '../http/http.ts';

/** What is wrong with the version label of a request (`version.in`). */
export function refuseVersion(
  headers: Headers,
  search: string,
  profile: Profile,
  version: string,
): readonly Violation[] {
  const place = profile['version.in'];
  if (place === 'none') return [];
  const name = profile['version.name'];
  const found = place === 'header' ? headers[name.toLowerCase()] : new URLSearchParams(search).get(name);
  if (found === version) return [];
  const problem = found === undefined || found === null ? 'is required' : `is ${JSON.stringify(found)}`;
  const message = `${problem}; expected ${version}, the version label, in the ${place}`;
  return [{ pointer: '', parameter: name, message }];
}

/**
 * The challenge of a 401 (RFC 9110, 11.6.1); undefined when the credentials are there. Which ones are right, no
 * profile says.
 */
export function challengeOf(profile: Profile, headers: Headers): string | undefined {
  const credentials = headers.authorization ?? '';
  switch (profile['auth.scheme']) {
    case 'none':
      return undefined;
    case 'bearer':
      return /^Bearer +[A-Za-z0-9._~+/-]+=*$/i.test(credentials) ? undefined : 'Bearer';
    case 'basic': {
      const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(credentials)?.[1] ?? '';
      const [user, password] = Buffer.from(encoded, 'base64').toString().split(':', 2);
      return user && password !== undefined ? undefined : 'Basic realm="record-model", charset="UTF-8"';
    }
    case 'apiKey': {
      const name = profile['auth.header'];
      return headers[name.toLowerCase()]?.trim() ? undefined : `ApiKey header="${name}"`;
    }
  }
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
