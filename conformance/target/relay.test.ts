import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { check } from '../../testing/checks.ts';
import { startMockService } from '../../testing/mock-service.ts';
import { BRAND, NEW_BRAND, useTarget } from '../../testing/proxies/use-target.ts';
import { Unreachable } from '../run.ts';
import { createTarget, Relayed } from './target.ts';

const { closing, listen, recorder, target } = useTarget();

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
  const { asked, url } = await recorder((_, index) => ({ headers: index >= 2 ? headers : {} }));
  const client = closing(createTarget({ baseUrl: url }));
  await client.send(NEW_BRAND, () => {});
  await client.send(BRAND, () => {});
  expect(client.relay?.()).toBeUndefined();
  await client.send(BRAND, () => {});
  const refused = client.send(NEW_BRAND, () => {});
  await expect(refused).rejects.toBeInstanceOf(Relayed);
  await expect(refused).rejects.toThrow(message);
  await client.send(BRAND, () => {});
  expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET']);
});

test('with a word of the user all is sent', async () => {
  const { asked, url } = await recorder(() => ({ headers: { via: '1.1 edge' } }));
  const { send } = target(url, { write: true });
  await send(BRAND);
  await send(NEW_BRAND);
  expect(asked).toHaveLength(2);
});

test('a run that meets a proxy on its way ends there, and names what is left', async () => {
  const service = closing(await startMockService());
  let deletes = 0;
  const url = await listen(async (request, response) => {
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
  const before = await service.count();
  const run = check(url, { models: ['voucher'], concurrency: 1 });
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
