import { existsSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Running } from '../testing/command.ts';
import type { Meddle, Reply } from '../testing/proxies/recording-proxy.ts';
import { endWith, useCommand, WITH_DEFAULTS } from '../testing/use-command.ts';
import { BARE, insert, useForeignService } from '../testing/use-foreign-service.ts';

const { begin, directory, readResults, run, startRecordingProxy, startService } = useCommand();
const { start } = useForeignService();

test('check --dry-run shows the number of cases and of those with writes, and sends no requests', async () => {
  const { asked, url } = await startService();
  const some = [
    'check',
    url,
    ...WITH_DEFAULTS,
    '--models',
    'brand',
    '--rule',
    'create,update,list',
    '--dry-run',
  ];
  const dry = await run(...some);
  expect(dry).toMatchObject(endWith(0, /^Nothing was sent\. \d+ cases would run\./));
  const line = (model: string, text = dry.stdout) =>
    new RegExp(`^${model}: (\\d+) cases, (\\d+) with writes`, 'm').exec(text)?.slice(1).map(Number);
  const [cases = 0, writing = 0] = line('brand') ?? [];
  expect(writing).toBeGreaterThan(3);
  expect(writing).toBeLessThan(cases);
  const reading = await run(...some, '--read-only');
  expect(line('brand', reading.stdout)).toEqual([cases, 0]);
  expect(asked).toEqual([]);
  await run(...some.slice(0, -1), '--explore', '0', '--json', 'r.json');
  expect(readResults('r.json').cases.filter(({ model }) => model === 'brand')).toHaveLength(cases);
});

test('--max-records limits the records that a check and its learning create', async () => {
  const { asked, service, url } = await startService();
  const before = await service.count();
  const flags = ['--models', 'brand', '--max-records', '6', '--json', 'r.json'];
  const { code } = await run('check', url, ...flags);
  const isCreate = ({ method, path }: (typeof asked)[number]) =>
    (method === 'POST' && /^\/api\/model\/\w+$/.test(path)) || method === 'PUT' || method === 'PATCH';
  expect(asked.filter(isCreate).length).toBeLessThanOrEqual(6);
  expect(await service.count()).toBe(before);
  const { cases } = readResults('r.json');
  const skipped = cases.filter(({ message }) =>
    message?.includes('the run reached its limit of 6 created records (--max-records)'),
  );
  expect(skipped.length).toBeGreaterThan(0);
  expect({ code, skipped: new Set(skipped.map(({ outcome }) => outcome)) }).toEqual({
    code: 0,
    skipped: new Set(['skip']),
  });
});

async function leave() {
  const service = await start({}, ...BARE);
  insert(service, 'brand', { name: 'of somebody else' });
  const shown = insert(service, 'brand', { name: 'name k3f9-1' });
  const head = {
    journal: 1,
    target: service.url,
    tag: 'k3f9',
    startedAt: '2026-01-01T00:00:00Z',
    profile: {},
  };
  const lines = [
    head,
    { create: 'brand', n: 1, sent: { name: 'name k3f9-1' } },
    { made: 1, id: shown.id, shown },
  ];
  const file = directory.write('left.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
  return { file, brands: service.tables.rowsOf('brand'), id: Number(shown.id) };
}

test('clean deletes the records and the journal, and with --dry-run only lists the records', async () => {
  const { brands, file, id } = await leave();
  const before = brands.size;
  const dry = await run('clean', file, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: `would remove brand/${id}\n` });
  expect([brands.size, existsSync(file)]).toEqual([before, true]);
  expect(await run('clean', file)).toMatchObject({ code: 0, stdout: `removed brand/${id}\n` });
  expect([brands.size, existsSync(file)]).toEqual([before - 1, false]);
  expect([...brands.values()].map(({ name }) => name)).toContain('of somebody else');
});

test('clean keeps and reports a record that another client created under the ID, and exits with 1', async () => {
  const { brands, file, id } = await leave();
  brands.set(id, { ...brands.get(id), name: 'of another run' });
  const { code, stderr, stdout } = await run('clean', file);
  expect({ code, stdout, left: existsSync(file) }).toEqual({ code: 1, stdout: '', left: true });
  expect(stderr).toBe(`brand/${id} was kept, because another client might have created it\n`);
  expect(brands.size).toBe(2);
});

