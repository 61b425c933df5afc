import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../spec/catalogue.ts';
import { createProfile } from '../spec/profile.ts';
import { loadReferences } from '../spec/references.ts';
import { type CaseResult, exitCode, type Results } from './outcome.ts';
import { runSuite, Unreachable } from './run.ts';
import { createTarget, type TargetOptions } from './target.ts';
import { TINY_DIALECTS } from './tiny-dialects.testing.ts';
import type { Breaks } from './tiny-records.testing.ts';
import { startTinyService, type TinyService } from './tiny-service.testing.ts';

type Dialect = keyof typeof TINY_DIALECTS;

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(dialect: Dialect, breaks: Partial<Breaks> = {}): Promise<TinyService> {
  const service = await startTinyService({ catalogue, references, settings: TINY_DIALECTS[dialect], breaks });
  open.push(service);
  return service;
}

async function check(options: TargetOptions, dialect: Dialect, models?: string[]): Promise<Results> {
  const target = createTarget(options);
  open.push(target);
  const profile = createProfile(TINY_DIALECTS[dialect], catalogue);
  const selection = models ? { models } : {};
  let results: Results | undefined;
  for await (const event of runSuite({
    catalogue,
    profile,
    references,
    target,
    profileName: dialect,
    selection,
  }))
    if (event.type === 'end') results = event.results;
  if (!results) throw new Error('the run ended without results');
  return results;
}

/** The cases that decide against the target. */
function against({ cases }: Results, outcome?: CaseResult['outcome']): CaseResult[] {
  const bad = cases.filter((item) => item.level !== 'advice' && !['pass', 'skip'].includes(item.outcome));
  return outcome ? bad.filter((item) => item.outcome === outcome) : bad;
}

function statedFailures(results: Results): string[] {
  const stated = against(results, 'fail').filter(({ level }) => level === 'stated');
  return stated.map(({ id }) => id).sort();
}

describe.each(['default', 'legacy', 'plain'] as const)('a service that speaks %s', (dialect) => {
  test('conforms on every model, and is left as it was found', { timeout: 180_000 }, async () => {
    const service = await start(dialect);
    const before = service.count();
    const results = await check({ baseUrl: service.url, credentials: service.credentials }, dialect);
    expect(against(results).map(({ id, message, found }) => ({ id, message, found }))).toEqual([]);
    expect(exitCode(results)).toBe(0);
    expect(new Set(results.cases.map(({ model }) => model))).toEqual(new Set(catalogue.models.keys()));
    expect(results.counts.pass).toBeGreaterThan(5000);
    expect(service.count()).toBe(before);
    expect(results.leftovers).toEqual([]);
  });
});

const BROKEN: readonly [breaks: Partial<Breaks>, failures: readonly string[]][] = [
  [
    { acceptMissing: 'warehouse.name' },
    ['required.on-create:warehouse.name', 'required.on-update:warehouse.name'],
  ],
  [
    { storeReadonly: 'voucher.createUser' },
    ['readonly.on-create:voucher.createUser', 'readonly.on-update:voucher.createUser'],
  ],
  [
    { acceptAnyValue: 'locker.status' },
    ['create', 'update'].flatMap((operation) =>
      ['"no-member"', '-1', '2', '3'].map((value) => `values.refused-on-${operation}:locker.status=${value}`),
    ),
  ],
  [{ wrongType: 'brand.createUser' }, ['fields.type:brand.createUser']],
  [{ allowPut: 'brand' }, ['absent.put:brand']],
  [{ keepDeleted: 'brand' }, ['operations.delete:brand']],
  [{ neighbourLost: 'deposit' }, ['delete.keeps-other-records:deposit']],
  [{ createAnswers500: 'share' }, ['operations.create-required:share', 'operations.create:share']],
  [{ wrongType: 'brand.id' }, ['fields.id:brand.id', 'fields.type:brand.id', 'operations.create:brand']],
];

