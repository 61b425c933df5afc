const REDACTED = '[redacted]';
const SECRET_HEADERS =
  /^(authorization|proxy-authorization|cookie|set-cookie)$|token|secret|password|api-?key/i;
const SECRET_NAMES = /^(.*[_-])?(password|passwd|secret|token|api-?key|access_?token)$/i;

/** Headers without the values that let somebody in; `own` is the header of the profile's credentials. */
export function redactHeaders(
  headers: Readonly<Record<string, string | string[]>>,
  own: string,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name === own.toLowerCase() || SECRET_HEADERS.test(name) ? REDACTED : value,
    ]),
  );
}

/** A target whose query shows no secret. */
export function redactSearch(search: string): string {
  if (search === '') return search;
  const query = new URLSearchParams(search);
  const secret = [...query.keys()].filter((name) => SECRET_NAMES.test(name));
  if (secret.length === 0) return search;
  for (const name of secret) query.set(name, REDACTED);
  return `?${query}`;
}

/** A JSON value without the secrets that its members name. */
export function redactValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactValue);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_NAMES.test(name) && typeof member !== 'object' ? REDACTED : redactValue(member),
    ]),
  );
}
