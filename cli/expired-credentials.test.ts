import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Meddle, Reply } from '../testing/proxies/recording-proxy.ts';
import { useCommand } from '../testing/use-command.ts';

const { directory, readResults, run, startService } = useCommand();
const MODELS = ['--models', 'brand,share', '--bearer', 't0ken-of-the-user'];
const REFUSALS: readonly (readonly [string, Reply])[] = [
  ['401', { status: 401 }],
  ['302', { status: 302, headers: { location: '/login' } }],
];
const journals = () => readdirSync(directory.path()).filter((name) => name.endsWith('.jsonl'));

describe('credentials that expire', () => {
  test.each(REFUSALS)('end a check with 3, and say until when they were accepted: %s', async (_, refusal) => {
    let isRenewed = false;
    const { asked, service, url } = await startService({}, (_, index) =>
      index >= 150 && !isRenewed ? refusal : undefined,
    );
    const before = await service.count();
    const args = ['--profile', 'default.yaml', ...MODELS, '--json', 'r.json'];
    const { code, stderr } = await run('check', url, ...args);
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /the credentials were accepted until request \d+, then (401|302); renew the token/,
      ),
    });
    expect(stderr).toMatch(/To remove the remaining records, run: record-model clean \S+\.jsonl/);
    // Each lane sees it once, and looks once more.
    expect(asked.length).toBeLessThan(150 + 2 * 16 + 1);
    expect(readResults('r.json').counts).toMatchObject({ fail: 0, blocked: 0 });
    isRenewed = true;
    const [journal = ''] = journals();
    expect(await run('clean', journal, '--bearer', 'new')).toMatchObject({ code: 0 });
    expect([await service.count(), existsSync(directory.path(journal))]).toEqual([before, false]);
  });

  test('end learn with 3', async () => {
    const { url } = await startService({}, (_, index) => (index >= 100 ? { status: 401 } : undefined));
    const { code, stderr } = await run('learn', url, ...MODELS.slice(2), '-o', 'p.yaml');
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('then 401; renew') });
    expect(existsSync(directory.path('p.yaml'))).toBe(false);
  });

  test('are none where only one request is refused', async () => {
    const { url } = await startService({}, ({ method }) =>
      method === 'DELETE' ? { status: 403 } : undefined,
    );
    const args = ['--profile', 'default.yaml', ...MODELS, '--rule', 'operations', '--json', 'r.json'];
    expect((await run('check', url, ...args)).code).toBe(1);
    expect(readResults('r.json').lost).toBe(undefined);
  });
});

/** Leaves the journal of a run whose credentials expire. */
async function leave(then: Meddle) {
  let meddle: Meddle = (_, index) => (index >= 150 ? { status: 401 } : undefined);
  const { url } = await startService({}, (...asked) => meddle(...asked));
  await run('check', url, '--profile', 'default.yaml', ...MODELS);
  meddle = then;
  return journals()[0] ?? '';
}

test.each<[number, string, Reply | Error, RegExp]>([
  [2, '401', { status: 401 }, /GET \S+ returned 401\. No record was removed\. Pass other credentials/],
  [3, 'no response', new Error('closed'), /can't be reached: GET \S+: the connection was closed/],
])('clean exits with %i and says why, when everything gets %s', async (code, _, reply, message) => {
  const journal = await leave(() => reply);
  const ended = await run('clean', journal);
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  expect(ended.stderr).not.toContain('another client');
  expect(existsSync(directory.path(journal))).toBe(true);
});

test('clean names the records whose requests are refused, and removes the others', async () => {
  const journal = await leave(({ path }) => (path.includes('/share/') ? { status: 403 } : undefined));
  const { code, stderr, stdout } = await run('clean', journal);
  expect({ code, stderr, stdout }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^(share\/\d+ was kept, because the service returned 403 to its request\n)+$/,
    ),
    stdout: expect.stringMatching(/^(removed (brand|customer)\/\d+\n)+$/),
  });
});
