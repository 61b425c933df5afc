import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { CLI } from '../../testing/command.ts';
import { sendJson } from '../../testing/services/http-server.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import { endWith, useCommand } from '../../testing/use-command.ts';

const { models, operations } = SOURCE.totals;
const { directory, run, runWith, startMock, startMockProcess } = useCommand();
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test('mock prints its address and what it serves, and exits with 0 after Ctrl+C', async () => {
  const { child, ended, printed, url } = await startMockProcess();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(printed).toMatch(/^Mock of Record Model API 2025-10-22 is running on http:/);
  const served = new RegExp(`${models} models, ${operations} operations, (\\d+) records`).exec(printed);
  expect(Number(served?.[1])).toBeGreaterThanOrEqual(3 * models);
  expect(printed).toMatch(/^ {2}profile {6}default$/m);
  expect(printed).toContain(`  OpenAPI      ${url}/openapi.json, ${url}/openapi.yaml\n`);
  const text = await (await fetch(`${url}/openapi.yaml`)).text();
  expect(parse(text)).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
  const tried = / Or try: curl (\S+)\n/.exec(printed)?.[1] ?? '';
  // The records of the suggested model have text.
  expect(await (await fetch(tried)).json()).toContainEqual(
    expect.objectContaining({ name: expect.any(String) }),
  );
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  expect([code, stdout]).toEqual([0, `Mock of Record Model API 2025-10-22 is running on ${url}\n`]);
});

test('mock prints its profile, and rejects a port in use, from a flag or the variable PORT', async () => {
  directory.write('mine.yaml', 'delete.effect: remove\n');
  const { printed, url } = await startMock('--profile', 'mine.yaml', '--fixtures', 'none');
  expect(printed).toMatch(/operations, 0 records\n {2}profile {6}mine\.yaml, delete\.effect remove$/m);
  const { port } = new URL(url);
  const message = new RegExp(`^record-model: Port ${port} on 127\\.0\\.0\\.1 is in use\\. .*--port`);
  const refused = { ...endWith(2, message), stdout: '' };
  expect(await run('mock', '--port', port, '--fixtures', 'none')).toEqual(refused);
  expect(await runWith({ PORT: port }, 'mock', '--fixtures', 'none')).toEqual(refused);
  expect((await runWith({ PORT: 'http' }, 'mock')).stderr).toBe(
    'record-model: The variable PORT is "http". Set it to a whole number from 0 to 65535, or pass --port.\n',
  );
});

const wrong = (url: string, query = '') =>
  sendJson('POST', `${url}/__mock/sessions/a/api/model/brand${query}`, {});

test('the log of the mock has one readable line per request', async () => {
  const { ended, interrupt, url } = await startMock('--fixtures', 'none');
  await wrong(url, '?token=hunter2');
  await fetch(`${url}/api/model/brand`, { headers: { prefer: 'code=503' } });
  await fetch(`${url}/api/model/brand`, { method: 'POST', body: 'name=x' });
  await fetch(`${url}/api/model/brnd?a=1`);
  await fetch(`${url}/__mock/health`);
  interrupt();
  const { stderr, stdout } = await ended;
  const lines = stderr
    .slice(stderr.indexOf('to stop.\n'))
    .replaceAll(/ \d+ ms/g, '')
    .split('\n');
  expect(lines.slice(1, 5)).toEqual([
    expect.stringMatching(
      /^\[a\] POST \/api\/model\/brand\?token=\[redacted\] 422 token is .*; \/name is required$/,
    ),
    'GET /api/model/brand 503 The request asked for this response with Prefer: code=503.',
    'POST /api/model/brand 400 The request needs the media type application/json, but has text/plain.',
    'GET /api/model/brnd?a=1 404 There is no model brnd. Did you mean brand?',
  ]);
  expect(lines[5]).toMatch(/^Stopping/);
  expect([stdout.split('\n').length, stderr.includes('hunter2')]).toEqual([2, false]);
});

