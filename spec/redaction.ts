import { parseJson } from './parse-json.ts';

/** A shorter secret could be a usual word, so texts are not searched for it. */
export const SHORTEST_SECRET = 6;
/** The text that replaces a secret. */
export const REDACTED = '[redacted]';

type Headers = Readonly<Record<string, string>>;

/**
 * Redacts credentials in a text: as sent, decoded, in base64, and in hex, each also escaped for JSON, URLs, and HTML
 * once or twice. It also redacts a secret that `…` cuts short.
 */
export function createRedaction(credentials: Headers = {}): (text: string) => string {
  const secrets = Object.values(credentials).flatMap(secretsIn);
  const long = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  return redacting(long.flatMap(formsOf).flatMap(escapesOf));
}

/** Redacts every form of the secrets, and forms that `…` cuts short. */
export function redacting(forms: readonly string[]): (text: string) => string {
  // The longest comes first, because one form can be part of another.
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

/** The ways in which serializers escape a text. A response that mixes two of them is not recognized. */
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

/** Returns the value of a header, and the parts of it that are secrets by themselves. */
function secretsIn(value: string): string[] {
  const pair = pairIn(value);
  return [value, afterScheme(value), ...(pair === undefined ? [] : [pair]), ...innermost(value)];
}

/** Returns the secrets in a header: a password, each value of a cookie, the token after `Bearer` or `Token`. */
function innermost(value: string): string[] {
  const pair = pairIn(value);
  if (pair !== undefined) return [pair.slice(pair.indexOf(':') + 1)];
  const given = [...value.matchAll(/=\s*"?([^\s";,]+)/g)].map(([, part = '']) => part);
  // The `=` at the end of base64 separates no value.
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

/** Returns the base64 characters that depend only on the secret, when it is encoded as part of a longer text. */
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

/** Counts the characters at the end of a text that are the beginning of a secret. */
function cutLength(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST_SECRET; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}

/** Hides the values of cookies: a session cookie is a credential. */
export function redactCookies(lines: string): string {
  return lines
    .split('\n')
    .map((line) => line.split(';').map(redactPart).join(';'))
    .join(', ');
}

/** The attributes of a cookie (RFC 6265, 4.1.1), with nothing else in them. */
const TERM =
  /^\s*(?:expires=[\w ,:+-]*|max-age=[\d-]*|domain=[\w.-]*|path=[^,=]*|samesite=\w*|priority=\w*|secure|httponly|partitioned)\s*$/i;

function redactPart(part: string, index: number): string {
  if (index > 0 && TERM.test(part)) return part;
  const [space = ''] = /^\s*/.exec(part) ?? [];
  const [name = ''] = /^[^=,]*=/.exec(part.slice(space.length)) ?? [];
  return space + (name || '') + REDACTED;
}

/** Takes a secret that was redacted; an empty text if the secret is not a text. */
type Found = Pick<Set<string>, 'add'> | undefined;

/** Words inside a name without its separators, so that `api_key`, `apiKey`, and `X-API-Key` are the same. */
const PARTS =
  /password|passwd|passphrase|passcode|pwd|contrase[nñ]a|secret(?!ar)|token|(api|access|private|signing|encryption|subscription|client|auth)key|credential|authorization|cookie|jwt|bearer|sessionid|sessid|csrf|xsrf/;
/** Short words, which other words can contain: `auth` is in `author`. */
const WORDS = /^(auth|otp|sid)$/;
/** A text that matches none of these names no secret. */
const ANY =
  /pass|pwd|contrase|secret|token|key|credential|auth|cookie|jwt|bearer|sess|otp|sid|[cx]srf|\\u|%|\0/i;
/** Values that are nested deeper are redacted, because writing them would exhaust the stack. */
const DEEPEST = 100;

/** Whether a name says that its value is a secret, in any spelling: `refreshToken`, `api_key`, `X-Auth`. */
export function isSecretName(name: string): boolean {
  if (!ANY.test(name)) return false;
  if (PARTS.test(name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''))) return true;
  const words = name.replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2').split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => WORDS.test(word.toLowerCase()));
}

/** Returns headers without the values that let somebody in; `own` is the header of the profile's credentials. */
export function redactHeaders<Value extends string | string[]>(
  headers: Readonly<Record<string, Value>>,
  own = '',
): Record<string, Value> {
  const redact = (name: string, value: string) => {
    if (/^(set-)?cookie$/i.test(name)) return redactCookies(value);
    return name.toLowerCase() === own.toLowerCase() || isSecretName(name) ? REDACTED : redactUrl(value);
  };
  const redactAll = (name: string, value: string | string[]) =>
    Array.isArray(value) ? value.map((one) => redact(name, one)) : redact(name, value);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, redactAll(name, value) as Value]),
  );
}

