import { parseJson } from './parse-json.ts';

/** A shorter secret could be a usual word, so texts are not searched for it. */
export const SHORTEST_SECRET = 6;
/** The text that replaces a secret. */
export const REDACTED = '[redacted]';

type Headers = Readonly<Record<string, string>>;

/** Redacts credentials in a text: as sent, decoded, in base64, and in hex, in any escapes, and cut short by `…`. */
export function createRedaction(credentials: Headers = {}): (text: string) => string {
  return redacting(Object.values(credentials).flatMap(secretsIn).filter(isLong).flatMap(formsOf));
}

/** Redacts long secrets in a text, in any escapes, and their beginnings before `…`. Returns `String` if there are none. */
export function redacting(secrets: readonly string[]): (text: string) => string {
  const long = [...new Set(secrets)].filter(isLong);
  if (long.length === 0) return String;
  const folded = [...new Set(long.map(fold))].filter(isLong);
  return (text) => {
    const plain = fold(text);
    const spans = spansIn(plain, folded);
    const rest = spans.length === 0 ? text : redactSpans(text, plain.length, spans);
    // Next to other characters, the start of a secret can look like an escape.
    return long.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), rest);
  };
}

function isLong(secret: string): boolean {
  return secret.length >= SHORTEST_SECRET;
}

/** An escaped character, and each character that one of the formats writes as another. */
const SIGN = new RegExp(
  [
    // An escape that an ellipsis cuts short
    String.raw`(\\+(?:u[\da-f]{0,3})?|%(?:25)?[\da-f]?|&(?:amp;)*(?:#x?[\da-f]{0,6}|am?p?|apo?s?|[gl]t?|qu?o?t?)?)(?=…)`,
    // HTML, also in JSON
    String.raw`(?:\\*&|\\+u0026)(?:amp;)*(?:#(\d{1,8})|#x([\da-f]{1,8})|(amp|apos|gt|lt|quot));`,
    // JSON, also in JSON
    String.raw`\\+u([\da-f]{4})|\\+[\s\S]?|[\n\r\t]`,
    // A URL, also in a URL
    String.raw`%(?:25)*(?:[0-7][\da-f]|[c-f][\da-f](?:%(?:25)*[89ab][\da-f])+)|\+`,
  ].join('|'),
  'gi',
);
const EACH_SIGN = new RegExp(`${SIGN.source}|[\\s\\S]`, 'gi');
const NAMED: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };
/** JSON writes a line break as a letter after a backslash, and a form writes a space as `+`. */
const FOLDED: Readonly<Record<string, string>> = { '\\': '', '\n': 'n', '\r': 'r', '\t': 't', '+': ' ' };

/** Returns a text in the form that it has in common with all of its escapes. */
function fold(text: string): string {
  return text.replace(SIGN, foldSign);
}

/** Returns the characters of which a match of `SIGN` is an escape; none if `…` cuts it short. */
function foldSign(sign: string, cut?: string, decimal?: string, hex?: string, name?: string, unit?: string) {
  if (cut !== undefined) return '';
  const code = decimal === undefined ? Number.parseInt(hex ?? unit ?? '', 16) : Number(decimal);
  let plain = sign.startsWith('\\') ? sign.slice(-1) : sign;
  if (code <= 0x10_ff_ff) plain = String.fromCodePoint(code);
  else if (name !== undefined) plain = NAMED[name.toLowerCase()] ?? '';
  else if (sign.startsWith('%')) plain = decoded(sign.replaceAll(/%(?:25)+(?=[\da-f]{2})/gi, '%'));
  return FOLDED[plain] ?? plain;
}

/** A part of a folded text: its start and its end. */
type Span = readonly [start: number, end: number];

function spansIn(text: string, secrets: readonly string[]): Span[] {
  const spans = secrets.flatMap((secret) =>
    indexesOf(secret, text).map((index): Span => [index, index + secret.length]),
  );
  const cut = indexesOf('…', text).flatMap((index): Span[] => {
    const lengths = secrets.map((secret) => cutLength(text.slice(0, index), secret));
    const longest = Math.max(0, ...lengths);
    return longest === 0 ? [] : [[index - longest, index]];
  });
  return [...spans, ...cut].toSorted(([one], [other]) => one - other);
}

function indexesOf(part: string, text: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at);
  return found;
}

/** Counts the characters at the end of a text that are the beginning of a secret. */
function cutLength(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST_SECRET; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}

/** Redacts parts of a text that are given as parts of the folded text, which has `length` characters. */
function redactSpans(text: string, length: number, spans: readonly Span[]): string {
  // Where each character of the folded text starts and ends
  const starts = new Uint32Array(length);
  const ends = new Uint32Array(length);
  let at = 0;
  for (const match of text.matchAll(EACH_SIGN)) {
    const next = at + foldSign(...(match as [string])).length;
    starts.fill(match.index, at, next);
    ends.fill(match.index + match[0].length, at, next);
    at = next;
  }
  let shown = '';
  let done = 0;
  for (const [first, end] of spans) {
    const start = starts[first] ?? 0;
    if (start >= done) shown += text.slice(done, start) + REDACTED;
    done = Math.max(done, ends[end - 1] ?? 0);
  }
  return shown + text.slice(done);
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

/** Hides the values of cookies: a session cookie is a credential. */
function redactCookies(lines: string): string {
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
  found?: Found,
): Record<string, Value> {
  const redact = (name: string, value: string) => {
    if (name.toLowerCase() !== own.toLowerCase() && !isSecretName(name)) return redactUrl(value, found);
    for (const secret of secretsIn(value)) found?.add(secret);
    return /^(set-)?cookie$/i.test(name) ? redactCookies(value) : REDACTED;
  };
  const redactAll = (name: string, value: string | string[]) =>
    Array.isArray(value) ? value.map((one) => redact(name, one)) : redact(name, value);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, redactAll(name, value) as Value]),
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
