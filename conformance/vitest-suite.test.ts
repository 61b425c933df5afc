import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { catalogue, references } from '../testing/checks.ts';
import { type RecordingProxy, startRecordingProxy } from '../testing/proxies/recording-proxy.ts';
import type { Breaks } from '../testing/reference-service/records.ts';
import { startReferenceService } from '../testing/reference-service/reference-service.ts';

const VITEST = join(fileURLToPath(import.meta.resolve('vitest/package.json')), '..', 'vitest.mjs');
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const item of open.splice(0)) await item.close();
});

async function start(breaks: Partial<Breaks> = {}, settings: Record<string, unknown> = {}) {
  const service = await startReferenceService({ catalogue, references, breaks, settings });
  open.push(service);
  return service;
}

type Reported = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
};

/** Runs a user's own vitest file that declares the suite with these options, in a directory of its own. */
async function runVitest(options: object, ...flags: string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'suite-'));
  open.push({ close: () => rmSync(directory, { recursive: true }) });
  const suite = JSON.stringify(join(import.meta.dirname, 'vitest.ts'));
  writeFileSync(
    join(directory, 'api.test.mjs'),
    `import { describeConformance } from ${suite};\ndescribeConformance(${JSON.stringify(options)});\n`,
  );
  const report = join(directory, 'report.json');
  const child = spawn(
    process.execPath,
    [
      VITEST,
      'run',
      '--root',
      directory,
      '--globals=false',
      '--reporter=json',
      `--outputFile=${report}`,
      ...flags,
    ],
    // The packages are those of the kit, since the directory has none.
    { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const closed = new Promise<number | null>((done) => child.on('close', done));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  let reported: Reported | undefined;
  try {
    reported = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    // What vitest said instead stands in the output.
  }
  const results = reported?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  return { code, reported, results, output: stdout + stderr };
}

test('a service that conforms passes inside a vitest of the user, a test a case, and is left as it was', async () => {
  const service = await start();
  const before = service.count();
  const { code, output, reported, results } = await runVitest({
    baseUrl: service.url,
    selection: { models: ['brand', 'locker'] },
  });
  expect({ code, output, failed: reported?.numFailedTests }).toMatchObject({ code: 0, failed: 0 });
  expect(reported?.numPassedTests).toBeGreaterThan(150);
  const title = `${catalogue.title} ${catalogue.version} at ${service.url}`;
  expect(results.map(({ fullName }) => fullName)).toContain(`${title} brand operations.create:brand`);
  expect(service.count()).toBe(before);
});

test('one that does not fails the test of the case, which says what was expected and how to ask again', async () => {
  const service = await start({ allowPut: 'brand' }, { 'delete.effect': 'remove', 'auth.scheme': 'bearer' });
  const { code, results } = await runVitest({
    baseUrl: service.url,
    credentials: service.credentials,
    profile: { 'delete.effect': 'remove', 'auth.scheme': 'bearer' },
    selection: { models: ['brand', 'lockerType'], levels: ['stated'] },
  });
  const failed = results.filter(({ status }) => status === 'failed');
  expect({ code, failed: failed.map(({ fullName }) => fullName.split(' ').at(-1)) }).toEqual({
    code: 1,
    failed: ['absent.put:brand'],
  });
  const [message] = failed[0]?.failureMessages ?? [];
  expect(message).toMatch(
    /fail: PUT on a record is answered\nexpected a 4xx status, or 501\nfound status 200/,
  );
  expect(message).toMatch(/curl -i -X PUT .*-H 'authorization: \[redacted\]'/);
  expect(message).not.toContain('letmein');
  expect(service.count()).toBe(2);
});

test('one on another machine is only read from; what that leaves out is skipped', async () => {
  const service = await start();
  const { hostname, port } = new URL(service.url);
  const { code, reported } = await runVitest({
    baseUrl: 'http://service.invalid',
    proxy: { http: `http://${hostname}:${port}` },
    selection: { models: ['brand'], rules: ['operations'] },
  });
  // The reference service takes the absolute address that a proxy gets as a path.
  expect({ code, passed: reported?.numPassedTests }).toEqual({ code: 0, passed: 1 });
  expect(reported?.numPendingTests).toBeGreaterThan(3);
  expect(service.count()).toBe(2);
});

test('its own time for an answer decides, not that of vitest for a test or a hook', async () => {
  const service = await start();
  const { code, output, reported } = await runVitest(
    { baseUrl: service.url, selection: { models: ['brand'], rules: ['operations', 'update'] } },
    '--testTimeout=1',
    '--hookTimeout=1',
  );
  expect({ code, output, failed: reported?.numFailedTests }).toMatchObject({ code: 0, failed: 0 });
  expect(reported?.numPassedTests).toBeGreaterThan(4);
});

test('what one does not let go fails the file, and is named', async () => {
  const service = await start({ keepDeleted: 'brand' });
  const { code, output, results } = await runVitest(
    { baseUrl: service.url, selection: { models: ['brand'], rules: ['operations.create-required'] } },
    '--reporter=default',
    '--no-color',
  );
  expect(results.filter(({ status }) => status === 'failed')).toEqual([]);
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringMatching(/Error: not removed: brand\/\d+/),
  });
});

