import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useCommand } from '../../testing/use-command.ts';

const { directory, read, readResults, run, startMock, startService } = useCommand();
const CHECK = ['--profile', 'p.yaml', '--models', 'lockerCustomer', '--explore', '0', '--repro', 'repro'];
const DEFECT = 'update.ignores-field:lockerCustomer.start';
const NAME = '01-update.changes-field_lockerCustomer.start.mjs';

/** Runs a script as a user does, without the packages of the kit. */
function runScript(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout } = spawnSync(process.execPath, [directory.path(name), ...args], {
    env,
    encoding: 'utf8',
  });
  return { code: status, stdout };
}

async function countRecords(url: string): Promise<number[]> {
  const models = ['lockerType', 'locker', 'customer', 'lockerCustomer'];
  return Promise.all(
    models.map(async (model) => {
      const response = await fetch(`${url}/api/model/${model}`);
      return ((await response.json()) as unknown[]).length;
    }),
  );
}

test('a script shows the failure on the service, not on a healthy one, and leaves no records', async () => {
  directory.write('p.yaml', '{}\n');
  mkdirSync(directory.path('repro'));
  directory.write('repro/notes.mjs', 'mine');
  directory.write('repro/02-mine.mjs', 'mine');
  directory.write(
    'repro/07-old.mjs',
    '// Shows a failure of a service again. Written by record-model check --repro.\n',
  );
  const [faulty, healthy] = [await startMock('--defect', DEFECT), await startMock()];
  const before = await countRecords(healthy.url);
  const { code, stderr, stdout } = await run('check', faulty.url, ...CHECK, '--json', 'r.json');
  expect(code).toBe(1);
  expect(stdout).toContain(`--case update.changes-field:lockerCustomer.start, or node repro/${NAME}\n`);
  expect(stderr).toMatch(/^1 of 1 cause has a script in repro$/m);
  expect(readdirSync(directory.path('repro')).toSorted()).toEqual([NAME, '02-mine.mjs', 'notes.mjs']);
  expect(statSync(directory.path(`repro/${NAME}`)).mode & 0o777).toBe(0o600);
  const { cases } = readResults('r.json');
  expect(cases.find(({ script }) => script !== undefined)).toMatchObject({ script: `repro/${NAME}` });

  expect(runScript(`repro/${NAME}`, [])).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^The fault is there\.\nDeleted (\d+) of \1 created records\.\n$/m),
  });
  expect(runScript(`repro/${NAME}`, [healthy.url])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The fault is not there\.$/m),
  });
  expect(await countRecords(healthy.url)).toEqual(before);
});

test('a script that can not decide, or would write to another machine, exits with 2', async () => {
  directory.write('p.yaml', '{}\n');
  const { url } = await startMock('--defect', DEFECT);
  await run('check', url, ...CHECK);
  expect(runScript(`repro/${NAME}`, ['http://127.0.0.1:1'])).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/^Undecided: /m),
  });
  expect(runScript(`repro/${NAME}`, ['http://192.0.2.1'])).toEqual({
    code: 2,
    stdout:
      'http://192.0.2.1 is not on this machine and might hold real data. To allow writes, pass --write.\n',
  });
});

test('a script takes credentials from the environment and contains none', async () => {
  directory.write('p.yaml', 'auth.scheme: bearer\n');
  const { url } = await startMock('--profile', 'p.yaml', '--defect', DEFECT);
  const bearer = 's3cret-token-of-a-test';
  const { stderr } = await run('check', url, ...CHECK, '--bearer', bearer);
  expect(stderr).toMatch(/^1 of 1 cause has a script/m);
  expect(read(`repro/${NAME}`)).not.toContain(bearer);
  expect(runScript(`repro/${NAME}`, [], { RECORD_MODEL_BEARER: bearer }).code).toBe(1);
  expect(runScript(`repro/${NAME}`, []).code).not.toBe(1);
});

test('a service that conforms gets no script, and no directory that is in the way is touched', async () => {
  directory.write('p.yaml', '{}\n');
  const { url } = await startService();
  const { stderr } = await run('check', url, ...CHECK);
  expect(stderr).toMatch(/^0 of 0 causes have a script in repro$/m);
  expect(readdirSync(directory.path('repro')).filter((name) => name === NAME)).toEqual([]);
  directory.write('taken', 'a file');
  const refused = await run('check', 'http://127.0.0.1:1', ...CHECK.slice(0, -1), 'taken');
  expect(refused).toMatchObject({
    code: 2,
    stderr: "record-model: --repro can't write to taken, which is a file. Pass a directory.\n",
  });
  expect(readFileSync(directory.path('taken'), 'utf8')).toBe('a file');
});
