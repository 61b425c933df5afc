import { mkdirSync } from 'node:fs';
import { connect, constants } from 'node:http2';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { preview } from 'vite';
import { describe, expect, test } from 'vitest';
import { useVite } from '../../testing/adapters/use-vite.ts';
import { sendRaw } from '../../testing/mocks/control.ts';
import { FOR_LOCALHOST, KEY } from '../../testing/proxies/certificates.ts';
import { sendJson } from '../../testing/services/http-server.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { recordModelMock } from './vite.ts';

/** As a client, a proxy, and a server of files can write them; mock/http/http.test.ts has the others. */
const DOTTED = [
  '/api/model/../../__mock/reset',
  '/api/model/..%2f..%5c__mock/reset',
  '/app/../__mock/reset',
  'http://dev.team/api/model/../../__mock/reset',
];

type Answered = { readonly status: number; readonly text: string };

const directory = useDirectory();

const { closing, serve } = useVite();

/** An address of this machine on a network. A request to it comes from it. */
const OTHER_ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

/** Sends a request whose path no URL parser has changed. */
async function ask(
  port: number,
  method: string,
  path: string,
  host: string,
  from = '127.0.0.1',
): Promise<Answered> {
  const headers = { host, 'content-type': 'application/json' };
  const { body, status } = await sendRaw(`http://${from}:${port}`, method, path, '', headers);
  return { status, text: String(body) };
}

describe('the dev server', () => {
  test('serves the routes of the mock, and leaves other paths to the app', async () => {
    const login = () => Response.json({ token: 'a' });
    const { port } = await serve({ routes: { 'POST /api/login': login } });
    const host = `127.0.0.1:${port()}`;
    expect(await ask(port(), 'POST', '/api/login', host)).toEqual({ status: 200, text: '{"token":"a"}' });
    expect((await ask(port(), 'POST', '/api/logout', host)).status).toBe(404);
    const { text } = await ask(port(), 'GET', '/__mock/requests?path=/api/login', host);
    expect(JSON.parse(text).requests).toMatchObject([{ method: 'POST', status: 200 }]);
  });

  test('creates no session for an OPTIONS request, which Vite passes on before it checks the host', async () => {
    const { port } = await serve();
    const path = '/__mock/sessions/new/api/model/brand';
    expect((await ask(port(), 'OPTIONS', path, 'evil.example')).status).toBe(405);
    const { text } = await ask(port(), 'GET', '/__mock/sessions', `127.0.0.1:${port()}`);
    expect(JSON.parse(text)).toEqual({ sessions: [{ name: 'default' }] });
  });

  test('opens the API to all hosts, and the control API only to this machine', async () => {
    const { port } = await serve();
    const [local, other] = [`127.0.0.1:${port()}`, 'dev.team:5173'];
    const session = '/__mock/sessions/a';
    for (const [request, host, status] of [
      ['GET /api/model/brand', local, 200],
      ['GET /api/model/brand', other, 200],
      [`GET ${session}/api/model/brand`, other, 200],
      ['POST /__mock/reset', local, 204],
      ['POST /__mock/reset', other, 403],
      [`GET ${session}/__mock/requests`, other, 403],
    ] as const) {
      const [method = '', path = ''] = request.split(' ');
      expect([request, host, (await ask(port(), method, path, host)).status]).toEqual([
        request,
        host,
        status,
      ]);
    }
  });

  test('permits pages of another origin only if the option corsOrigins lists the origin', async () => {
    const origin = 'https://app.example.com';
    for (const [corsOrigins, status, allowed] of [
      [[], 403, null],
      [[origin], 200, origin],
    ] as const) {
      const server = await serve({ corsOrigins });
      const headers = { origin, 'sec-fetch-site': 'cross-site' };
      const response = await fetch(`${server.origin()}/api/model/brand`, { headers });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
        status,
        allowed,
      ]);
    }
    await expect(serve({ corsOrigins: ['app.example.com'] })).rejects.toThrow(
      '"app.example.com" is not an origin',
    );
  });

  test.skipIf(OTHER_ADDRESS === undefined)('does not treat requests from the network as local', async () => {
    const { port } = await serve({}, { server: { host: '0.0.0.0' } });
    for (const host of ['localhost', `127.0.0.1:${port()}`]) {
      expect((await ask(port(), 'POST', '/__mock/reset', host, OTHER_ADDRESS)).status).toBe(403);
      expect((await ask(port(), 'GET', '/api/model/brand', host, OTHER_ADDRESS)).status).toBe(200);
    }
  });

  test('rejects a path with a dot segment from each host, and changes no records', async () => {
    const { port } = await serve();
    const local = `127.0.0.1:${port()}`;
    expect((await ask(port(), 'DELETE', '/api/model/brand/1', local)).status).toBe(200);
    for (const path of DOTTED)
      for (const host of ['dev.team', local]) {
        const { status, text } = await ask(port(), 'POST', path, host);
        expect([path, status, text]).toEqual([path, 400, expect.stringContaining('dot segment')]);
      }
    expect((await ask(port(), 'GET', '/api/model/brand/1', local)).text).toContain('"deleted":true');
  });

  test('shows the address of the mock, logs requests, and describes errors', async () => {
    const forward = { url: 'http://127.0.0.1:1', models: ['warehouse'] };
    const { log, origin, vite } = await serve({ forward });
    vite.printUrls();
    expect(log.join('\n')).toContain(`Forward: warehouse to ${forward.url}`);
    expect(log.join('\n')).toContain(`Mock console: ${origin()}/__mock/ (53 models, 262 operations, `);
    const headers = { 'x-mock-session': 'a' };
    await fetch(`${origin()}/api/model/brand`, { method: 'POST', body: '{', headers });
    // Vite logs, too.
    expect(log).toContainEqual(expect.stringMatching(/^\[a\] POST \/api\/model\/brand 4\d\d \d+ ms ./));
    await fetch(`${origin()}/api/model/%1b%5b31m${encodeURIComponent('\u001b[31m')}`);
    expect(log.join('')).not.toContain('\u001b[31m');
  });

  test('does not start with invalid options or with two mocks', async () => {
    await expect(serve({ fixtures: { brnd: [] } })).rejects.toThrow('Did you mean "brand"?');
    const plugins = [recordModelMock(), recordModelMock()];
    await expect(serve({}, { plugins })).rejects.toThrow('recordModelMock twice');
  });
});

