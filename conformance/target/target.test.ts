import type { RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer as createRawServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { type Asked, type Reply, startRecordingProxy } from '../../testing/proxies/recording-proxy.ts';
import { serve } from '../../testing/services/http-server.ts';
import type { Exchange, Wait } from './exchange.ts';
import { NoAnswer } from './no-answer.ts';
import { createTarget, type TargetOptions, type TargetRequest } from './target.ts';

const open: { close(): unknown }[] = [];
const BRAND: TargetRequest = { method: 'GET', path: '/api/model/brand' };
const NEW_BRAND: TargetRequest = { ...BRAND, method: 'POST', body: '{"name":"x"}' };

afterEach(async () => {
  for (const server of open.splice(0).reverse()) await server.close();
});

function target(baseUrl: string, more: Partial<TargetOptions> = {}) {
  const created = createTarget({ baseUrl, ...more });
  open.push(created);
  const exchanges: Exchange[] = [];
  const send = (request: TargetRequest) => created.send(request, (exchange) => exchanges.push(exchange));
  return { send, exchanges, requests: created.requests };
}

async function recorder(meddle: (asked: Asked, index: number) => Reply | Error | undefined) {
  const started = await startRecordingProxy(undefined, meddle);
  open.push(started);
  return started;
}

async function listen(listener: RequestListener): Promise<string> {
  const served = await serve(listener);
  open.push(served);
  return served.url;
}

/** A server that says whatever bytes it is told to, once it was asked something. */
async function listenRaw(speak: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => speak(socket));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What a request without an answer is refused with. */
async function failureOf(answer: Promise<unknown>): Promise<NoAnswer> {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof NoAnswer) return error;
  throw new Error(`expected NoAnswer, found ${error}`);
}

describe('a request', () => {
  test('carries its query, headers, body and credentials, and asks for JSON', async () => {
    const { asked, url } = await recorder(() => ({ body: { id: 1 } }));
    const { send } = target(`${url}/base/`, {
      headers: { 'x-tenant': '7' },
      credentials: { authorization: 'Bearer t0ps3cret' },
    });
    const answer = await send({
      ...NEW_BRAND,
      query: { 'a b': 'ä&=' },
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 200, body: '{"id":1}' });
    expect(asked).toMatchObject([
      {
        method: 'POST',
        path: '/base/api/model/brand?a+b=%C3%A4%26%3D',
        body: '{"name":"x"}',
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          'content-type': 'application/json',
          'x-tenant': '7',
          authorization: 'Bearer t0ps3cret',
        },
      },
    ]);
  });

  test.each(['headers', 'credentials'])('asks for another coding where %s say so', async (kind) => {
    const { asked, url } = await recorder(() => ({}));
    await target(url, { [kind]: { 'accept-encoding': 'gzip' } }).send(BRAND);
    expect(asked[0]?.headers).toMatchObject({ 'accept-encoding': 'gzip' });
  });

  test('goes out without credentials when that is wanted', async () => {
    const { asked, url } = await recorder(() => ({ status: 401 }));
    const { exchanges, send } = target(url, { credentials: { 'x-api-key': 't0ps3cret' } });
    await send({ ...BRAND, without: 'credentials' });
    expect(asked[0]?.headers).not.toHaveProperty('x-api-key');
    expect(exchanges[0]?.request.headers).not.toHaveProperty('x-api-key');
  });

  test.each(['POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'])(
    'with %s is never sent by a read-only target',
    async (method) => {
      const { asked, url } = await recorder(() => ({}));
      const { requests, send } = target(url, { readOnly: true });
      await expect(send({ ...BRAND, method })).rejects.toThrow(
        `a read-only run was about to send ${method} /api/model/brand`,
      );
      await send(BRAND);
      expect([asked.map((one) => one.method), requests()]).toEqual([['GET'], 1]);
    },
  );
});

