import { request as send } from 'node:http';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { startMock } from '../../testing/mocks/mocks.ts';
import { useServer } from '../../testing/mocks/use-server.ts';
import { listen, type Served } from './server.ts';

const { closing, serve } = useServer();

const json = { 'content-type': 'application/json' };

test('the server sends no body and no length with 204', async () => {
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
])('the server refuses a body that is too large, %s', async (_how, size, headers) => {
  const url = await serve();
  const status = await post(`${url}/api/model/warehouse`, 'a'.repeat(Math.min(size, 2_000_000)), headers);
  expect(status).toBe(413);
  expect(await (await fetch(`${url}/api/model/warehouse`)).json()).toEqual([]);
});

test.each<[string, Served['handle']]>([
  ['a status', async () => ({ status: 99, headers: {}, body: '' })],
  ['a header', async () => ({ status: 200, headers: { 'x-a': 'a\nb' }, body: '' })],
  ['nothing at all', () => Promise.reject(new Error('a fault'))],
])('%s that can not be sent is a 500, and the server goes on', async (_what, handle) => {
  const { mock } = await startMock();
  const server = closing(await listen({ ...mock, handle }, { port: 0, host: '127.0.0.1' }));
  for (let index = 0; index < 2; index++) expect((await fetch(server.url)).status).toBe(500);
});

describe('a port that can not be had', () => {
  test('is a mistake of the user, who is told the way out', async () => {
    const url = new URL(await serve());
    const { mock } = await startMock();
    const second = listen(mock, { port: Number(url.port), host: '127.0.0.1' });
    await expect(second).rejects.toThrow(UsageError);
    await expect(second).rejects.toThrow(`Port ${url.port} on 127.0.0.1 is in use.`);
    await expect(second).rejects.toThrow('--port');
  });

  test.each(['192.0.2.1', 'fe80::1', 'host.invalid'])('may be so because of the host: %s', async (host) => {
    const { mock } = await startMock();
    await expect(listen(mock, { port: 0, host })).rejects.toThrow(
      `${host} is not an address of this machine. Choose another with --host, such as 127.0.0.1.`,
    );
  });
});

test('the document is served as JSON and YAML, whoever asks', async () => {
  const { mock } = await startMock({ auth: 'bearer' });
  const get = (target: string) => mock.answer({ method: 'GET', target, headers: {} });
  const asJson = await get('/openapi.json');
  expect(asJson.headers['content-type']).toBe('application/json');
  expect(JSON.parse(asJson.body)).toEqual(mock.document);
  const asYaml = await get('/openapi.yaml');
  expect(asYaml.headers['content-type']).toBe('application/yaml');
  expect(asYaml.body).toContain('openapi: 3.1.0');
  expect(await get('/openapi.yaml?x')).toBe(asYaml);
  const older = JSON.parse((await get('/openapi-3.0.json')).body);
  expect(older).toMatchObject({ openapi: '3.0.3', servers: [{ url: '/' }] });
  expect(Object.keys(older.paths)).toEqual(Object.keys(mock.document.paths));
  expect((await mock.answer({ method: 'POST', target: '/openapi.json', headers: {} })).status).toBe(401);
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
