import { existsSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { useClosing } from '../../testing/closing.ts';
import { run } from '../../testing/command.ts';
import { serve } from '../../testing/services/http-server.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import type { Service } from '../../testing/services/service.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';

const directory = useDirectory();
const closing = useClosing();

/** Stores what it is sent; to two creates of seven it gives no answer, or that it is busy. */
async function startForgetful(): Promise<{ service: Service; url: string; unanswered: () => number }> {
  const service = closing(await startPlain());
  let creates = 0;
  const front = await serve(async (request, response) => {
    const { method = 'GET', url = '' } = request;
    const body = await buffer(request);
    const answer = await fetch(service.url + url, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body.length > 0 ? { body } : {}),
    });
    const text = await answer.text();
    const turn = answer.status === 201 ? ++creates % 7 : 1;
    if (turn === 0) request.socket.destroy();
    else if (turn === 3) response.writeHead(503, { 'retry-after': '0' }).end();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  closing(front);
  return { service, url: front.url, unanswered: () => Math.floor(creates / 7) };
}

async function check(...args: readonly string[]) {
  const { service, unanswered, url } = await startForgetful();
  const before = service.live();
  const manifest = directory.path('left.json');
  // With it nothing is learned.
  const profile = directory.write('default.yaml', '{}\n');
  const models = ['--profile', profile, '--models', 'brand,share', '--rule', 'fields,create'];
  await run(directory.path(), 'check', url, ...models, '--manifest', manifest, ...args);
  expect(service.live()).toEqual(expect.arrayContaining(before));
  const left = service.live().filter((name) => !before.includes(name));
  const { leftovers } = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : { leftovers: [] };
  return { left, leftovers: leftovers as string[], service, unanswered: unanswered() };
}

test('what a create made whose answer nobody saw is removed, where the tag of the run tells it', async () => {
  const { left, leftovers, service, unanswered } = await check();
  expect(unanswered).toBeGreaterThan(3);
  // Every third text holds no tag, and may be another client's.
  const answers = await Promise.all(left.map((name) => fetch(`${service.url}/api/model/${name}`)));
  const rows = (await Promise.all(answers.map((answer) => answer.json()))) as { name: string }[];
  expect(rows.filter(({ name }) => !/^\d+$/.test(name))).toEqual([]);
  expect(left.length).toBeLessThan(unanswered);
  expect(leftovers.toSorted()).toEqual(left.toSorted());
});

test('under a tag that another run may have too it is left, and named', async () => {
  const { left, leftovers } = await check('--tag', 'abcd');
  expect(left.length).toBeGreaterThan(2);
  expect(leftovers.toSorted()).toEqual(left.toSorted());
});

test.each([
  [200, 'no JSON'],
  [500, '{}'],
])('a record is named if nothing shows that it is gone: status %d, %s', async (status, text) => {
  const service = closing(await startPlain());
  const before = service.live();
  let kept = '';
  const front = await serve(async (request, response) => {
    const { method = 'GET', url = '' } = request;
    const body = await buffer(request);
    // The first delete has no response, the second one does nothing, and no response shows the record after it.
    if (method === 'DELETE' && kept === '') {
      kept = url;
      request.socket.destroy();
      return;
    }
    if (url === kept && method === 'DELETE') isTold = true;
    if (url === kept && isTold) {
      response.writeHead(method === 'DELETE' ? 200 : status).end(method === 'DELETE' ? '{' : text);
      return;
    }
    const sent = body.length > 0 ? { body } : {};
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(service.url + url, { method, headers, ...sent });
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  let isTold = false;
  closing(front);
  const manifest = directory.path('kept.json');
  const profile = directory.write('kept.yaml', '{}\n');
  const what = ['--models', 'brand', '--rule', 'create', '--profile', profile];
  await run(directory.path(), 'check', front.url, ...what, '--manifest', manifest);
  const left = service.live().filter((name) => !before.includes(name));
  expect(left).toEqual([kept.slice('/api/model/'.length)]);
  expect(JSON.parse(readFileSync(manifest, 'utf8')).leftovers).toEqual(left);
});