test('over HTTP/2, the mock accepts bodies, checks hosts, and applies faults', async () => {
  const { port, vite } = await serve(
    { fixtures: {} },
    { server: { host: 'localhost', https: { key: KEY, cert: FOR_LOCALHOST } } },
  );
  expect(vite.resolvedUrls?.local[0]).toMatch(/^https:/);
  const client = connect(`https://localhost:${port()}`, { ca: FOR_LOCALHOST });
  const ask = (headers: Record<string, string>, body?: string): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const stream = client.request(headers, { endStream: false });
      let [status, text] = [0, ''];
      stream.on('response', (received) => (status = Number(received[constants.HTTP2_HEADER_STATUS])));
      stream.on('data', (chunk) => (text += chunk)).on('error', reject);
      stream.on('end', () => (status === 0 ? reject(new Error('no response')) : resolve({ status, text })));
      stream.on('close', () => (stream.rstCode === 0 ? {} : reject(new Error(`reset ${stream.rstCode}`))));
      stream.end(body);
    });
  try {
    const json = { 'content-type': 'application/json' };
    const post = { ':method': 'POST', ...json };
    expect(await ask({ ':path': '/api/model/brand', ...post }, '{"name":"a"}')).toMatchObject({
      status: 201,
    });
    expect(await ask({ ':path': '/api/model/brand/1' })).toMatchObject({ status: 200 });
    expect(await ask({ ':path': '/__mock/health' })).toMatchObject({ status: 200 });
    expect(
      await ask({ ':path': '/__mock/reset', ':method': 'POST', ':authority': 'dev.team' }),
    ).toMatchObject({ status: 403 });
    for (const drop of ['before', 'after', 'mid-body'])
      await expect(ask({ ':path': '/api/model/brand', prefer: `drop=${drop}` })).rejects.toThrow();
    expect(await ask({ ':path': '/api/model/brand' })).toMatchObject({ status: 200 });
  } finally {
    client.destroy();
  }
});

