/** Shorter secrets are words that may stand in any text. */
export const SHORTEST_SECRET = 6;
/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

type Headers = Readonly<Record<string, string>>;

/**
 * Blots out credentials wherever they stand in a text: as they are sent, decoded, in base64, percent-encoded, and
 * escaped as in JSON. Of a text that was cut with `…` the rest of a secret before it goes too.
 */
export function createConcealment(credentials: Headers = {}): (text: string) => string {
  const secrets = [...new Set(Object.values(credentials).flatMap(secretsIn))]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    // The longest first: one may be part of another.
    .sort((one, other) => other.length - one.length)
    .map((secret) => ({ forms: formsOf(secret), escaped: escapedPattern(secret) }));
  return (text) => {
    let rest = text;
    const mayEscape = /[\\%+]/.test(text);
    for (const { escaped, forms } of secrets) {
      for (const form of forms) rest = rest.replaceAll(form, REDACTED);
      if (mayEscape) rest = rest.replace(escaped, REDACTED);
    }
    return rest.includes('…') ? concealCut(rest, secrets) : rest;
  };
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
  const whole = Buffer.from(secret).toString('base64');
  const coded = [whole, whole.replace(/=+$/, ''), ...[0, 1, 2].map((offset) => base64Inside(secret, offset))];
  const forms = coded.flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
    form.replaceAll('/', '\\/'),
    encodeURIComponent(form),
  ]);
  return [...new Set([secret, ...forms])].sort((one, other) => other.length - one.length);
}

/** The base64 of a secret in the middle of something longer: the characters that belong to it alone. */
function base64Inside(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const [first, last] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
  return bytes.toString('base64').slice(first, last);
}

/** A secret of which any character may be escaped: `\/`, `\u002f`, `%2F`, and a space as `+`. */
function escapedPattern(secret: string): RegExp {
  const characters = [...secret.toWellFormed()].map((character, place) => {
    // A text inside a text is escaped more than once; before the first character it makes no difference.
    const [some, more] = place === 0 ? ['', '\\\\'] : ['\\\\{0,8}', '\\\\{1,8}'];
    const units = Array.from({ length: character.length }, (_, index) =>
      hex(`${more}u`, character.charCodeAt(index), 4),
    ).join('');
    const percent = [...Buffer.from(character)].map((byte) => hex('%', byte, 2)).join('');
    const plain = `${some}${character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')}`;
    return `(?:${[plain, units, percent, ...(character === ' ' ? ['\\+'] : [])].join('|')})`;
  });
  return new RegExp(characters.join(''), 'g');
}

function hex(before: string, code: number, length: number): string {
  const digits = code.toString(16).padStart(length, '0');
  return before + digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function concealCut(text: string, secrets: readonly { readonly forms: readonly string[] }[]): string {
  const forms = secrets.flatMap((secret) => secret.forms);
  const parts = text.split('…');
  const last = parts.pop();
  const concealed = parts.map((before) => {
    const longest = Math.max(0, ...forms.map((form) => cutLength(before, form)));
    return longest === 0 ? before : before.slice(0, before.length - longest) + REDACTED;
  });
  return [...concealed, last].join('…');
}

/** How many characters at the end of a text are the beginning of a secret. */
function cutLength(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST_SECRET; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}

/** Blots out what the names of query parameters say is a secret. */
export function redactUrl(url: string): string {
  if (!url.includes('?')) return url;
  return url.replace(/([?&](?:api[_-]?key|access[_-]?token|token|secret|password)=)[^&]*/gi, '$1[redacted]');
}