test('the log of the mock can be JSON, which reports when it is ready, as does a file', async () => {
  const file = directory.path('ready.json');
  const flags = ['--log', 'json', '--json', '--ready-file', file, '--fixtures', 'none'];
  const { ended, interrupt, url } = await startMock(...flags);
  await wrong(url);
  const ready = { url, pid: process.pid, profile: 'default', models, operations, records: 0 };
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(ready);
  interrupt();
  const lines = (await ended).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toEqual([
    { time: expect.stringMatching(TIME), level: 'info', event: 'ready', ...ready },
    {
      time: expect.stringMatching(TIME),
      level: 'warn',
      event: 'exchange',
      session: 'a',
      method: 'POST',
      path: '/api/model/brand',
      query: '',
      status: 422,
      ms: expect.any(Number),
      violations: [{ pointer: '/name', message: 'is required' }],
      detail: '/name is required.',
    },
  ]);
  expect(existsSync(file)).toBe(false);
});

test('the mock ends when the npm process that started it ends', async () => {
  const words = [process.execPath, CLI, 'mock', '--port', '0', '--fixtures', 'none', '--quiet'];
  const npm = spawn('sh', ['-c', '"$@"; true', 'sh', ...words], {
    env: { ...process.env, npm_command: 'exec' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(npm.stdout, 'data');
  const url = / on (http:\S+)/.exec(String(line))?.[1] ?? '';
  expect((await fetch(`${url}/__mock/health`)).status).toBe(200);
  npm.kill('SIGKILL');
  // The mock has the output, too, and closes it last.
  await once(npm.stdout, 'close');
  await expect(fetch(`${url}/__mock/health`)).rejects.toThrow();
});

test('--watch reloads changed files, keeps changed records, and ignores files with an error', async () => {
  const brands = (...names: string[]) =>
    directory.write('club.yaml', `brand: [${names.map((name, at) => `{ id: ${at + 1}, name: ${name} }`)}]\n`);
  brands('a', 'b', 'c');
  directory.write('mine.yaml', '{}\n');
  const { said, url } = await startMock('--watch', '--fixtures', 'club.yaml', '--profile', 'mine.yaml');
  const names = async (path: string) =>
    ((await (await fetch(url + path)).json()) as { name: string }[]).map(({ name }) => name);
  const LIST = '/api/model/brand';
  const OTHER = `/__mock/sessions/w1${LIST}`;
  await sendJson('POST', url + LIST, { name: 'made' });
  await sendJson('POST', `${url}${LIST}/1`, { name: 'changed' });
  expect(await names(OTHER)).toEqual(['a', 'b', 'c']);
  brands('A', 'B', 'c', 'd', 'e');
  directory.write('mine.yaml', 'errors.form: simple\n');
  await said(/Reloaded\. Sessions now start with 5 records/);
  expect(await names(LIST)).toEqual(['changed', 'b', 'c', 'made']);
  expect(await names(OTHER)).toEqual(['A', 'B', 'c', 'd', 'e']);
  expect(await (await sendJson('POST', url + LIST, {})).json()).toMatchObject({
    error: '/name is required.',
  });
  directory.write('club.yaml', 'brand: [{ id: 1, nam: a }]\n');
  expect(await said(/Not reloaded: .*/)).toMatch(
    /club\.yaml:1: brand 1: Unknown field "nam"\. Did you mean "name"\?/,
  );
  expect(await names(LIST)).toContain('made');
  await fetch(`${url}/__mock/reset`, { method: 'POST' });
  expect(await names(LIST)).toEqual(['A', 'B', 'c', 'd', 'e']);
});

test('--watch reloads a changed file in a directory of fixtures', async () => {
  mkdirSync(directory.path('club'));
  directory.write('club/brand.yaml', 'brand: [{ id: 1, name: a }]\n');
  const { said, url } = await startMock('--watch', '--fixtures', 'club');
  directory.write('club/brand.yaml', 'brand: [{ id: 1, name: b }]\n');
  await said(/Reloaded\. Sessions now start with 1 record/);
  expect(await (await fetch(`${url}/api/model/brand`)).json()).toMatchObject([{ id: 1, name: 'b' }]);
});