describe('a service that breaks one rule', () => {
  test.each(BROKEN)(
    'with %j fails the rules about it, on the model and field concerned',
    async (breaks, failures) => {
      const model = Object.values(breaks).join().split('.')[0] ?? '';
      const service = await start('default', breaks);
      const results = await check({ baseUrl: service.url }, 'default', [model, 'lockerType']);
      expect(statedFailures(results)).toEqual(failures);
      expect(new Set(against(results).map((item) => item.model))).toEqual(new Set([model]));
      expect(results.cases.some((item) => item.model === 'lockerType' && item.outcome === 'pass')).toBe(true);
      expect([exitCode(results), results.counts.error]).toEqual([1, 0]);
    },
  );

  test('that loses a field with every update of another one fails them all, and each names the lost one', async () => {
    const service = await start('default', { forgetOnUpdate: 'customer.email' });
    const results = await check({ baseUrl: service.url }, 'default', ['customer', 'lockerType']);
    const failures = against(results, 'fail').filter(({ level }) => level === 'stated');
    expect(new Set(failures.map(({ rule, model }) => `${rule}:${model}`))).toEqual(
      new Set(['update.changes-field:customer']),
    );
    expect(failures.length).toBeGreaterThan(40);
    expect(failures.every(({ message }) => message?.includes('email differs'))).toBe(true);
    expect(failures.some(({ field }) => field === 'email')).toBe(false);
  });

  test('breaks it under every profile', async () => {
    for (const dialect of ['legacy', 'plain'] as const) {
      const service = await start(dialect, {
        storeReadonly: 'voucher.createUser',
        acceptAnyValue: 'locker.status',
      });
      const options = { baseUrl: service.url, credentials: service.credentials };
      const failures = statedFailures(await check(options, dialect, ['locker', 'voucher']));
      expect(new Set(failures.map((id) => id.split('=')[0]))).toEqual(
        new Set([
          // What refuses every readonly field that is sent has no way to store one.
          ...(dialect === 'plain'
            ? ['readonly.on-create:voucher.createUser', 'readonly.on-update:voucher.createUser']
            : []),
          'values.refused-on-create:locker.status',
          'values.refused-on-update:locker.status',
        ]),
      );
    }
  });
});

test('a service that speaks another profile breaks no stated rule; each failure names the setting that differs', async () => {
  const service = await start('plain');
  const { credentials, url } = service;
  const headers = { 'Api-Version': catalogue.version };
  const results = await check({ baseUrl: url, credentials, headers }, 'default', ['brand']);
  expect(exitCode(results)).toBe(1);
  expect(statedFailures(results)).toEqual([]);
  const settings = against(results, 'fail').map(({ setting }) => setting);
  expect(settings).toEqual(
    expect.arrayContaining([
      'request.unknownFields',
      'response.total',
      'status.created',
      'status.deleted',
      'status.unknownRecord',
      'status.noOperation',
      'errors.form',
      'delete.effect',
      'delete.answer',
      'list.paging',
      'list.sort',
      'list.filter',
    ]),
  );
  const told = ['request.encoding', 'request.update', 'response.record', 'status.invalid', 'types.bool'];
  expect(settings.filter((setting) => told.includes(String(setting)))).toEqual([]);
});

