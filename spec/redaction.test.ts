import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createRedaction,
  isSecretName,
  REDACTED,
  redactBody,
  redactHeaders,
  redactText,
  redactUrl,
  SHORTEST_SECRET,
} from './redaction.ts';

const SECRET = 'hunter2-secret';

test.each([
  'password',
  'api_key',
  'X-API-Key',
  'access_token',
  'clientSecret',
  'X-Auth',
  'xAuthUser',
  'Authorization',
  'Proxy-Authorization',
  'user[password]',
  'new_password2',
  'privateKey',
  'sessionId',
  'contraseña',
])('the name %s is that of a secret', (name) => expect(isSecretName(name)).toBe(true));

test.each(['name', 'author', 'secretary', 'monkey', 'key', 'X-Mock-Session', 'idempotency-key'])(
  'the name %s is not that of a secret',
  (name) => expect(isSecretName(name)).toBe(false),
);

describe('a secret in a body is redacted', () => {
  test.each<[string, string]>([
    ['a member', JSON.stringify({ api_key: SECRET })],
    ['an object', JSON.stringify({ credentials: { user: 'me', value: SECRET } })],
    ['JSON in a string', JSON.stringify({ message: JSON.stringify({ password: SECRET }) })],
    ['a URL in a string', JSON.stringify({ link: `https://a.example/?token=${SECRET}` })],
    ['an escaped name', `{"pass\\u0077ord":"${SECRET}"}`],
    ['malformed JSON', `{"name":"a","password":"${SECRET}",}`],
    ['malformed JSON with an escaped name', `{"pass\\u0077ord":"${SECRET}",}`],
    ['cut JSON', `{"users":[{"clientSecret":"${SECRET}","name":"a`],
    ['JSON cut in the secret', `{"password":"${SECRET}`],
    ['a form', `name=a&password=${SECRET}`],
    ['multipart', `--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n${SECRET}\r\n--x--\r\n`],
    ['XML', `<login><password>${SECRET}</password></login>`],
    ['YAML', `user: me\npassword: ${SECRET}\n`],
    ['CSV', `name,password\nme,${SECRET}\n`],
    ['16-bit characters', `{"password":"${SECRET}"}`.replaceAll(/./g, '$&\0')],
  ])('in %s', (_, text) => {
    for (const shown of [redactText(text), JSON.stringify(redactBody(text))]) {
      expect(shown.replaceAll('\0', '')).not.toContain(SECRET);
      expect(shown).toContain('redacted');
    }
  });

  test.each(['{"name": "a",  "hasPassword":true}', 'plain text about a token.', '{"a":', 'a=b&c=d', ''])(
    'but %j stays unchanged',
    (text) => expect(redactText(text)).toBe(text),
  );

  test.each(['[', '{"a":'])('if it is nested 200,000 levels deep by %s', (open) => {
    const shown = redactText(`${open.repeat(200_000)}"password":"${SECRET}"`);
    expect(shown.slice(0, 100)).toBe(`[redacted: ${shown.match(/\d+/)?.[0]} characters that name a secret]`);
  });

  test('if it is valid JSON with excessive nesting', () => {
    const text = `{"token":1,"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const whole = `[redacted: ${text.length} characters that name a secret]`;
    expect([redactText(text), redactBody(text)]).toEqual([whole, whole]);
  });
});

test('secrets in headers, and in URLs in headers, are redacted', () => {
  const shown = redactHeaders(
    {
      'X-Auth': SECRET,
      'x-own': SECRET,
      referer: `https://me:${SECRET}@app.example/?a=1&accessToken=${SECRET}`,
      'set-cookie': `sid=${SECRET}; Path=/`,
      accept: 'text/html',
    },
    'X-Own',
  );
  expect(shown).toEqual({
    'X-Auth': '[redacted]',
    'x-own': '[redacted]',
    referer: 'https://[redacted]@app.example/?a=1&accessToken=[redacted]',
    'set-cookie': 'sid=[redacted]; Path=/',
    accept: 'text/html',
  });
});

test('redaction keeps other parts of a URL as they were written', () => {
  expect(redactUrl(`/a?b=%20c+d&refresh_token=${SECRET}&e`)).toBe('/a?b=%20c+d&refresh_token=[redacted]&e');
});

