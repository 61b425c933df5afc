import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Running } from '../testing/command.ts';
import type { Meddle } from '../testing/proxies/recording-proxy.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { useCommand } from '../testing/use-command.ts';

const { begin, closing, run, startRecordingProxy } = useCommand();
/** With it nothing is learned. */
const profile = ['--profile', 'default.yaml'];

/** Starts the plain service behind a proxy that can wait, or answer in its place. */
async function startSlow(meddle: Meddle) {
  const service = closing(await startPlain());
  return { url: (await startRecordingProxy(service.url, meddle)).url, live: service.live };
}

test('a signal leaves no record on a slow service, and shows progress', async () => {
  let running: Running | undefined;
  let creates = 0;
  let deleted = Promise.resolve();
  const { live, url } = await startSlow(async ({ method, path }) => {
    if (method === 'POST' && !/\d$/.test(path) && ++creates === 60) running?.interrupt();
    // One delete at a time.
    if (method !== 'DELETE' || creates < 60) return undefined;
    deleted = deleted.then(() => setTimeout(40));
    await deleted;
    return undefined;
  });
  const before = live();
  running = begin('check', url, ...profile);
  const { code, stderr } = await running.ended;
  expect({ code, live: live() }).toEqual({ code: 130, live: before });
  expect(stderr).toMatch(/^\d+ records left to remove$/m);
});

test('when records remain, the last line names the command that removes them', async () => {
  const { url } = await startSlow(({ method }) => (method === 'DELETE' ? { status: 403 } : undefined));
  const some = ['--models', 'brand', '--rule', 'create', '--tag', 'k3f9'];
  const { stderr } = await run('check', url, ...profile, ...some);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(
    'To remove the remaining records, run: record-model clean record-model-leftovers-k3f9.jsonl',
  );
});
