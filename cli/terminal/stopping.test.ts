import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Results } from '../../conformance/results/results.ts';
import { useClosing } from '../../testing/closing.ts';
import { run } from '../../testing/command.ts';
import { startMockService } from '../../testing/mock-service.ts';
import { type Asked, type Reply, startRecordingProxy } from '../../testing/proxies/recording-proxy.ts';
import { serve } from '../../testing/services/http-server.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';

const directory = useDirectory();
const closing = useClosing();

async function start(meddle: (asked: Asked, index: number) => Reply | undefined = () => undefined) {
  const service = await startMockService();
  const recorder = await startRecordingProxy(service.url, meddle);
  closing(service);
  closing(recorder);
  return { service, url: recorder.url };
}

/** Runs a verb and says how many seconds that took. */
async function timed(...args: readonly string[]) {
  const started = performance.now();
  const ended = await run(directory.path(), ...args);
  return { ...ended, seconds: (performance.now() - started) / 1000 };
}

const readResults = (): Results => JSON.parse(readFileSync(directory.path('r.json'), 'utf8'));
const WAIT = { status: 429, headers: { 'retry-after': '59' } };

describe('--max-time', () => {
  test('ends a check of a service that asks for a pause again and again, and what it made is removed', async () => {
    const { service, url } = await start(({ method, path }) =>
      method === 'POST' && path.endsWith('/brand') ? WAIT : undefined,
    );
    const before = await service.count();
    const profile = directory.write('p.yaml', '{}\n');
    const some = ['--models', 'brand,share', '--json', 'r.json', '--profile', profile];
    const { code, seconds, stdout } = await timed('check', url, ...some, '--max-time', '5');
    expect(code).toBe(4);
    expect(seconds).toBeLessThan(9);
    expect(stdout).toMatch(
      /^INCONCLUSIVE\nended early after \d+ of \d+ cases: the time limit \(--max-time\) was reached$/m,
    );
    expect(readResults()).toMatchObject({
      ended: 'out of time',
      leftovers: [],
      counts: { fail: 0, error: 0 },
    });
    expect(await service.count()).toBe(before);
  });

  test('ends a check whose records are not removed in time, and lists them', async () => {
    const service = await startMockService();
    const slow = await serve(async (request, response) => {
      // Never answered.
      if (request.method === 'DELETE') return;
      const answer = await fetch(service.url + request.url, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json' },
        ...(request.method === 'GET' ? {} : { body: request, duplex: 'half' }),
      } as RequestInit);
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(await answer.text());
    });
    closing(service);
    closing(slow);
    const profile = directory.write('p.yaml', '{}\n');
    const some = ['--models', 'brand', '--json', 'r.json', '--profile', profile, '--timeout', '60000'];
    const { code, seconds, stderr } = await timed('check', slow.url, ...some, '--max-time', '4');
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining('The time for removing records is over'),
    });
    expect(seconds).toBeLessThan(10);
    expect(readResults().leftovers.length).toBeGreaterThan(0);
    expect(stderr).toMatch(/could not be removed: see record-model-leftovers\.json/);
  });

  test('ends a learn', async () => {
    const { service, url } = await start((_, index) => (index > 40 ? WAIT : undefined));
    const before = await service.count();
    const { code, seconds, stderr } = await timed('learn', url, '--max-time', '3');
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining('INCONCLUSIVE: the time limit (--max-time) was reached.'),
    });
    expect(seconds).toBeLessThan(10);
    expect(await service.count()).toBeGreaterThanOrEqual(before);
  });
});

test('--min-coverage fails a run that exercises less', async () => {
  const { url } = await start();
  const profile = directory.write('p.yaml', '{}\n');
  const few = ['--models', 'brand', '--rule', 'operations', '--json', 'r.json'];
  const some = ['check', url, '--profile', profile, ...few];
  const { code, stdout } = await run(directory.path(), ...some, '--min-coverage', '50');
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^NOT CONFORMANT, .*\ncoverage of fields is 0 % \(0 of \d\); the minimum is 50 %\n/m,
  );
  expect(readResults()).toMatchObject({ minCoverage: 50, counts: { fail: 0, blocked: 0 } });
  expect((await run(directory.path(), ...some, '--min-coverage', '0')).code).toBe(0);
});