test.each([
  'postgres://me:hunter2-secret@db.example/x',
  'could not connect to postgres://me:hunter2-secret@db.example/x',
  '{"detail": "see https://me:hunter2-secret@a.example and //b:hunter2-secret@c"}',
])('the password in the URL in %s is redacted', (text) => {
  const found = new Set<string>();
  const shown = JSON.stringify(redactBody(text, found));
  expect(shown).not.toContain(SECRET);
  expect(shown).toContain('//[redacted]@');
  expect([...found]).toContain(SECRET);
});

test.each(['a@b.example', 'https://a.example/x?at=12:30&to=me@b.example', '12:30 // note @home'])(
  'no password is found in %s',
  (text) => expect(redactText(text)).toBe(text),
);

test.each<[string, Record<string, string>, string]>([
  ['part of a longer base64 string', { authorization: `Bearer ${SECRET}` }, btoa(`{"jwt":"${SECRET}"}`)],
  ['base64 for URLs', { 'x-api-key': 'a>b?c>d?e>f?' }, 'YT5iP2M-ZD9lPmY_'],
  ['a parameter of a scheme', { authorization: `Token token="${SECRET}", id="7"` }, SECRET],
  ['a cookie', { cookie: `lang=es; session=${SECRET}; theme=dark` }, SECRET],
  ['a pair with HTML', { authorization: `Basic ${btoa('me:p&ss"w0rd')}` }, 'me:p&amp;ss&quot;w0rd'],
  ['hex in capitals', { 'x-api-key': 'k/y=z?' }, '6B2F793D7A3F'],
  ['JSON in HTML', { 'x-api-key': '"ab"k-l-m-n' }, '\\&quot;ab\\&quot;k-l-m-n'],
  ['HTML in JSON of Go', { 'x-api-key': '"ab<k-l-m-n' }, '\\u0026#34;ab\\u0026lt;k-l-m-n'],
  ['each character escaped as JSON', { 'x-api-key': 'abcdef' }, '\\u0061\\u0062\\u0063\\u0064\\u0065\\u0066'],
  [
    'JSON of a password that is not ASCII',
    { authorization: `Basic ${Buffer.from('me:contraseña').toString('base64')}` },
    'contrase\\u00f1a',
  ],
  [
    'a URL of a password that is not ASCII',
    { authorization: `Basic ${Buffer.from('me:contraseña').toString('base64')}` },
    'contrase%C3%b1a',
  ],
  ['HTML of a long secret', { 'x-api-key': 'a/b-c.'.repeat(1000) }, 'a&#x2F;b-c.'.repeat(1000)],
])('a secret is redacted in another form: %s', (_, credentials, echo) => {
  expect(createRedaction(credentials)(`<p>${echo}</p>`)).toMatch(/^<p>.{0,20}\[redacted\].{0,6}<\/p>$/);
});

test('the start of a secret before an ellipsis is redacted, unless it is very short', () => {
  const redact = createRedaction({ cookie: `a=${SECRET}` });
  expect(redact(`found "no ${SECRET.slice(0, 6)}… and ${SECRET.slice(0, 3)}…`)).toBe(
    `found "no [redacted]… and ${SECRET.slice(0, 3)}…`,
  );
});

test('several secrets are redacted in any order, even if one looks like the end of an escape', () => {
  const redact = createRedaction({ authorization: `Bearer ${SECRET}`, 'x-api-key': '41-k"l-m-n' });
  expect(redact(`100%41-k"l-m-n, 41-k\\"l-m-n, \\"${SECRET}\\", 41-k\\"l-m-n.`)).toBe(
    '100%[redacted], [redacted], \\"[redacted]\\", [redacted].',
  );
});

test('a letter that remains of a secret without its backslashes is not redacted', () => {
  expect(createRedaction({ 'x-api-key': '\\\\\\\\\\a' })('a \\\\\\\\\\a')).toBe('a [redacted]');
});