describe('secrets', () => {
  const SECRET = 't0ps3cret-t0k3n';

  test('stand in no exchange: neither in headers nor in the query', async () => {
    const { url } = await recorder(() => ({}));
    const credentials = { authorization: `Bearer ${SECRET}`, 'x-api-key': SECRET };
    const { exchanges, send } = target(url, { credentials });
    await send({ ...BRAND, query: { api_key: SECRET, access_token: SECRET, Token: SECRET, name: 'kept' } });
    expect(JSON.stringify(exchanges)).not.toContain(SECRET);
    expect(exchanges[0]?.request).toMatchObject({
      headers: { authorization: '[redacted]', 'x-api-key': '[redacted]' },
      url: `${url}/api/model/brand?api_key=[redacted]&access_token=[redacted]&Token=[redacted]&name=kept`,
    });
  });

  test.each([
    ['a bearer token', { authorization: `Bearer ${SECRET}` }, `no such token: ${SECRET}`],
    ['an API key', { 'x-api-key': SECRET }, SECRET],
    ['a pair, as it was sent', { authorization: `Basic ${btoa(`me:${SECRET}`)}` }, btoa(`me:${SECRET}`)],
    ['a password, decoded', { authorization: `Basic ${btoa(`me:${SECRET}`)}` }, `${SECRET} is wrong`],
    ['a key with slashes, as PHP writes JSON', { 'x-api-key': 'ab/cd/ef/gh' }, 'ab\\/cd\\/ef\\/gh'],
  ])('stand in no exchange where the target repeats them: %s', async (_, credentials, echo) => {
    const { url } = await recorder(() => ({
      status: 400,
      headers: { 'x-echo': echo },
      body: `{"e":"${echo}"}`,
    }));
    const { exchanges, send } = target(url, { credentials });
    const answer = await send(BRAND);
    expect(JSON.parse(answer.body).e).toBe(JSON.parse(`"${echo}"`));
    const shown = JSON.stringify(exchanges);
    expect(shown).toContain('[redacted]');
    for (const secret of [SECRET, btoa(`me:${SECRET}`), 'cd/ef', 'cd\\\\/ef'])
      expect(shown).not.toContain(secret);
  });

  test.each<[string, Record<string, string>, string]>([
    ['base64', { authorization: `Bearer ${SECRET}` }, btoa(SECRET)],
    ['the base64 of something longer', { authorization: `Bearer ${SECRET}` }, btoa(`{"jwt":"${SECRET}"}`)],
    ['base64 for URLs', { 'x-api-key': 'a>b?c>d?e>f?' }, 'YT5iP2M-ZD9lPmY_'],
    ['percent-encoding', { 'x-api-key': 'ab+cd/ef=gh' }, 'ab%2Bcd%2Fef%3Dgh'],
    ['percent-encoding in small letters', { 'x-api-key': 'ab+cd/ef=gh' }, 'ab%2bcd%2fef%3dgh'],
    ['JSON of Go', { 'x-api-key': 'ab&cd<ef"gh' }, 'ab\\u0026cd\\u003cef\\"gh'],
    ['JSON of .NET', { 'x-api-key': 'ab&cd+ef"gh' }, 'ab\\u0026cd\\u002Bef\\u0022gh'],
    ['a form', { 'x-api-key': 'ab+cd ef=gh' }, 'ab%2Bcd+ef%3Dgh'],
    ['a text inside a text', { 'x-api-key': 'ab"cd"efgh' }, 'ab\\\\\\"cd\\\\\\"efgh'],
    ['the rest behind a scheme', { authorization: `Token ${SECRET}` }, SECRET],
    ['a parameter of a scheme', { authorization: `Token token="${SECRET}", id="7"` }, SECRET],
    ['a cookie', { cookie: `lang=es; session=${SECRET}; theme=dark` }, SECRET],
    ['a cookie, decoded', { cookie: 'session=s%3At0p%2Fs3cret' }, 's:t0p/s3cret'],
    ['percent-encoding of percent-encoding', { 'x-api-key': 'ab+cd/ef=gh' }, 'ab%252Bcd%252Fef%253Dgh'],
    ['HTML', { 'x-api-key': 'a&"b<c>d\'e' }, 'a&amp;&quot;b&lt;c&gt;d&apos;e'],
    ['HTML of a template', { 'x-api-key': 'a&"b=c/d\'e' }, 'a&amp;&quot;b&#x3D;c&#x2F;d&#39;e'],
    ['HTML in HTML', { 'x-api-key': 'ab&cd"ef' }, 'ab&amp;amp;cd&amp;#34;ef'],
    ['a pair with HTML', { authorization: `Basic ${btoa('me:p&ss"w0rd')}` }, 'me:p&amp;ss&quot;w0rd'],
    ['hex', { authorization: `Bearer ${SECRET}` }, Buffer.from(SECRET).toString('hex')],
    ['hex in capitals', { 'x-api-key': 'k/y=z?' }, '6B2F793D7A3F'],
  ])('stand in no exchange in another form: %s', async (_, credentials, echo) => {
    const { url } = await recorder(() => ({
      status: 400,
      headers: { 'x-echo': echo },
      body: `<p>${echo}</p>`,
    }));
    const { exchanges, send } = target(url, { credentials });
    await send(BRAND);
    const [{ response } = {}] = exchanges;
    expect(response?.body).toMatch(/^<p>.{0,20}\[redacted\].{0,6}<\/p>$/);
    expect(response?.headers['x-echo']).toMatch(/^.{0,20}\[redacted\].{0,6}$/);
  });

  test('stand in no exchange where they are sent as data that the target gave', async () => {
    const { url } = await recorder(() => ({}));
    const key = 't0p s3cret/k3y';
    const { exchanges, send } = target(`${url}/t0p`, { credentials: { 'x-api-key': key } });
    await send({ ...NEW_BRAND, query: { name: key }, body: JSON.stringify({ name: key }) });
    await send({ ...BRAND, path: `/api/model/brand/${encodeURIComponent(key)}` });
    expect(exchanges.map(({ request }) => [request.url, request.body])).toEqual([
      [`${url}/t0p/api/model/brand?name=[redacted]`, '{"name":"[redacted]"}'],
      [`${url}/t0p/api/model/brand/[redacted]`, undefined],
    ]);
  });

  test('that the target gives out in cookies stand in no exchange; their names and terms do', async () => {
    const served = await listen((_, response) => {
      response.setHeader('set-cookie', [
        `session="${SECRET}, =x"; Path=/; HttpOnly; Expires=Wed, 21 Oct 2065 07:28:00 GMT`,
        `theme=${SECRET}; SameSite=Lax; Max-Age=60; Secure; Domain=.example.com; Note=${SECRET}`,
        `a=b; Path=/, folded=${SECRET}; Secure`,
        SECRET,
      ]);
      response.setHeader('cookie', `session=${SECRET}; other=${SECRET}`);
      response.end();
    });
    const { exchanges, send } = target(served, { headers: { Cookie: `mine=${SECRET}; ${SECRET}` } });
    const answer = await send(BRAND);
    expect(answer.headers['set-cookie']).toContain(SECRET);
    expect(JSON.stringify(exchanges)).not.toContain(SECRET);
    expect(exchanges[0]?.request.headers.Cookie).toBe('mine=[redacted]; [redacted]');
    expect(exchanges[0]?.response.headers).toMatchObject({
      cookie: 'session=[redacted]; other=[redacted]',
      'set-cookie': [
        'session=[redacted]; Path=/; HttpOnly; Expires=Wed, 21 Oct 2065 07:28:00 GMT',
        'theme=[redacted]; SameSite=Lax; Max-Age=60; Secure; Domain=.example.com; Note=[redacted]',
        'a=[redacted]; Path=[redacted]; Secure',
        '[redacted]',
      ].join(', '),
    });
  });

  test('in the address of a redirect stand in no exchange', async () => {
    const location = `https://me:${SECRET}@example.com/x?token=${SECRET}`;
    const { url } = await recorder(() => ({ status: 302, headers: { location } }));
    const { exchanges, send } = target(url);
    await send(BRAND);
    expect(exchanges[0]?.response.headers.location).toBe('https://[redacted]@example.com/x?token=[redacted]');
  });

  test('stand in no text that was cut in the middle of one', () => {
    const { redact = String } = createTarget({
      baseUrl: 'http://a',
      credentials: { cookie: `a=${SECRET}` },
    });
    expect(redact(`found "no ${SECRET.slice(0, 9)}… and ${SECRET.slice(0, 3)}…`)).toBe(
      `found "no [redacted]… and ${SECRET.slice(0, 3)}…`,
    );
  });

  test('that are long are found escaped all the same', () => {
    const key = 'a/b-c.'.repeat(1000);
    const { redact = String } = createTarget({ baseUrl: 'http://a', credentials: { 'x-api-key': key } });
    expect(redact(`no ${key.replaceAll('/', '&#x2F;')}\\n`)).toBe('no [redacted]\\n');
  });

  test('that are short words are looked for in headers only: they may stand in any text', async () => {
    const { url } = await recorder(() => ({ body: '{"name":"key"}' }));
    const { exchanges, send } = target(url, { credentials: { 'x-api-key': 'key' } });
    await send(BRAND);
    expect(exchanges[0]?.response.body).toBe('{"name":"key"}');
    expect(exchanges[0]?.request.headers['x-api-key']).toBe('[redacted]');
  });

  test('stand in no message about an answer that did not come', async () => {
    const url = await listen(({ socket }) => socket.destroy());
    const { send } = target(url, { credentials: { authorization: `Bearer ${SECRET}` } });
    const { message } = await failureOf(send({ ...BRAND, query: { token: SECRET } }));
    expect(message).not.toContain(SECRET);
    expect(message).toContain('token=[redacted]');
  });

  test.each([301, 302, 303, 307, 308])(
    'go to no other host: a %i is an answer, and not followed',
    async (status) => {
      const elsewhere = await recorder(() => ({}));
      const { url } = await recorder(() => ({
        status,
        headers: { location: `${elsewhere.url}/api/model/brand` },
      }));
      const { send } = target(url, { credentials: { authorization: `Bearer ${SECRET}` } });
      const answers = [await send(BRAND), await send(NEW_BRAND)];
      expect(answers.map((answer) => answer.status)).toEqual([status, status]);
      expect(answers[0]?.headers.location).toContain(elsewhere.url);
      expect(elsewhere.asked).toEqual([]);
    },
  );
});