/** Starts the plain service behind a proxy that can wait, or answer in its place. */
async function startSlow(meddle: Meddle) {
  const service = await start();
  return { url: (await startRecordingProxy(service.url, meddle)).url, live: service.live };
}

test('a signal during a run on a slow service leaves no records, and shows progress', async () => {
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
  running = begin('check', url, ...WITH_DEFAULTS);
  const { code, stderr } = await running.ended;
  expect({ code, live: live() }).toEqual({ code: 130, live: before });
  expect(stderr).toMatch(/^\d+ records left to remove$/m);
});

test('if records remain, the last line names the command that deletes them', async () => {
  const { url } = await startSlow(({ method }) => (method === 'DELETE' ? { status: 403 } : undefined));
  const some = ['--models', 'brand', '--rule', 'create', '--tag', 'k3f9'];
  const { stderr } = await run('check', url, ...WITH_DEFAULTS, ...some);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(
    'To remove the remaining records, run: record-model clean record-model-leftovers-k3f9.jsonl',
  );
});

const MODELS = ['--models', 'brand,share', '--bearer', 't0ken-of-the-user'];
const journals = () => readdirSync(directory.path()).filter((name) => name.endsWith('.jsonl'));

describe('credentials that expire', () => {
  test('end a check with exit code 3 and a message that states when they were last accepted', async () => {
    let isRenewed = false;
    const { asked, service, url } = await startService({}, (_, index) =>
      index >= 150 && !isRenewed ? { status: 302, headers: { location: '/login' } } : undefined,
    );
    const before = await service.count();
    const args = [...WITH_DEFAULTS, ...MODELS, '--json', 'r.json'];
    const { code, stderr } = await run('check', url, ...args);
    expect({ code, stderr }).toMatchObject(
      endWith(3, /the credentials were accepted until request \d+, then 302; renew the token/),
    );
    expect(stderr).toMatch(/To remove the remaining records, run: record-model clean \S+\.jsonl/);
    // Each lane sees it once, and looks once more.
    expect(asked.length).toBeLessThan(150 + 2 * 16 + 1);
    expect(readResults('r.json').counts).toMatchObject({ fail: 0, blocked: 0 });
    isRenewed = true;
    const [journal = ''] = journals();
    expect(await run('clean', journal, '--bearer', 'new')).toMatchObject({ code: 0 });
    expect([await service.count(), existsSync(directory.path(journal))]).toEqual([before, false]);
  });

  test('end learn with exit code 3', async () => {
    const { url } = await startService({}, (_, index) => (index >= 100 ? { status: 401 } : undefined));
    const { code, stderr } = await run('learn', url, ...MODELS.slice(2), '-o', 'p.yaml');
    expect({ code, stderr }).toMatchObject(endWith(3, 'then 401; renew'));
    expect(existsSync(directory.path('p.yaml'))).toBe(false);
  });
});

/** Leaves the journal of a run whose credentials expire. */
async function expire(then: Meddle) {
  let meddle: Meddle = (_, index) => (index >= 150 ? { status: 401 } : undefined);
  const { url } = await startService({}, (...asked) => meddle(...asked));
  await run('check', url, ...WITH_DEFAULTS, ...MODELS);
  meddle = then;
  return journals()[0] ?? '';
}

test.each<[number, string, Reply | Error, RegExp]>([
  [2, '401', { status: 401 }, /GET \S+ returned 401\. No record was removed\. Pass other credentials/],
  [3, 'no response', new Error('closed'), /can't be reached: GET \S+: the connection was closed/],
])('clean exits with %i and the reason if each request gets %s', async (code, _, reply, message) => {
  const journal = await expire(() => reply);
  const ended = await run('clean', journal);
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  expect(ended.stderr).not.toContain('another client');
  expect(existsSync(directory.path(journal))).toBe(true);
});

test('clean reports the records whose requests are rejected, and deletes the others', async () => {
  const journal = await expire(({ path }) => (path.includes('/share/') ? { status: 403 } : undefined));
  const { code, stderr, stdout } = await run('clean', journal);
  expect({ code, stderr, stdout }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^(share\/\d+ was kept, because the service returned 403 to its request\n)+$/,
    ),
    stdout: expect.stringMatching(/^(removed (brand|customer)\/\d+\n)+$/),
  });
});