test.each(['ab"cd<efgh', 'abcdefgh&ij%k'])(
  'the start of %s is redacted if an ellipsis cuts its escaped form',
  (secret) => {
    const redact = createRedaction({ 'x-api-key': secret });
    for (const write of Object.values(escapes)) {
      const text = write(write(secret));
      for (let length = text.indexOf('h') + 1; length < text.length; length++)
        expect(redact(`${text.slice(0, length)}…`)).toMatch(/^\[redacted\]\S{0,10}…$/);
    }
  },
);

/** A secret in a header: six characters or more, without a space at its ends. */
const secrets = fc.stringMatching(/^[!-~][ -~]{4,28}[!-~]$/);
/** The escapes of a shorter one could be a usual word. */
const longSecrets = secrets.filter((secret) => secret.replaceAll('\\', '').length >= SHORTEST_SECRET);

/** How a service may repeat a text in an answer, at any depth. */
const echoes: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => `is ${text} yours?`,
  'in a line of a record': (text) => JSON.stringify({ id: 1, lines: [{ id: 2, comments: text }] }),
  'as a name': (text) => JSON.stringify({ [text]: 1 }),
  'as JSON inside JSON': (text) => JSON.stringify({ message: JSON.stringify({ was: text }) }),
  'in base64': (text) => `{"raw":"${Buffer.from(text).toString('base64')}"}`,
  'in hex': (text) => Buffer.from(text).toString('hex'),
  'over two lines': (text) => `first: ${text}\r\nsecond: ${text}\n`,
};

const inHtml = (quote: string, apostrophe: string) => (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', quote)
    .replaceAll("'", apostrophe);
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const unit = (sign: string) => `\\u00${sign.charCodeAt(0).toString(16)}`;

/** How serializers escape a text. */
const escapes: Readonly<Record<string, (text: string) => string>> = {
  JSON: inJson,
  'JSON of PHP': (text) => inJson(text).replaceAll('/', '\\/'),
  'JSON of Go and Rails': (text) => inJson(text).replaceAll(/[<>&]/g, unit),
  'JSON of .NET': (text) =>
    text
      .replaceAll('\\', '\\\\')
      .replaceAll(/[<>&'"+`]/g, (sign) => unit(sign).toUpperCase().replace('U', 'u')),
  'a URL': encodeURI,
  'a part of a URL': encodeURIComponent,
  'a part of a URL in small letters': (text) =>
    encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  'a form': (text) => new URLSearchParams([['', text]]).toString().slice(1),
  'HTML with &apos;': inHtml('&quot;', '&apos;'),
  'HTML with &#039;': inHtml('&quot;', '&#039;'),
  'HTML with &#x27;': inHtml('&#34;', '&#x27;'),
  'HTML of Handlebars': (text) =>
    inHtml(
      '&quot;',
      '&#39;',
    )(text).replaceAll(/[/=`]/g, (sign) => `&#x${sign.charCodeAt(0).toString(16).toUpperCase()};`),
};

/** Every way in which a person can give a secret, as the header that carries it. */
const carriers: Readonly<Record<string, (secret: string) => Record<string, string>>> = {
  'a token': (secret) => ({ authorization: `Bearer ${secret}` }),
  'a password': (secret) => ({ authorization: `Basic ${Buffer.from(`me:${secret}`).toString('base64')}` }),
  'a key': (secret) => ({ 'x-api-key': secret }),
};

describe.each(Object.entries(carriers))('%s', (_, carry) => {
  test.each(Object.entries(echoes))('is redacted if a response repeats it %s', (__, echo) => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const shown = createRedaction(carry(secret))(echo(secret));
        expect(shown).toContain(REDACTED);
        expect(shown).not.toContain(secret);
      }),
      { numRuns: 30, seed: 1 },
    );
  });
});

describe.each(Object.entries(escapes))('a secret in %s', (_, write) => {
  test('is redacted, except backslashes at its ends, when escaped once or twice', () => {
    fc.assert(
      fc.property(longSecrets, fc.boolean(), (secret, isTwice) => {
        const escaped = isTwice ? write(write(secret)) : write(secret);
        expect(createRedaction({ 'x-api-key': secret })(`<p>${escaped}</p>`)).toMatch(
          /^<p>(\\|%(25)?5[Cc])*\[redacted\](\\|%(25)?5[Cc])*<\/p>$/,
        );
      }),
      { numRuns: 1000, seed: 1 },
    );
  });
});