describe('an exchange', () => {
  test('is handed out whole, long bodies cut', async () => {
    const { url } = await recorder(() => ({ body: 'y'.repeat(5000), headers: { 'set-cookie': 'a=b' } }));
    const { exchanges, send } = target(url);
    const answer = await send({ ...NEW_BRAND, body: 'x'.repeat(4001) });
    expect(answer.body).toHaveLength(5000);
    expect(exchanges).toHaveLength(1);
    expect(exchanges[0]?.request.body).toMatch(/^x{4000}… \(4001 characters\)$/);
    expect(exchanges[0]?.response.body).toMatch(/^y{4000}… \(5000 characters\)$/);
    expect(exchanges[0]?.response.headers['set-cookie']).toBe('a=[redacted]');
  });

  test('has its bodies in full where that is asked for', async () => {
    const { url } = await recorder(() => ({ body: 'y'.repeat(5000) }));
    const { exchanges, send } = target(url, { longestShown: Number.POSITIVE_INFINITY });
    await send({ ...NEW_BRAND, body: 'x'.repeat(4001) });
    expect([exchanges[0]?.request.body, exchanges[0]?.response.body]).toEqual([
      'x'.repeat(4001),
      'y'.repeat(5000),
    ]);
  });
});

describe('backoff', () => {
  const waiting =
    (status: number, header: () => string, times: number) =>
    (_: Asked, index: number): Reply =>
      index < times ? { status, headers: { 'retry-after': header() } } : { body: { ok: true } };
  const inTwoSeconds = () => new Date(Date.now() + 2000).toUTCString();

  test.each<[number, string, () => string, number]>([
    [429, 'seconds', () => '1', 990],
    [503, 'no seconds', () => '0', 0],
    // A date has whole seconds: at least one of the two is left.
    [503, 'a date', inTwoSeconds, 950],
    [429, 'a date in the past', () => 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ])(
    'after a %i with Retry-After in %s the request is sent again when it is time',
    async (status, _, header, least) => {
      const { asked, url } = await recorder(waiting(status, header, 1));
      const { exchanges, send } = target(url);
      const started = performance.now();
      const answer = await send(NEW_BRAND);
      expect(performance.now() - started).toBeGreaterThanOrEqual(least);
      expect([answer.status, asked.length, exchanges.length]).toEqual([200, 2, 1]);
    },
  );

  test.each([
    ['a wait without end', 503, '9'.repeat(400)],
    ['a date years ahead', 503, 'Wed, 21 Oct 2065 07:28:00 GMT'],
    ['another status', 500, '0'],
  ])('ends with %s: it is an answer', async (_, status, header) => {
    const { asked, url } = await recorder(waiting(status, () => header, 1));
    expect([(await target(url).send(BRAND)).status, asked.length]).toEqual([status, 1]);
  });

  test.each([429, 503])('a %i that names no time is asked again with growing pauses', async (status) => {
    const { asked, url } = await recorder((_, index) => (index < 3 ? { status } : {}));
    const { exchanges, send } = target(url, { pauses: [0, 1, 2] });
    expect([(await send(NEW_BRAND)).status, asked.length, exchanges.length]).toEqual([200, 4, 1]);
  });

  test('is had alone: nobody else uses up what the target allows next', async () => {
    let other: Promise<unknown> | undefined;
    const { asked, url } = await recorder(({ method }, index) => {
      if (index === 1) other = send(BRAND);
      return method === 'POST' && index < 4 ? { status: 429 } : {};
    });
    const { send } = target(url, { pauses: [0, 0, 0, 0] });
    await Promise.all([send(NEW_BRAND), send(NEW_BRAND)]);
    await other;
    expect(asked.map(({ method }) => method)).toEqual([
      'POST',
      'POST',
      'POST',
      'POST',
      'POST',
      'POST',
      'GET',
    ]);
  });

  test('after a 503 is for what was refused alone: the rest goes on', async () => {
    const { asked, url } = await recorder(({ method }, index) =>
      method === 'POST' && index < 2 ? { status: 503, headers: { 'retry-after': '1' } } : {},
    );
    const { send } = target(url);
    let posts = 0;
    const writing = [send(NEW_BRAND), send(NEW_BRAND)].map((sent) => sent.finally(() => posts++));
    while (asked.length < 2) await send({ ...NEW_BRAND, method: 'PUT' });
    const before = asked.length;
    for (let times = 0; times < 20; times++) await send(BRAND);
    expect([posts, asked.length - before]).toEqual([0, 20]);
    expect((await Promise.all(writing)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test.each([
    ['beyond a minute', '61', 1, 'it wants a wait of 61 s'],
    ['without a word', undefined, 3, 'so it did 3 times'],
    ['with a word that is no time', 'soon', 3, 'so it did 3 times'],
    ['again and again', '0', 3, 'so it did 3 times'],
  ])('a 429 %s is no answer: nobody may ask any more', async (_, header, times, said) => {
    const reply = { status: 429, headers: header === undefined ? {} : { 'retry-after': header } };
    const { asked, url } = await recorder(() => reply);
    const { exchanges, send } = target(url, { pauses: [0, 0] });
    const { gone, message } = await failureOf(send(BRAND));
    expect({ gone, asked: asked.length, exchanges: exchanges.length }).toEqual({
      gone: true,
      asked: times,
      exchanges: 1,
    });
    expect(message).toBe(
      `GET ${url}/api/model/brand answered 429 (too many requests), ${said}; --rate N sends no more than N a second`,
    );
  });

  test('that was in vain is not had again, but for what is removed', async () => {
    const { asked, url } = await recorder(() => ({ status: 429 }));
    const { send } = target(url, { pauses: [0, 0] });
    const counts: number[] = [];
    for (const method of ['GET', 'POST', 'DELETE', 'DELETE']) {
      await failureOf(send({ ...BRAND, method }));
      counts.push(asked.length);
    }
    expect(counts).toEqual([3, 4, 7, 8]);
  });

  test('with a 503 that stays ends with it, once', async () => {
    const { asked, url } = await recorder(() => ({ status: 503 }));
    const { send } = target(url, { pauses: [0, 0] });
    expect([(await send(BRAND)).status, (await send(BRAND)).status, asked.length]).toEqual([503, 503, 4]);
  });
});

describe('an interruption', () => {
  const askForHalfAMinute = () => ({ status: 429, headers: { 'retry-after': '30' } });

  test('ends the wait that the target asked for, which is told once', async () => {
    const { asked, url } = await recorder(askForHalfAMinute);
    const stop = new AbortController();
    const waits: Wait[] = [];
    const onWait = (wait: Wait) => waits.push(wait) && setImmediate(() => stop.abort());
    const { send } = target(url, { signal: stop.signal, onWait });
    const ended = await Promise.allSettled(Array.from({ length: 20 }, () => send(BRAND)));
    for (const one of ended) expect(one).toMatchObject({ reason: { name: 'Interrupted' } });
    expect(waits).toEqual([{ status: 429, milliseconds: 30_000 }]);
    // Whatever comes later does not begin to wait.
    await expect(send({ ...BRAND, method: 'DELETE' })).rejects.toThrow('interrupted');
    expect(asked.length).toBeLessThanOrEqual(21);
  });

  test('ends the waits for the rate, but for those of what is removed', async () => {
    const { asked, url } = await recorder(() => ({}));
    const stop = new AbortController();
    const { send } = target(url, { rate: 10, signal: stop.signal });
    await send(BRAND);
    const [remove, look] = [send({ ...BRAND, method: 'DELETE' }), send(BRAND)];
    stop.abort();
    await expect(look).rejects.toThrow('interrupted');
    expect((await remove).status).toBe(200);
    expect((await send(BRAND)).status).toBe(200);
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'DELETE', 'GET']);
  });
});

describe('a connection that breaks', () => {
  const breaking = (times: number) => (_: Asked, index: number) =>
    index < times ? new Error('gone') : { body: '[]' };

  test('is tried once more for a GET', async () => {
    const { asked, url } = await recorder(breaking(1));
    const { requests, send } = target(url);
    expect((await send(BRAND)).body).toBe('[]');
    expect([asked.length, requests()]).toEqual([2, 2]);
  });

  test('is not tried a third time', async () => {
    const { asked, url } = await recorder(breaking(2));
    const { broken, gone, message } = await failureOf(target(url).send(BRAND));
    expect({ broken, gone, asked: asked.length }).toEqual({ broken: true, gone: false, asked: 2 });
    expect(message).toBe(
      `GET ${url}/api/model/brand: the connection was closed before the answer was complete`,
    );
  });

  test.each(['POST', 'DELETE', 'PUT', 'PATCH'])('is never tried again for a %s', async (method) => {
    const { asked, url } = await recorder(breaking(1));
    await failureOf(target(url).send({ ...NEW_BRAND, method }));
    expect(asked).toHaveLength(1);
  });
});

describe('no answer', () => {
  const inTheMiddle = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

  test.each<[string, string, RegExp]>([
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.9\r\n\r\n', /no HTTP answer \(.*does not match the HTTP/],
    ['a broken chunk', `${inTheMiddle}transfer-encoding: chunked\r\n\r\nzz\r\n`, /no HTTP answer \(.*chunk/],
    [
      'headers without end',
      `${inTheMiddle}x: ${'y'.repeat(40_000)}`,
      /no HTTP answer \(.*HEADERS?_OVERFLOW\)/,
    ],
    [
      'an end before its length',
      `${inTheMiddle}content-length: 100\r\n\r\n[`,
      /closed before the answer was complete/,
    ],
    [
      'an end before the last chunk',
      `${inTheMiddle}transfer-encoding: chunked\r\n\r\n1\r\n[\r\n`,
      /closed before/,
    ],
    ['an end before the status', '', /closed before the answer was complete/],
  ])('is %s', async (_, bytes, message) => {
    const url = await listenRaw((socket) => socket.end(bytes));
    const error = await failureOf(target(url).send(NEW_BRAND));
    expect(error.message).toMatch(message);
    expect(error.message).toContain(`POST ${url}/api/model/brand: `);
    expect(error.gone).toBe(false);
  });

  test.each<[string, (socket: Socket) => void]>([
    ['that never begins', () => {}],
    ['that never ends', (socket) => socket.write(`${inTheMiddle}content-length: 10\r\n\r\n[`)],
    [
      'that comes drop by drop',
      (socket) => {
        socket.write(`${inTheMiddle}content-length: 100000\r\n\r\n`);
        const drip = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(drip));
      },
    ],
  ])('is one %s within the time', async (_, speak) => {
    const url = await listenRaw(speak);
    const error = await failureOf(target(url, { timeout: 200 }).send(BRAND));
    expect(error).toMatchObject({
      gone: false,
      broken: false,
      message: `GET ${url}/api/model/brand: no answer within 200 ms`,
    });
  });

  test('is one where nothing listens', async () => {
    const { close, url } = await recorder(() => ({}));
    await close();
    expect(await failureOf(target(url).send(BRAND))).toMatchObject({
      gone: true,
      message: `GET ${url}/api/model/brand: nothing listens there (connection refused)`,
    });
  });

  test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])(
    'because of %s means that nothing is there',
    (code) => {
      expect(new NoAnswer('', code)).toMatchObject({ name: 'NoAnswer', gone: true, broken: false });
    },
  );

  test('many times in a row means that the target is gone; one answer in between begins anew', async () => {
    const { url } = await recorder((_, index) => (index === 3 ? {} : new Error('gone')));
    const { send } = target(url, { connections: 2 });
    const gone: (boolean | undefined)[] = [];
    for (let index = 0; index < 10; index++)
      gone.push(
        await send(NEW_BRAND).then(
          () => undefined,
          (error: NoAnswer) => error.gone,
        ),
      );
    expect(gone).toEqual([false, false, false, undefined, false, false, false, false, false, true]);
  });
});

describe('a huge answer', () => {
  const PIECE = Buffer.alloc(1024 * 1024, ' ');
  const SIZE = 100;

  /** Sends 100 MB as fast as they are taken, and counts the pieces that were. */
  async function serveHuge(sized: boolean) {
    let sent = 0;
    const url = await listen((_, response) => {
      response.writeHead(200, sized ? { 'content-length': SIZE * PIECE.length } : {});
      const push = () => {
        while (sent < SIZE && !response.destroyed) {
          sent++;
          if (!response.write(PIECE)) return;
        }
        if (sent === SIZE) response.end();
      };
      response.on('drain', push);
      push();
    });
    return { url, sent: () => sent };
  }

  test.each([
    ['says its length', true, false],
    ['comes in chunks', false, false],
    ['comes through a proxy', false, true],
  ])('that %s is cut off, and the message says so', async (_, sized, proxied) => {
    const huge = await serveHuge(sized);
    const proxy = proxied ? { proxy: { http: huge.url } } : {};
    const url = proxied ? 'http://service.invalid' : huge.url;
    const error = await failureOf(target(url, proxy).send(BRAND));
    expect(error.message).toBe(`GET ${url}/api/model/brand: the answer has more than 16777216 bytes`);
    // What the operating system holds between the two ends is little: the rest was never taken.
    expect(huge.sent()).toBeLessThan(40);
  });

  test('leaves the memory flat when it comes again and again', async () => {
    const huge = await listen((_, response) => {
      for (let piece = 0; piece < 20; piece++) response.write(PIECE);
      response.end();
    });
    const { send } = target(huge);
    await failureOf(send(NEW_BRAND));
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 20; round++) await failureOf(send(NEW_BRAND));
    // Kept, they would be more than 300 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * PIECE.length);
  });

  test('up to the bound is taken whole', async () => {
    const url = await listen((_, response) => response.end(Buffer.alloc(16 * 1024 * 1024, 'x')));
    expect((await target(url).send(BRAND)).body).toHaveLength(16 * 1024 * 1024);
  });
});