test('the preview server includes the mock', async () => {
  directory.write('index.html', '<title>Built</title>');
  const server = await preview({
    configFile: false,
    logLevel: 'silent',
    root: directory.path(),
    build: { outDir: '.' },
    plugins: [recordModelMock({ records: { customer: 2 } })],
    preview: { host: '127.0.0.1', port: 0 },
  });
  closing(server);
  const { origin } = new URL(server.resolvedUrls?.local[0] ?? '');
  expect(await (await fetch(origin)).text()).toContain('Built');
  const customers = await (await fetch(`${origin}/api/model/customer`)).text();
  expect(customers).toContain(`${origin}/__mock/images/`);
});

test('a restart of the dev server uses changed options, and keeps its records if they are invalid', async () => {
  const fixtures = (name: string) => `{ fixtures: { brand: [{ id: 1, name: '${name}' }] } }`;
  const { change, origin, vite } = await serveConfigured(fixtures('Altura'));
  await sendJson('POST', `${origin()}/api/model/brand`, { name: 'Bosque' });
  change("{ seed: 'one' }");
  await vite.restart();
  expect(await namesAt(origin())).toEqual(['Altura', 'Bosque']);
  change(fixtures('Cierzo'));
  await vite.restart();
  expect(await namesAt(origin())).toEqual(['Altura', 'Bosque']);
  await fetch(`${origin()}/__mock/reset`, { method: 'POST' });
  expect(await namesAt(origin())).toEqual(['Cierzo']);
});

test('a restart of the dev server keeps the records in a file if the changed options are invalid', async () => {
  const data = `data: ${JSON.stringify(directory.path('vite.db'))}, `;
  const { change, origin, vite } = await serveConfigured(`{ ${data}seed: 1 }`);
  await fetch(`${origin()}/api/model/brand/1`, { method: 'DELETE' });
  change(`{ ${data}seed: 'one' }`);
  await vite.restart();
  expect((await fetch(`${origin()}/api/model/brand/2`, { method: 'DELETE' })).ok).toBe(true);
  change(`{ ${data}seed: 2 }`);
  await vite.restart();
  for (const id of [1, 2])
    expect(await (await fetch(`${origin()}/api/model/brand/${id}`)).text()).toContain('"deleted":true');
});

/** Starts a dev server whose configuration file can change. */
async function serveConfigured(options: string) {
  // Vite evaluates the file again, but loads a package only once.
  mkdirSync(directory.path('node_modules/kit'), { recursive: true });
  const adapter = pathToFileURL(join(import.meta.dirname, 'vite.ts'));
  const exports = { './mock/vite': './vite.js' };
  directory.write('node_modules/kit/package.json', JSON.stringify({ name: 'kit', type: 'module', exports }));
  directory.write('node_modules/kit/vite.js', `export * from ${JSON.stringify(adapter.href)};`);
  const change = (changed: string) =>
    directory.write(
      'vite.config.js',
      `import { recordModelMock } from 'kit/mock/vite';
       export default { plugins: [recordModelMock({ onExchange: () => {}, ...${changed} })] };`,
    );
  change(options);
  const configFile = directory.path('vite.config.js');
  return { change, ...(await serve({}, { plugins: [], root: directory.path(), configFile })) };
}

async function namesAt(address: string): Promise<string[]> {
  const brands = (await (await fetch(`${address}/api/model/brand`)).json()) as { name: string }[];
  return brands.map(({ name }) => name);
}
