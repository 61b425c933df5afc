import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { EXPIRED, FOR_LOCALHOST, KEY } from '../../testing/proxies/certificates.ts';
import type { Asked } from '../../testing/proxies/recording-proxy.ts';
import { BRAND, failureOf, NEW_BRAND, useTarget } from '../../testing/proxies/use-target.ts';
import { NoAnswer } from './exchange.ts';
import { createTarget, type TargetOptions } from './target.ts';

const { closing, listen, listenRaw, recorder, target } = useTarget();

const breaking = (times: number) => (_: Asked, index: number) =>
  index < times ? new Error('gone') : { body: '[]' };

test('a request whose connection breaks three times fails, and the exchange contains the reason', async () => {
  const { asked, url } = await recorder(breaking(3));
  const { exchanges, send } = target(url);
  const { broken, gone, message } = await failureOf(send(BRAND));
  expect({ broken, gone, asked: asked.length }).toEqual({ broken: true, gone: false, asked: 3 });
  const error = 'the connection was closed before the response was complete';
  expect(message).toBe(`GET ${url}/api/model/brand: ${error}`);
  expect(exchanges).toMatchObject([{ request: { method: 'GET' }, response: { status: 0, error } }]);
});

test('after a broken connection, a GET, or a write that the caller permits, is retried twice', async () => {
  for (const request of [BRAND, NEW_BRAND]) {
    const { asked, url } = await recorder(breaking(2));
    let allowed = 0;
    const { requests, send } = target(url);
    expect((await send({ ...request, again: async () => void allowed++ })).status).toBe(200);
    expect([asked.length, requests(), allowed]).toEqual([3, 3, 2]);
  }
});

test.each(['POST', 'DELETE'])(
  'after a broken connection, a %s is not retried without permission',
  async (method) => {
    const { asked, url } = await recorder(breaking(1));
    await failureOf(target(url).send({ ...NEW_BRAND, method }));
    expect(asked).toHaveLength(1);
  },
);

const inTheMiddle = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

const ended = /closed before the response was complete/;

test.each<[string, string, RegExp]>([
  ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n\r\n', /no HTTP response \(.*does not match the HTTP/],
  ['endless headers', `${inTheMiddle}x: ${'y'.repeat(40_000)}`, /\(.*HEADERS?_OVERFLOW\)/],
  ['a body that is shorter than its length', `${inTheMiddle}content-length: 100\r\n\r\n[`, ended],
  ['a connection that closes before the status', '', ended],
])('a request fails, but the target is not lost, after %s', async (_, bytes, message) => {
  const url = await listenRaw((socket) => socket.end(bytes));
  const error = await failureOf(target(url).send(NEW_BRAND));
  expect(error.message).toMatch(message);
  expect(error.message).toContain(`POST ${url}/api/model/brand: `);
  expect(error.gone).toBe(false);
});

const speaking: Readonly<Record<string, (socket: Socket) => void>> = {
  'that never ends': (socket) => socket.write(`${inTheMiddle}content-length: 10\r\n\r\n[`),
  'that arrives byte by byte': (socket) => {
    socket.write(`${inTheMiddle}content-length: 100000\r\n\r\n`);
    const drip = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(drip));
  },
};

test.each(Object.entries(speaking))('a response %s fails with a timeout', async (_, speak) => {
  const url = await listenRaw(speak);
  const error = await failureOf(target(url, { timeout: 200 }).send(BRAND));
  expect(error).toMatchObject({
    gone: false,
    broken: false,
    message: `GET ${url}/api/model/brand: no response within 200 ms`,
  });
});

test('a request to an unknown host means that the target is gone', () => {
  for (const code of ['ENOTFOUND', 'EAI_AGAIN'])
    expect(new NoAnswer('', code)).toMatchObject({ name: 'NoAnswer', gone: true, broken: false });
});

test('many failed requests in a row mean that the target is gone, unless a response comes between', async () => {
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

test('a closed target ends its waiting requests immediately', async () => {
  const url = await listen(() => {});
  const created = createTarget({ baseUrl: url });
  const waiting = failureOf(created.send(BRAND, () => {}));
  await created.close();
  expect((await waiting).message).toContain('the time limit was reached');
});

const trusted = getCACertificates();

afterEach(() => setDefaultCACertificates(trusted));

/** Serves an empty list with TLS on a free port, and gives the port. */
async function serveSecurely(cert: string): Promise<number> {
  const server = createServer({ key: KEY, cert }, (_, response) => response.end('[]'));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closing({ close: () => server.close() && server.closeAllConnections() });
  return (server.address() as AddressInfo).port;
}

/** Asks once, and gives the answer or what is said about its absence. */
async function ask(baseUrl: string, more: Partial<TargetOptions> = {}): Promise<string> {
  return closing(createTarget({ baseUrl, ...more }))
    .send(BRAND, () => {})
    .then(
      ({ body }) => body,
      ({ message }: Error) => message,
    );
}

test('an untrusted certificate is reported with the flags to pass', async () => {
  const url = `https://127.0.0.1:${await serveSecurely(FOR_LOCALHOST)}`;
  expect(await ask(url)).toBe(
    `GET ${url}/api/model/brand: its certificate is not trusted; pass --ca FILE to trust its issuer, or --insecure (DEPTH_ZERO_SELF_SIGNED_CERT)`,
  );
  expect(await ask(url, { insecure: true })).toBe('[]');
});

test('an expired certificate is reported as expired', async () => {
  setDefaultCACertificates([EXPIRED]);
  const url = `https://127.0.0.1:${await serveSecurely(EXPIRED)}`;
  expect(await ask(url)).toBe(
    `GET ${url}/api/model/brand: its certificate has expired; pass --insecure to accept it (CERT_HAS_EXPIRED)`,
  );
  expect(await ask(url, { insecure: true })).toBe('[]');
});

test('a certificate for another host is reported as such', async () => {
  setDefaultCACertificates([FOR_LOCALHOST]);
  const port = await serveSecurely(FOR_LOCALHOST);
  const url = `https://127.0.0.1:${port}`;
  expect(await ask(url)).toBe(
    `GET ${url}/api/model/brand: its certificate is for another host; pass --insecure to accept it (ERR_TLS_CERT_ALTNAME_INVALID)`,
  );
  expect(await ask(`https://localhost:${port}`)).toBe('[]');
  expect(await ask(url, { insecure: true })).toBe('[]');
});

test('https to a service without TLS is reported, with a suggestion to use http', async () => {
  const url = (await recorder(() => ({}))).url.replace('http:', 'https:');
  expect(await ask(url)).toBe(`GET ${url}/api/model/brand: it does not use TLS; try http:// instead`);
});

test('an unreachable proxy is reported without its password', async () => {
  const { close, url } = await recorder(() => ({}));
  await close();
  const named = url.replace('//', '//me:pr0xy@');
  for (const scheme of ['http', 'https'] as const)
    expect(await ask(`${scheme}://service.invalid`, { proxy: { [scheme]: named } })).toBe(
      `GET ${scheme}://service.invalid/api/model/brand: the proxy ${url} can't be reached: nothing listens there (connection refused) (to connect without the proxy, add the host to NO_PROXY)`,
    );
});