test('a target that is left closes at once, whatever it waits for', async () => {
  const url = await listen(() => {});
  const created = createTarget({ baseUrl: url });
  const waiting = failureOf(created.send(BRAND, () => {}));
  await created.close();
  expect((await waiting).message).toContain('no more time to ask');
});

describe('a body', () => {
  test.each([
    ['invalid JSON', '[{"id":1},'],
    ['HTML', '<!doctype html><title>Hi</title>'],
    ['nothing', ''],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x41])],
  ])('of %s is an answer all the same', async (_, body) => {
    const url = await listen((__, response) => response.end(body));
    const answer = await target(url).send(BRAND);
    expect(answer).toMatchObject({ status: 200, body: new TextDecoder().decode(Buffer.from(body)) });
  });
});

test('a rate is kept, whatever is asked side by side', async () => {
  const { asked, url } = await recorder(() => ({}));
  const { send } = target(url, { rate: 50 });
  const started = performance.now();
  await Promise.all(Array.from({ length: 11 }, () => send(BRAND)));
  // Ten pauses of 20 ms; a timer may be a millisecond early.
  expect(performance.now() - started).toBeGreaterThanOrEqual(189);
  expect(asked).toHaveLength(11);
});

describe('a proxy', () => {
  /** Forwards HTTP by absolute address, tunnels by CONNECT, and notes what it was asked for. */
  async function startProxy(behind: string, status = 200) {
    const seen: string[] = [];
    const proxied = await startRecordingProxy(behind, ({ headers, method, path }) => {
      seen.push(`${method} ${path} ${headers['proxy-authorization'] ?? ''}`.trim());
      return status === 200 ? { body: { through: 'proxy' } } : { status };
    });
    open.push(proxied);
    return { url: proxied.url, seen };
  }

  test('gets what is for other hosts, with its own credentials and the address in full', async () => {
    const proxy = await startProxy('');
    const withUser = proxy.url.replace('//', '//me:pr0xy@');
    const { exchanges, send } = target('http://service.invalid:8080', {
      proxy: { http: withUser },
      credentials: { authorization: 'Bearer t0ps3cret' },
    });
    expect((await send(BRAND)).body).toBe('{"through":"proxy"}');
    expect(proxy.seen).toEqual([`GET http://service.invalid:8080/api/model/brand Basic ${btoa('me:pr0xy')}`]);
    expect(JSON.stringify(exchanges)).not.toContain('pr0xy');
    expect(exchanges[0]?.request.url).toBe('http://service.invalid:8080/api/model/brand');
  });

  test('takes requests side by side', async () => {
    let under = 0;
    let most = 0;
    const url = await listen(async (_, response) => {
      most = Math.max(most, ++under);
      // Waits for the second one; a lone one would wait in vain.
      while (most < 2) await new Promise(setImmediate);
      under--;
      response.end();
    });
    const { send } = target('http://service.invalid', { proxy: { http: url }, timeout: 3000 });
    await Promise.all([send(BRAND), send(BRAND)]);
    expect(most).toBe(2);
  });

  test('does not get what is for the hosts that go without one', async () => {
    const proxy = await startProxy('');
    const { asked, url } = await recorder(() => ({}));
    await target(url, { proxy: { http: proxy.url, none: 'other.example,127.0.0.1' } }).send(BRAND);
    expect([asked.length, proxy.seen]).toEqual([1, []]);
  });

  test('tunnels what is encrypted', async () => {
    const tunnels: string[] = [];
    const { url } = await recorder(() => ({}));
    const raw = await listenRaw(() => {});
    const { port } = new URL(raw);
    const proxied = await startTunnel(tunnels, Number(port));
    const { send } = target('https://service.invalid', {
      proxy: { https: proxied, http: url },
      timeout: 200,
    });
    await failureOf(send(BRAND));
    expect(tunnels).toEqual(['service.invalid:443']);
  });

  async function startTunnel(tunnels: string[], port: number): Promise<string> {
    const { createServer } = await import('node:http');
    const server = createServer();
    const sockets: Socket[] = [];
    server.on('connect', (request, socket: Socket) => {
      tunnels.push(request.url ?? '');
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      for (const end of [socket, onward]) end.on('error', () => {});
      sockets.push(socket, onward);
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    open.push({
      close: () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('that is not there, or wants to know who asks, is no answer', async () => {
    const { close, url } = await recorder(() => ({}));
    await close();
    const message = (await failureOf(target('http://service.invalid', { proxy: { http: url } }).send(BRAND)))
      .message;
    expect(message).toContain('GET http://service.invalid/api/model/brand: ');
    const proxy = await startProxy('', 407);
    const strict = target('http://service.invalid', { proxy: { http: proxy.url } });
    expect((await failureOf(strict.send(BRAND))).message).toContain('407');
  });
});

describe('a base URL', () => {
  test.each([
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ['http://127.0.0.1:4010/', 'http://127.0.0.1:4010'],
    ['https://api.example.com/v1///', 'https://api.example.com/v1'],
    ['HTTP://API.Example.com:80/Tenant', 'http://api.example.com/Tenant'],
    ['http://example.com/@tenant', 'http://example.com/@tenant'],
  ])('%s is taken as %s', (given, taken) => {
    const created = createTarget({ baseUrl: given });
    open.push(created);
    expect(created.url).toBe(taken);
  });

  test.each([
    '',
    'nowhere',
    '127.0.0.1:4010',
    'localhost:4010',
    'ftp://example.com',
    'http://',
    'http://a b',
    '//host',
  ])('"%s" is refused, with the way out', (baseUrl) => {
    expect(() => createTarget({ baseUrl })).toThrow(UsageError);
    expect(() => createTarget({ baseUrl })).toThrow(
      `the base URL is "${baseUrl}"; expected one such as http://127.0.0.1:4010`,
    );
  });

  test.each([
    ['a password', 'http://me:s3cr3t@example.com', /holds a user name or password; expected --basic/],
    ['a user alone', 'http://s3cr3t@example.com', /holds a user name or password; expected --basic/],
    ['a password and a wrong scheme', 'ftp://me:s3cr3t@example.com', /user name or password/],
    ['a password and no scheme', 'me:s3cr3t@example.com', /user name or password/],
    ['a password that has a slash', 'http://me:s3/cr3t@example.com', /user name or password/],
    ['a password that has a slash, and no scheme', 'me:s3/cr3t@example.com', /user name or password/],
    ['a password behind one slash', 'http:/me:s3cr3t@example.com', /user name or password/],
    ['a query', 'http://example.com/api?token=s3cr3t', /holds a query or fragment; expected none/],
    ['a fragment', 'http://example.com/#s3cr3t', /holds a query or fragment; expected none/],
  ])('with %s is refused, and not repeated', (_, baseUrl, message) => {
    expect(() => createTarget({ baseUrl })).toThrow(UsageError);
    expect(() => createTarget({ baseUrl })).toThrow(message);
    expect(() => createTarget({ baseUrl })).not.toThrow(/s3|cr3t/);
  });
});
