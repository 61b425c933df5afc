import { createServer, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { startMock } from '../../testing/mocks.ts';
import { answerClientErrors } from './client-errors.ts';
import { type Listening, listen, type Served } from './server.ts';

const running: Listening[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function serve(settings: Record<string, unknown> = {}, bodyLimit = 1000): Promise<string> {
  const { mock } = await startMock(settings, { bodyLimit });
  const server = await listen(mock, { port: 0, host: '127.0.0.1' });
  running.push(server);
  return server.url;
}

const json = { 'content-type': 'application/json' };

describe('the server', () => {
  test('answers the five operations over a socket', async () => {
    const url = `${await serve()}/api/model/warehouse`;
    const made = await fetch(url, { method: 'POST', headers: json, body: '{"name":"Almacén"}' });
    expect([made.status, made.headers.get('location')]).toEqual([201, '/api/model/warehouse/1']);
    const record = await made.json();
    expect(await (await fetch(`${url}/1`)).json()).toEqual(record);
    expect(await (await fetch(url)).json()).toEqual([record]);
    const changed = await fetch(`${url}/1`, { method: 'POST', headers: json, body: '{"name":"b"}' });
    expect(await changed.json()).toMatchObject({ name: 'b' });
    expect((await fetch(`${url}/1`, { method: 'DELETE' })).status).toBe(200);
  });

  test('gives HEAD the length of the body and none of it', async () => {
    const response = await fetch(`${await serve()}/api/model/warehouse`, { method: 'HEAD' });
    expect([response.headers.get('content-length'), await response.text()]).toEqual(['2', '']);
  });

  test('sends no body and no length with 204', async () => {
    const url = `${await serve({ 'status.deleted': 204 })}/api/model/warehouse`;
    await fetch(url, { method: 'POST', headers: json, body: '{"name":"a"}' });
    const response = await fetch(`${url}/1`, { method: 'DELETE' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      204,
      null,
      '',
    ]);
  });

  test.each([
    ['announced', 2_000_000, {}],
    ['not announced', 2_000_000, { 'transfer-encoding': 'chunked' }],
    ['announced beyond all measure', 20_000_000_000, { 'content-length': '20000000000' }],
  ])('refuses a body that is too large, %s', async (_how, size, headers) => {
    const url = await serve();
    const status = await post(`${url}/api/model/warehouse`, 'a'.repeat(Math.min(size, 2_000_000)), headers);
    expect(status).toBe(413);
    expect(await (await fetch(`${url}/api/model/warehouse`)).json()).toEqual([]);
  });

  test('outlives a client that leaves in the middle of its body', async () => {
    const url = new URL(await serve());
    await new Promise<void>((resolve) => {
      const socket = connect(Number(url.port), url.hostname, () => {
        socket.write('POST /api/model/warehouse HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n');
        socket.write('Content-Length: 500\r\n\r\n{"name":', () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    expect((await fetch(`${url.href}api/model/warehouse`)).status).toBe(200);
  });
});

describe('a service that answers what can not be sent', () => {
  test.each<[string, Served['handle']]>([
    ['a status', async () => ({ status: 99, headers: {}, body: '' })],
    ['a header', async () => ({ status: 200, headers: { 'x-a': 'a\nb' }, body: '' })],
    ['nothing at all', () => Promise.reject(new Error('a fault'))],
  ])('because of %s is answered for with 500, and the server goes on', async (_what, handle) => {
    const server = await listen({ handle, bodyLimit: 0 }, { port: 0, host: '127.0.0.1' });
    running.push(server);
    for (let index = 0; index < 2; index++) expect((await fetch(server.url)).status).toBe(500);
  });
});

describe('a port that can not be had', () => {
  test('is a mistake of the user, who is told the way out', async () => {
    const url = new URL(await serve());
    const { mock } = await startMock();
    const second = listen(mock, { port: Number(url.port), host: '127.0.0.1' });
    await expect(second).rejects.toThrow(UsageError);
    await expect(second).rejects.toThrow(`port ${url.port} of 127.0.0.1 is taken; expected a free one`);
    await expect(second).rejects.toThrow('--port');
  });

  test.each(['192.0.2.1', 'fe80::1', 'ff02::1', 'no such host', 'host.invalid'])(
    'may be so because of the host: %s',
    async (host) => {
      const { mock } = await startMock();
      await expect(listen(mock, { port: 0, host })).rejects.toThrow(
        `host ${host} is no address of this machine; expected one such as 127.0.0.1, see --host`,
      );
    },
  );
});

describe('a page of another origin', () => {
  test('is answered what it may do', async () => {
    const response = await fetch(`${await serve()}/api/model/warehouse`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
  });

  test('may send credentials when it is of this machine or allowed', async () => {
    const { mock } = await startMock();
    const server = await listen(mock, {
      port: 0,
      host: '127.0.0.1',
      corsOrigins: ['https://app.example'],
    });
    running.push(server);
    const origins = [
      'http://localhost:5173',
      'http://127.0.0.1:3000',
      'https://app.example',
      'https://b.example',
    ];
    const asked = await Promise.all(
      [...origins, 'http://localhost.b.example'].map(async (origin) => {
        const { headers } = await fetch(`${server.url}/api/model/warehouse`, { headers: { origin } });
        const ahead = await fetch(`${server.url}/api/model/warehouse`, {
          method: 'OPTIONS',
          headers: {
            origin,
            'access-control-request-method': 'PUT',
            'access-control-request-private-network': 'true',
          },
        });
        expect([headers.get('vary'), ahead.status]).toEqual(['Origin', 204]);
        const names = ['access-control-allow-origin', 'access-control-allow-credentials'];
        const said = [headers, ahead.headers].map((one) => names.map((name) => one.get(name)).join(' '));
        expect(said[0]).toBe(said[1]);
        return `${said[0]} ${ahead.headers.get('access-control-allow-private-network')}`;
      }),
    );
    expect(asked).toEqual([
      ...origins.slice(0, 3).map((origin) => `${origin} true true`),
      '*  null',
      '*  null',
    ]);
  });

  test('may read every answer, errors too, and the headers it needs', async () => {
    const url = await serve({ 'response.totalHeader': 'X-Total' });
    for (const path of ['/api/model/warehouse', '/nope', '/openapi.json']) {
      const { headers } = await fetch(url + path);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toBe(
        'Allow, Location, Retry-After, WWW-Authenticate, X-Total',
      );
    }
  });
});

describe('what is no request for Node', () => {
  const LONG = 'x'.repeat(20_000);

  test.each([
    ['has no form', 'nonsense\r\n\r\n', 400],
    [
      'has two lengths',
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
    ],
    ['has headers beyond measure', `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${LONG}\r\n\r\n`, 431],
    [
      'has a chunk with extensions beyond measure',
      `POST /api/model/warehouse HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n1;${LONG}\r\n`,
      413,
    ],
    ['names no host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['names another host', 'GET / HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n', 421],
    [
      'expects too much',
      'GET / HTTP/1.1\r\nhost: localhost\r\nexpect: 200-ok\r\nconnection: close\r\n\r\n',
      417,
    ],
  ])('because it %s, is answered in the form of the profile', async (_, sent, status) => {
    for (const [form, key] of [
      ['problem', 'detail'],
      ['simple', 'error'],
    ] as const) {
      const { hostname, port } = new URL(await serve({ 'errors.form': form }));
      const answer = await new Promise<string>((resolve, reject) => {
        let said = '';
        const socket = connect(Number(port), hostname, () => socket.write(sent));
        socket
          .on('data', (chunk) => (said += chunk))
          .on('close', () => resolve(said))
          .on('error', reject);
      });
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head.toLowerCase()).toContain('access-control-allow-origin: *');
      expect(JSON.parse(body)).toMatchObject({ [key]: expect.stringMatching(/\.$/) });
    }
  });

  test('or comes too slowly, is answered so too', async () => {
    const { mock } = await startMock({ 'errors.form': 'simple' });
    const server = createServer({ requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 20 });
    answerClientErrors(server, mock.refuse, () => ({ 'access-control-allow-origin': '*' }));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    running.push({ url: '', close: async () => void server.close() });
    const { port } = server.address() as AddressInfo;
    const answer = await new Promise<string>((resolve, reject) => {
      let said = '';
      const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: loc'));
      socket
        .on('data', (chunk) => (said += chunk))
        .on('close', () => resolve(said))
        .on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\naccess-control-allow-origin: \*/);
    expect(answer).toMatch(/{"error":"The request was not complete in time."}$/);
  });

  test('or coded, is refused too', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await fetch(`${await serve()}/api/model/warehouse`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(await answer.json()).toMatchObject({ detail: 'The content encoding is gzip; expected none.' });
  });
});

describe('the document', () => {
  test('is served as JSON and YAML, whoever asks', async () => {
    const { mock } = await startMock({ 'auth.scheme': 'bearer' });
    const get = (target: string) => mock.answer({ method: 'GET', target, headers: {} });
    const asJson = await get('/openapi.json');
    expect(asJson.headers['content-type']).toBe('application/json');
    expect(JSON.parse(asJson.body)).toEqual(mock.document);
    const asYaml = await get('/openapi.yaml');
    expect(asYaml.headers['content-type']).toBe('application/yaml');
    expect(asYaml.body).toContain('openapi: 3.1.0');
    expect(await get('/openapi.yaml?x')).toBe(asYaml);
    expect((await mock.answer({ method: 'POST', target: '/openapi.json', headers: {} })).status).toBe(401);
  });
});

/** The status of a POST; node's own client, because fetch sets the headers of a body itself. */
function post(url: string, body: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = send(url, { method: 'POST', headers: { ...json, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
      request.destroy();
    });
    request.on('error', reject);
    if ('content-length' in headers) request.write(body);
    else request.end(body);
  });
}
