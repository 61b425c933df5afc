import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { check } from '../../testing/checks.ts';
import { type MockService, startMockService } from '../../testing/mock-service.ts';
import { type Served, serve } from '../../testing/services/http-server.ts';
import { Unreachable } from '../run.ts';
import { createTarget, Relayed, type TargetOptions } from './target.ts';

const open: (Served | MockService)[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A service of a few lines that notes what it is asked, and answers with these headers from the nth request on. */
async function start(headers: Readonly<Record<string, string>>, from = 1) {
  const asked: string[] = [];
  const served = await serve(({ method = '', url }, response) => {
    asked.push(`${method} ${url}`);
    response.writeHead(200, asked.length >= from ? headers : {}).end('[]');
  });
  open.push(served);
  return { asked, url: served.url };
}

const target = (baseUrl: string, options: Partial<TargetOptions> = {}) =>
  createTarget({ baseUrl, ...options });
const post = { method: 'POST', path: '/api/model/brand', body: '{}' };
const get = { method: 'GET', path: '/api/model/brand' };

test.each([
  [
    { via: '1.1 edge.example' },
    /POST \/api\/model\/brand was not sent: the service might hold real data, because its responses come through a proxy \(via: 1\.1 edge\.example\)\. To allow writes, pass --write$/,
  ],
  [
    { 'record-model-upstream': 'https://prod.example' },
    /its responses come from https:\/\/prod\.example through a record-model mock/,
  ],
])('where an answer has %j, nothing but GET is sent from then on', async (headers, message) => {
  const { asked, url } = await start(headers, 3);
  const client = target(url);
  await client.send(post, () => {});
  await client.send(get, () => {});
  expect(client.relay?.()).toBeUndefined();
  await client.send(get, () => {});
  const refused = client.send(post, () => {});
  await expect(refused).rejects.toBeInstanceOf(Relayed);
  await expect(refused).rejects.toThrow(message);
  await client.send(get, () => {});
  expect(asked.map((line) => line.split(' ')[0])).toEqual(['POST', 'GET', 'GET', 'GET']);
  await client.close();
});

test('with a word of the user all is sent', async () => {
  const { asked, url } = await start({ via: '1.1 edge' });
  const client = target(url, { write: true });
  await client.send(get, () => {});
  await client.send(post, () => {});
  expect(asked).toHaveLength(2);
  await client.close();
});

test('a run that meets a proxy on its way ends there, and names what is left', async () => {
  const service = await startMockService();
  open.push(service);
  let deletes = 0;
  const late = await serve(async (request, response) => {
    const body = await text(request);
    const answer = await fetch(service.url + request.url, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(body.length > 0 ? { body } : {}),
    });
    if (request.method === 'DELETE') deletes++;
    const via: Record<string, string> = deletes > 2 ? { via: '1.1 edge' } : {};
    response.writeHead(answer.status, { 'content-type': 'application/json', ...via });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  open.push(late);
  const before = await service.count();
  const run = check(late.url, { models: ['voucher'], concurrency: 1 });
  await expect(run).rejects.toBeInstanceOf(Unreachable);
  const message = await run.then(String, String);
  expect(message).toMatch(
    /(POST|PUT) \/api\/model\/voucher(\/\d+)? was not sent: the service might hold real data, because its responses come through a proxy \(via: 1\.1 edge\)\. To allow writes, pass --write; not deleted: /,
  );
  const [named = '', more = '0'] = (message.split('not deleted: ')[1] ?? '').split(/ and (\d+) more$/);
  const left = new Set(named.split(', '));
  expect(left.size + Number(more)).toBe((await service.count()) - before);
  expect(deletes).toBeLessThan(20);
  expect(left.size).toBeGreaterThan(10);
});