test('ids to link to may be given, and are looked at before the first request', async () => {
  const service = await start();
  const selection = { models: ['brand'], rules: ['operations.create'] };
  const given = await runVitest({ baseUrl: service.url, selection, bindings: { product: [1, 2] } });
  expect({ code: given.code, output: given.output }).toMatchObject({ code: 0 });
  const wrong = await runVitest({ baseUrl: service.url, selection, bindings: { produkt: [1] } });
  expect(wrong.code).toBe(1);
  expect(wrong.reported?.testResults[0]?.message).toMatch(/the name is "produkt".* Did you mean product\?/);
});

test('an option that there is not is named, and what may be meant', async () => {
  const { code, reported } = await runVitest({ baseUrl: 'http://127.0.0.1:9', selektion: {} });
  expect(code).toBe(1);
  expect(reported?.testResults[0]?.message).toMatch(
    /an option of describeConformance is "selektion"; expected .* Did you mean selection\?/,
  );
});

test('one that is not there is one error, which says so', async () => {
  const service = await start();
  await service.close();
  const options = { baseUrl: service.url, selection: { models: ['brand'] } };
  const { code, output, results } = await runVitest(options, '--reporter=default', '--no-color');
  expect(code).toBe(1);
  expect(results.length).toBeGreaterThan(50);
  expect(results.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(output.match(/Error: .*/g)).toEqual([
    expect.stringMatching(/^Error: the target can't be reached: GET \S+: nothing listens there \(/),
  ]);
});

test('one that goes away in the middle is one failure', async () => {
  const service = await start();
  let creates = 0;
  const recorder: RecordingProxy = await startRecordingProxy(service.url, ({ method }) => {
    // Whoever asks from then on finds nobody there.
    if (method !== 'POST' || ++creates < 20) return undefined;
    void recorder.close();
    return new Error('gone');
  });
  open.push(recorder);
  const { code, results } = await runVitest({ baseUrl: recorder.url, selection: { models: ['brand'] } });
  const failures = results.flatMap(({ failureMessages }) => failureMessages);
  expect({ code, gone: failures.filter((text) => text.includes("can't be reached")) }).toEqual({
    code: 1,
    gone: [expect.stringMatching(/^Error: the target can't be reached: .*nothing listens there/)],
  });
  expect(failures.length).toBeLessThan(4);
});

test.each([
  [
    'a model',
    { baseUrl: 'http://127.0.0.1:9', selection: { models: ['brnd'] } },
    /--models is "brnd".*Did you mean brand\?/,
  ],
  [
    'a setting',
    { baseUrl: 'http://127.0.0.1:9', profile: { 'delete.efect': 'mark' } },
    /the setting is "delete.efect"/,
  ],
  ['a base URL', { baseUrl: 'http://me:s3cret@127.0.0.1:9' }, /the base URL holds a user name or password/],
])('an option that is wrong in %s is said while the file is collected', async (_, options, message) => {
  const { code, output, reported } = await runVitest(options);
  const said = output + (reported?.testResults.map((file) => file.message).join() ?? '');
  expect({ code, said }).toMatchObject({ code: 1, said: expect.stringMatching(message) });
  expect(reported?.numFailedTests ?? 0).toBe(0);
  expect(said).not.toContain('s3cret');
});
