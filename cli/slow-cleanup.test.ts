import { request as forward } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Running } from '../testing/command.ts';
import { serve } from '../testing/services/http-server.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { useCommand } from '../testing/use-command.ts';

const { begin, closing, run } = useCommand();
/** With it nothing is learned. */
const profile = ['--profile', 'default.yaml'];

/** A service that waits for `meddle` before it does what a request says, and returns its status instead, if it has one. */
async function startSlow(meddle: (method: string, url: string) => number | undefined | Promise<unknown>) {
  const service = closing(await startPlain());
  const slow = await serve(async (request, response) => {
    const { headers, method = 'GET', url = '' } = request;
    const status = await meddle(method, url);
    if (typeof status === 'number') return response.writeHead(status).end();
    const onward = forward(service.url + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    return request.pipe(onward);
  });
  return { url: closing(slow).url, live: service.live };
}

test('a signal leaves no record on a slow service, and shows progress', async () => {
  let running: Running | undefined;
  let creates = 0;
  let deleted = Promise.resolve();
  const { live, url } = await startSlow((method, path) => {
    if (method === 'POST' && !/\d$/.test(path) && ++creates === 60) running?.interrupt();
    // One delete at a time.
    if (method !== 'DELETE' || creates < 60) return undefined;
    deleted = deleted.then(() => setTimeout(40));
    return deleted;
  });
  const before = live();
  running = begin('check', url, ...profile);
  const { code, stderr } = await running.ended;
  expect({ code, live: live() }).toEqual({ code: 130, live: before });
  expect(stderr).toMatch(/^\d+ records left to remove$/m);
});

test('when records remain, the last line names the command that removes them', async () => {
  const { url } = await startSlow((method) => (method === 'DELETE' ? 403 : undefined));
  const some = ['--models', 'brand', '--rule', 'create', '--tag', 'k3f9'];
  const { stderr } = await run('check', url, ...profile, ...some);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(
    'To remove the remaining records, run: record-model clean record-model-leftovers-k3f9.jsonl',
  );
});
