import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { useCommand } from '../../testing/use-command.ts';
import { describeData } from './mock.ts';

const CLI = join(import.meta.dirname, '../../cli.ts');
const FLAGS = ['mock', '--port', '0', '--data', 'mock.db', '--fixtures', 'none', '--quiet'];
const { directory, run, runWith, startMock } = useCommand();

test('--data keeps what was written, though the process is killed, and is used by one at a time', async () => {
  const first = await startMock('--data', 'mock.db', '--fixtures', 'none');
  expect(first.printed).toContain('  data         mock.db: new, filled from the fixtures\n');
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Altura"}' };
  expect(await (await fetch(`${first.url}/api/model/brand`, sent)).json()).toMatchObject({ id: 1 });
  expect(await run('mock', '--port', '0', '--data', 'mock.db')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^record-model: mock\.db is in use by another process\. Stop that process/),
  });
  first.child.kill('SIGKILL');
  await first.ended;
  const next = await startMock('--data', 'mock.db', '--data-sync', 'full');
  expect(next.printed).toContain('1 record\n');
  expect(next.printed).toContain(
    '  data         mock.db: existing records; fixtures apply only to new data\n',
  );
  expect(await (await fetch(`${next.url}/api/model/brand/1`)).json()).toMatchObject({ name: 'Altura' });
});

test('a data file, its log, and what dump writes are for their owner only; an existing file keeps its mode', async () => {
  const modeOf = (name: string) => (statSync(directory.path(name)).mode & 0o777).toString(8);
  const { child, ended, url } = await startMock('--data', 'mock.db');
  await fetch(`${url}/api/model/brand/1`, { method: 'DELETE' });
  expect([modeOf('mock.db'), modeOf('mock.db-wal')]).toEqual(['600', '600']);
  child.kill('SIGTERM');
  await ended;
  await run('load', 'other.db', 'none');
  await run('dump', 'mock.db', '-o', 'club.yaml');
  writeFileSync(directory.path('open.yaml'), '', { mode: 0o644 });
  await run('dump', 'mock.db', '-o', 'open.yaml');
  expect(['other.db', 'club.yaml', 'open.yaml'].map(modeOf)).toEqual(['600', '600', '644']);
});

test('RECORD_MODEL_DATA says where the data is unless --data does, so that ps shows no password', async () => {
  const env = { RECORD_MODEL_DATA: 'missing/mock.db' };
  expect(await runWith(env, 'mock', '--port', '0')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no directory missing'),
  });
  expect(await runWith(env, 'mock', '--port', '0', '--data', 'none/mock.db')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no directory none'),
  });
  expect(await runWith(env, 'mock', '--port', '0', '--watch')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('RECORD_MODEL_DATA'),
  });
});

test.each([
  ['postgres://u:s3cret@db/a', 'postgres://u@db/a'],
  ['postgres://u:more@s3cret@db/a', 'postgres://u@db/a'],
  ['postgresql://db/a?user=u&password=s3cret', 'postgresql://db/a'],
  ['mock.db', 'mock.db'],
])('what is said of %s shows no password', (place, shown) => {
  expect(describeData(place, true)).toBe(`${shown}: existing records; fixtures apply only to new data`);
});

test('--data that can not be used exits with 2 and says the way out', async () => {
  writeFileSync(directory.path('text.db'), 'hello');
  const tries: [string[], RegExp][] = [
    [
      ['--data', 'text.db'],
      /text\.db is not a SQLite database\. Name a data file of the mock, or a new file\./,
    ],
    [
      ['--data', 'no/mock.db'],
      /no\/mock\.db can't be created because there is no directory no\. Create it first\./,
    ],
    [
      ['--data-sync', 'full'],
      /--data-sync applies only to a SQLite file\. Pass the file with --data, or remove --data-sync\./,
    ],
    [
      ['--data', 'POSTGRES://u:s3cret@127.0.0.1:1/a'],
      /^[^:]+: Can't use postgres:\/\/u@127\.0\.0\.1:1\/a because no server listens there\./,
    ],
    [['--data', 'a.db', '--watch'], /--watch and --data \(or RECORD_MODEL_DATA\) can't be used together/],
  ];
  for (const [flags, message] of tries)
    expect(await run('mock', '--port', '0', ...flags)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
});

test('--data without room refuses what does not fit with 507, and goes on', async () => {
  const limited = spawn('sh', ['-c', 'ulimit -f 700; exec "$@"', 'sh', process.execPath, CLI, ...FLAGS], {
    cwd: directory.path(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(limited.stdout, 'data');
  const url = / on (http:\S+)/.exec(String(line))?.[1] ?? '';
  const ended = once(limited, 'close');
  const create = async (length: number) => {
    const body = JSON.stringify({ name: 'a', comments: 'x'.repeat(length) });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/model/warehouse`, { method: 'POST', headers, body });
    return [answer.status, await answer.json()];
  };
  const kept: unknown[] = [];
  for (let tries = 0; tries < 40; tries++) {
    const [status, body] = await create(100_000);
    if (status === 507) {
      expect(body).toMatchObject({
        title: 'Insufficient Storage',
        detail: expect.stringMatching(
          /^Nothing was stored because there is no space left for mock\.db\. Free some space\. SQLite reports: .+\.$/,
        ),
      });
      break;
    }
    kept.push(body);
  }
  expect(kept.length).toBeGreaterThan(1);
  expect(kept.length).toBeLessThan(40);
  const [status, small] = await create(1);
  expect(status).toBe(201);
  expect(await (await fetch(`${url}/api/model/warehouse`)).json()).toEqual([...kept, small]);
  limited.kill('SIGKILL');
  await ended;
  const mock = await createMock({ data: directory.path('mock.db') });
  expect((await mock.records('warehouse').list()).records.map(({ id }) => id)).toEqual(
    [...kept, small].map((one) => (one as { id: number }).id),
  );
  await mock.close();
});

test('a response that is delayed for ten minutes does not keep the mock from stopping', async () => {
  const { child, ended, url } = await startMock('--data', 'kept.db', '--fixtures', 'none');
  const headers = { 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  await post('/__mock/faults', { match: { method: 'POST' }, delay: 600_000 });
  const sent = post('/api/model/brand', { name: 'late' }).catch((error: Error) => error);
  const faults = async () => (await fetch(`${url}/__mock/faults`)).text();
  await expect.poll(faults).toContain('"hits":1');
  child.kill('SIGTERM');
  expect(await sent).toBeInstanceOf(Error);
  expect(await ended).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/not open|Error/) });
  const again = await startMock('--data', 'kept.db', '--fixtures', 'none');
  expect(await (await fetch(`${again.url}/api/model/brand`)).json()).toEqual([]);
});
