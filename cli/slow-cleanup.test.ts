import { request as forward } from 'node:http';
import { expect, test } from 'vitest';
import type { Started } from '../testing/command.ts';
import { serve } from '../testing/services/http-server.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { useCommand } from '../testing/use-command.ts';

const { closing, run, start } = useCommand();
/** With it nothing is learned. */
const profile = ['--profile', 'default.yaml'];

/** A service that takes `delay` milliseconds for each request, unless `meddle` answers it with a status. */
async function startSlow(
  delay: number,
  meddle: (method: string, url: string) => number | undefined = () => undefined,
) {
  const service = closing(await startPlain());
  const slow = await serve((request, response) => {
    const { headers, method = 'GET', url = '' } = request;
    const status = meddle(method, url);
    if (status !== undefined) return response.writeHead(status).end();
    return setTimeout(() => {
      const onward = forward(service.url + url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.pipe(onward);
    }, delay);
  });
  return { url: closing(slow).url, live: service.live };
}

test('SIGTERM leaves no record on a slow service, and shows progress', async () => {
  let started: Started | undefined;
  let creates = 0;
  const { live, url } = await startSlow(50, (method, path) => {
    if (method === 'POST' && !/\d$/.test(path) && ++creates === 500) started?.child.kill('SIGTERM');
    return undefined;
  });
  const before = live();
  started = start(['check', url, ...profile]);
  const { code, stderr } = await started.ended;
  expect({ code, live: live() }).toEqual({ code: 130, live: before });
  expect(stderr).toMatch(/^\d+ records left to remove$/m);
});

test('when records remain, the last line names the command that removes them', async () => {
  const { url } = await startSlow(0, (method) => (method === 'DELETE' ? 403 : undefined));
  const some = ['--models', 'brand', '--rule', 'create', '--tag', 'k3f9'];
  const { stderr } = await run('check', url, ...profile, ...some);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(
    'To remove the remaining records, run: record-model clean record-model-leftovers-k3f9.jsonl',
  );
});
