/** Shorter secrets are words that may stand in any text. */
export const SHORTEST_SECRET = 6;
/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

type Headers = Readonly<Record<string, string>>;

/**
 * Redacts credentials wherever they stand in a text: as they are sent, decoded, in base64 or hex, and each of these as
 * common serializers write it in JSON, URLs and HTML, once or twice. A secret cut short by `…` is redacted too.
 */
export function createRedaction(credentials: Headers = {}): (text: string) => string {
  const secrets = Object.values(credentials).flatMap(secretsIn);
  const long = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  return redacting(long.flatMap(formsOf).flatMap(escapesOf));
}

/** Redacts all that secrets may look like, cut short by `…` too. */
export function redacting(forms: readonly string[]): (text: string) => string {
  // One may be part of another.
  const longestFirst = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return (text) => {
    let rest = text;
    for (const form of longestFirst) rest = rest.replaceAll(form, REDACTED);
    return rest.includes('…') ? redactCut(rest, longestFirst) : rest;
  };
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const hexOf = (sign: string) => sign.charCodeAt(0).toString(16);
const lowerPercent = (text: string) => text.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase());
const inHtml = (quote: string, apostrophe: string) => (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', quote)
    .replaceAll("'", apostrophe);

/** What serializers write for a text. An answer that mixes two styles is not recognized. */
const ESCAPES: readonly ((text: string) => string)[] = [
  inJson,
  // PHP
  (text) => inJson(text).replaceAll('/', '\\/'),
  // Go, Rails
  (text) => inJson(text).replace(/[<>&]/g, (sign) => `\\u00${hexOf(sign)}`),
  // .NET
  (text) =>
    text.replaceAll('\\', '\\\\').replace(/[<>&'"+`]/g, (sign) => `\\u00${hexOf(sign).toUpperCase()}`),
  encodeURI,
  encodeURIComponent,
  (text) => lowerPercent(encodeURIComponent(text)),
  (text) => new URLSearchParams([['', text]]).toString().slice(1),
  inHtml('&quot;', '&apos;'),
  inHtml('&quot;', '&#39;'),
  inHtml('&quot;', '&#039;'),
  inHtml('&quot;', '&#x27;'),
  inHtml('&#34;', '&#39;'),
  // Mustache, Handlebars
  (text) => inHtml('&quot;', '&#39;')(text).replace(/[/=`]/g, (sign) => `&#x${hexOf(sign).toUpperCase()};`),
];

/** A text as it is, and escaped once and twice in each style. */
function escapesOf(text: string): string[] {
  return [text, ...ESCAPES.flatMap((write) => [write(text), write(write(text))])];
}

/** The headers whose secret is too short to be looked for in texts. */
export function shortSecrets(credentials: Headers): string[] {
  return Object.entries(credentials).flatMap(([name, value]) => {
    const longest = Math.max(...innermost(value).map(({ length }) => length));
    return longest > 0 && longest < SHORTEST_SECRET ? [name] : [];
  });
}

/** The value of a header and the parts of it that are secrets alone. */
function secretsIn(value: string): string[] {
  const pair = pairIn(value);
  return [value, afterScheme(value), ...(pair === undefined ? [] : [pair]), ...innermost(value)];
}

/** What a person would call the secret: a password, each value of a cookie, what follows `Bearer` or `Token`. */
function innermost(value: string): string[] {
  const pair = pairIn(value);
  if (pair !== undefined) return [pair.slice(pair.indexOf(':') + 1)];
  const given = [...value.matchAll(/=\s*"?([^\s";,]+)/g)].map(([, part = '']) => part);
  // The end of a base64 text is no value.
  const values = given.filter((part) => !/^=+$/.test(part));
  return values.length > 0 ? values.flatMap((part) => [part, decoded(part)]) : [afterScheme(value)];
}

function afterScheme(value: string): string {
  return /^[A-Za-z][\w-]*\s+(.+)$/.exec(value)?.[1] ?? value;
}

/** `user:password` */
function pairIn(value: string): string | undefined {
  const sent = /^Basic (.+)$/i.exec(value)?.[1];
  return sent === undefined ? undefined : Buffer.from(sent, 'base64').toString();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const whole = bytes.toString('base64');
  const coded = [whole, whole.replace(/=+$/, ''), ...[0, 1, 2].map((offset) => base64Inside(secret, offset))];
  const inUrls = coded.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const digits = bytes.toString('hex');
  return [secret, ...coded, ...inUrls, digits, digits.toUpperCase()];
}

/** The base64 of a secret in the middle of something longer: the characters that belong to it alone. */
function base64Inside(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const [first, last] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
  return bytes.toString('base64').slice(first, last);
}

/** Redacts the beginnings of secrets that were cut with `…`. */
function redactCut(text: string, forms: readonly string[]): string {
  const parts = text.split('…');
  const last = parts.pop();
  const redacted = parts.map((before) => {
    const longest = Math.max(0, ...forms.map((form) => cutLength(before, form)));
    return longest === 0 ? before : before.slice(0, before.length - longest) + REDACTED;
  });
  return [...redacted, last].join('…');
}

/** How many characters at the end of a text are the beginning of a secret. */
function cutLength(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST_SECRET; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}

/** Redacts the user before the host, and what the names of query parameters say is a secret. */
export function redactUrl(url: string): string {
  const shown = url.includes('@') ? url.replace(/^([^/?#]*\/\/)[^/?#]*@/, `$1${REDACTED}@`) : url;
  if (!shown.includes('?')) return shown;
  return shown.replace(
    /([?&](?:api[_-]?key|access[_-]?token|token|secret|password)=)[^&]*/gi,
    '$1[redacted]',
  );
}

/** Hides the values of cookies, since what a service gives out or takes as a session proves who asks. */
export function redactCookies(lines: string): string {
  return lines
    .split('\n')
    .map((line) => line.split(';').map(redactPart).join(';'))
    .join(', ');
}

/** What may stand behind a cookie (RFC 6265, 4.1.1), and holds nothing else. */
const TERM =
  /^\s*(?:expires=[\w ,:+-]*|max-age=[\d-]*|domain=[\w.-]*|path=[^,=]*|samesite=\w*|priority=\w*|secure|httponly|partitioned)\s*$/i;

function redactPart(part: string, index: number): string {
  if (index > 0 && TERM.test(part)) return part;
  const [space = ''] = /^\s*/.exec(part) ?? [];
  const [name = ''] = /^[^=,]*=/.exec(part.slice(space.length)) ?? [];
  return space + (name || '') + REDACTED;
}