/** Returns the secrets in the headers that `redactHeaders` redacts. */
export function secretsInHeaders(headers: Headers, own: string): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    /^cookie$/i.test(name) || name.toLowerCase() === own.toLowerCase() || isSecretName(name)
      ? secretsIn(value)
      : [],
  );
}

/** Redacts the user before the host of a URL, and the parameters whose names say that they are secrets. */
export function redactUrl(url: string, found?: Found): string {
  const shown = url.includes('@') ? url.replace(/^([^/?#]*\/\/)[^/?#]*@/, `$1${REDACTED}@`) : url;
  return shown.includes('=') && ANY.test(shown) ? redactPairs(shown, found) : shown;
}

function redactPairs(text: string, found: Found): string {
  return text.replace(
    /([?&#;]\s*|^)([^?&#;=\s]+)=([^&]*)/g,
    (pair, start: string, name: string, value: string) => {
      if (!isSecretName(decodeForm(name))) return pair;
      found?.add(decodeForm(value));
      return `${start}${name}=${REDACTED}`;
    },
  );
}

/** Redacts each member of a JSON value whose name says that it is a secret. */
export function redactValue(value: unknown, found?: Found, depth = 0): unknown {
  if (typeof value === 'string') return redactString(value, found);
  if (value === null || typeof value !== 'object') return value;
  if (depth > DEEPEST) {
    found?.add('');
    return REDACTED;
  }
  if (Array.isArray(value)) return value.map((item) => redactValue(item, found, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      // A boolean says only whether there is a secret.
      if (!isSecretName(name) || member === null || typeof member === 'boolean')
        return [name, redactValue(member, found, depth + 1)];
      found?.add(typeof member === 'object' ? '' : String(member));
      return [name, REDACTED];
    }),
  );
}

/** A string can hold JSON, or a URL. */
function redactString(given: string, found: Found): string {
  const text = redactUsers(given, found);
  if (!ANY.test(text)) return text;
  if (/^\s*[[{]/.test(text)) return redactText(text, found);
  return /^[a-z]+:\/\//i.test(text) ? redactUrl(text, found) : text;
}

/** Redacts the user and the password in each URL of a text. */
function redactUsers(text: string, found: Found): string {
  if (!text.includes('@') || !text.includes('://')) return text;
  return text.replace(/(\/\/[^\s/?#@"':]*):([^\s/?#@"']+)@/g, (_, __: string, password: string) => {
    found?.add(password);
    return `//${REDACTED}@`;
  });
}

/** Returns a body without secrets: the value of JSON, or a text. */
export function redactBody(text: string, found?: Found): unknown {
  const value = parseJson(text);
  return value === undefined ? redactText(text, found) : redactValue(value, found);
}

/**
 * Returns a text that names no secret as it is. A text that does, and is neither JSON nor a form, is hidden as a whole.
 */
export function redactText(given: string, found?: Found): string {
  const text = redactUsers(given, found);
  if (!ANY.test(text)) return text;
  const value = parseJson(text);
  if (value !== undefined) {
    const own = new Set<string>();
    const shown = redactValue(value, own);
    for (const secret of own) found?.add(secret);
    return own.size > 0 ? JSON.stringify(shown) : text;
  }
  if (/^[^\s={}<>"]+=[^\r\n]*$/.test(text)) return redactPairs(text, found);
  if (!namesSecret(text)) return text;
  found?.add('');
  return `[redacted: ${text.length} characters that name a secret]`;
}

/** Whether a text has the name of a secret where JSON, a form, XML, or a table has it before its value. */
function namesSecret(text: string): boolean {
  const plain = text
    .replaceAll('\0', '')
    .replaceAll(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  for (const { 0: name, index } of plain.matchAll(/[\p{L}\p{N}_.-]+/gu)) {
    const after = plain.slice(index + name.length, index + name.length + 8);
    if (/^["'\]\\]{0,3}\s*[:=>,;\r\n]|^["'\\]{0,3}[\r\n]/.test(after) && isSecretName(name)) return true;
  }
  return false;
}

function decodeForm(text: string): string {
  return decoded(text.replaceAll('+', ' '));
}

/** Returns a function that redacts in any text the secrets of a request. */
export function redactRepeated(found: ReadonlySet<string>): (text: string) => string {
  const long = [...found].filter((secret) => secret.length >= SHORTEST_SECRET);
  return long.length === 0 ? String : redacting(long.flatMap((secret) => [secret, inJson(secret)]));
}