describe('a target that is none', () => {
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    open.push({
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test.each<[string, number, RegExp, RequestListener]>([
    ['closes connections', 10_000, /connection was closed/, ({ socket }) => socket.destroy()],
    ['hangs', 200, /no answer within 200 ms/, () => {}],
    [
      'sends 20 MB',
      10_000,
      /more than \d+ bytes/,
      (_, response) => response.end(Buffer.alloc(20_000_000, ' ')),
    ],
  ])('because it %s is unreachable, and the message says why', async (_, timeout, message, listener) => {
    const run = check({ baseUrl: await serve(listener), timeout }, 'default', ['brand']);
    await expect(run).rejects.toThrow(Unreachable);
    await expect(run).rejects.toThrow(message);
  });

  test('because nothing listens is unreachable', async () => {
    const service = await start('default');
    await service.close();
    await expect(check({ baseUrl: service.url }, 'default', ['brand'])).rejects.toThrow(
      /nothing listens there/,
    );
  });

  test.each<[string, string, string]>([
    ['HTML', 'text/html', '<!doctype html><title>Welcome</title>'],
    ['invalid JSON', 'application/json', '[{"id":1},'],
    ['a number', 'application/json', '7'],
    ['nothing', 'text/plain', ''],
  ])(
    'because it answers everything with %s passes no operation, and no case crashes',
    async (_, type, body) => {
      const url = await serve((__, response) => response.writeHead(200, { 'content-type': type }).end(body));
      const results = await check({ baseUrl: url }, 'default', ['brand', 'subscriptionTask']);
      expect([exitCode(results), results.counts.error]).toEqual([1, 0]);
      expect(statedFailures(results)).toEqual(
        expect.arrayContaining(['operations.create:brand', 'operations.list:brand']),
      );
      const kept = results.cases.filter(({ outcome }) => outcome === 'pass').map(({ rule }) => rule);
      expect(kept.filter((rule) => /^operations\.(list|retrieve|create|update|delete)$/.test(rule))).toEqual(
        [],
      );
    },
  );

  test.each<[string, RequestListener, RegExp]>([
    ['hangs', () => {}, /no answer within 200 ms/],
    ['closes connections', ({ socket }) => socket.destroy(), /connection was closed/],
  ])(
    'because it %s after the first answer passes nothing, and every failure says why',
    async (_, listener, message) => {
      let answered = false;
      const url = await serve((request, response) => {
        if (answered) return listener(request, response);
        answered = true;
        return response.end('[]');
      });
      const results = await check({ baseUrl: url, timeout: 200 }, 'default', ['brand']);
      expect([exitCode(results), results.counts.pass, results.counts.error]).toEqual([1, 0, 0]);
      for (const failure of against(results, 'fail')) expect(failure.message).toMatch(message);
    },
  );
});

describe('the command', () => {
  async function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'cli.ts'), 'check', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = new Promise<number | null>((done) => child.on('close', done));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    return { code, stdout, stderr };
  }

  test('exits with 0 for a service that conforms; what it pipes is plain, and a file holds the results', {
    timeout: 180_000,
  }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'check-'));
    open.push({ close: () => rmSync(directory, { recursive: true }) });
    const file = join(directory, 'results.json');
    const { url } = await start('default');
    const { code, stdout, stderr } = await run(url, '--json', file);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout + stderr).not.toContain('\u001b');
    const results: Results = JSON.parse(readFileSync(file, 'utf8'));
    expect(results).toMatchObject({ target: url, counts: { fail: 0, blocked: 0, error: 0 }, leftovers: [] });
    expect(results.cases).toHaveLength(
      Object.values(results.counts).reduce((sum, number) => sum + number, 0),
    );
  });

  test('exits with 1 for a service that does not, and names the case', async () => {
    const { url } = await start('default', { allowPut: 'brand' });
    const { code, stdout } = await run(url, '--models', 'brand,lockerType');
    expect({ code, named: stdout.includes('absent.put') }).toEqual({ code: 1, named: true });
  });

  test.each([
    ['an unknown flag', ['http://127.0.0.1:9', '--nope'], /--nope/],
    ['an unknown model', ['http://127.0.0.1:9', '--models', 'brnd'], /Did you mean brand\?/],
    ['no URL', ['nowhere'], /expected one such as http/],
  ])('exits with 2 for %s', async (_, args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('exits with 3 where nothing listens', async () => {
    const service = await start('default');
    await service.close();
    const { code, stdout, stderr } = await run(service.url);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/can't be reached: .*nothing listens there/);
  });
});
