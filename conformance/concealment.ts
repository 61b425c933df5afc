/** Shorter secrets are words that may stand in any text. */
const SHORTEST_SECRET = 6;
/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/** Blots out credentials wherever they stand in a text: as they are sent, decoded, and escaped as in JSON. */
export function createConcealment(
  credentials: Readonly<Record<string, string>> = {},
): (text: string) => string {
  const plain = Object.values(credentials).flatMap((value) => {
    const [, scheme = '', rest = ''] = /^(Bearer|Basic) (.+)$/i.exec(value) ?? [];
    if (scheme.toLowerCase() !== 'basic') return rest === '' ? [value] : [rest];
    const pair = Buffer.from(rest, 'base64').toString();
    return [rest, pair, pair.slice(pair.indexOf(':') + 1)];
  });
  const secrets = plain
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), secret.replaceAll('/', '\\/')])
    // The longest first: one may be part of another.
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}

/** Blots out what the names of query parameters say is a secret. */
export function redactUrl(url: string): string {
  if (!url.includes('?')) return url;
  return url.replace(/([?&](?:api[_-]?key|access[_-]?token|token|secret|password)=)[^&]*/gi, '$1[redacted]');
}
