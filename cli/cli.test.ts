import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { XMLParser } from 'fast-xml-parser';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { Results } from '../conformance/results/outcome.ts';
import { loadProfile } from '../spec/profile/profile.ts';
import { catalogue, references } from '../testing/checks.ts';
import { type Ended, type Started, start as startIn } from '../testing/command.ts';
import { type Asked, type Reply, serve, startFront } from '../testing/recording-proxy.ts';
import { TINY_DIALECTS } from '../testing/reference-service/dialects.ts';
import type { Breaks } from '../testing/reference-service/records.ts';
import { startTinyService } from '../testing/reference-service/reference-service.ts';
import { SOURCE } from '../testing/source-facts.ts';
import { useDirectory } from '../testing/temporary-directory.ts';
import { createStatus, hasColors, say } from './console.ts';

const { fields, models, operations } = SOURCE.totals;

const directory = useDirectory();
const open: { close(): unknown }[] = [];

/** Says nothing that the default profile does not, so that nothing is learned. */
let profile = '';

beforeEach(() => {
  profile = directory.write('default.yaml', '{}\n');
});

afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

/** The command in the directory of the test, with no more of this environment than it needs. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const needed = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: compiled };
  const started = startIn(directory.path(), args, { ...needed, ...env });
  open.push({ close: () => started.child.kill('SIGKILL') && started.ended });
  return started;
}

function run(...args: string[]): Promise<Ended> {
  return start(args).ended;
}

/** Starts the mock and gives its URL. */
async function startMock(...args: string[]): Promise<Started & { url: string; printed: string }> {
  const started = start(['mock', '--port', '0', ...args]);
  const printed = await started.said(/Ctrl-C stops it/);
  return { ...started, printed, url: / on (http:\S+)/.exec(printed)?.[1] ?? '' };
}

type Meddle = (asked: Asked, index: number) => Reply | Error | undefined;

/** A service, and a front before it that notes what it is asked. */
async function startService(breaks: Partial<Breaks> = {}, meddle?: Meddle) {
  const service = await startTinyService({ catalogue, references, breaks });
  const front = await startFront(service.url, meddle);
  open.push(service, front);
  return { service, url: front.url, asked: front.asked };
}

const read = (name: string) => readFileSync(directory.path(name), 'utf8');
const readResults = (name: string): Results => JSON.parse(read(name));
const STACK = /\n\s+at /;
const ANSI = '\u001b';

/** Compiled code, so that not each of the many commands compiles its own. */
let compiled = '';

beforeAll(() => {
  compiled = mkdtempSync(join(tmpdir(), 'compiled-'));
});

afterAll(() => {
  rmSync(compiled, { recursive: true });
});

describe('help', () => {
  test('of each verb names its options, and goes to standard output', async () => {
    const options: Record<string, string[]> = {
      generate: ['--output', '--format', '--check', '--profile', '--catalogue'],
      mock: ['--port', '--host', '--fixtures', '--profile', '--catalogue'],
      proxy: ['<upstream>', '--port', '--host', '--timeout', '--insecure', '--profile', '--catalogue'],
      learn: [
        '<base-url>',
        '--output',
        '--read-only',
        '--write',
        '--bearer',
        '--basic',
        '--api-key',
        '--header',
      ],
      check: [
        ...[
          '--profile',
          '--catalogue',
          '--models',
          '--area',
          '--rule',
          '--level',
          '--case',
          '--read-only',
          '--write',
        ],
        ...[
          '--fail-fast',
          '--list-rules',
          '--baseline',
          '--write-baseline',
          '--bindings',
          '--manifest',
          '--seed',
        ],
        ...[
          '--timeout',
          '--rate',
          '--concurrency',
          '--insecure',
          '--json',
          '--junit',
          '--markdown',
          '--html',
        ],
        ...['--har', '--sarif', '--bearer', '--basic', '--api-key', '--header'],
      ],
    };
    const helps = await Promise.all(Object.keys(options).map((verb) => run(verb, '--help')));
    for (const [index, names] of Object.values(options).entries()) {
      expect(helps[index]).toMatchObject({ code: 0, stderr: '' });
      for (const name of names) expect(helps[index]?.stdout).toContain(name);
    }
  });

  test('names the verbs; without a verb it is what a wrong use gets', async () => {
    const [help, nothing, nonsense] = await Promise.all([run('--help'), run(), run('chekc')]);
    for (const verb of ['generate', 'mock', 'proxy', 'learn', 'check']) expect(help.stdout).toContain(verb);
    expect([help.code, nothing.code, nonsense.code]).toEqual([0, 2, 2]);
    expect(nothing.stderr).toContain('Usage: record-model');
    expect(nonsense.stderr).toMatch(/unknown command 'chekc'[\s\S]*Did you mean check\?/);
  });
});

describe('generate', () => {
  const committed = readFileSync(join(import.meta.dirname, '../spec/openapi.yaml'), 'utf8');

  test('writes the document to standard output, or to a file in the form of its ending', async () => {
    const [out, json, file] = await Promise.all([
      run('generate'),
      run('generate', '--format', 'json'),
      run('generate', '-o', 'openapi.json'),
    ]);
    expect(out).toEqual({ code: 0, stdout: committed, stderr: '' });
    expect(JSON.parse(json.stdout)).toEqual(parse(committed));
    expect(file).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(read('openapi.json')).toBe(json.stdout);
  });

  test('speaks the profile that is given', async () => {
    const other = directory.write('p.yaml', 'delete: { effect: remove }\ntypes.currency: string\n');
    const { code, stdout } = await run('generate', '--profile', other);
    expect(code).toBe(0);
    expect(stdout).not.toBe(committed);
    expect(parse(stdout)['x-assumptions'] ?? parse(stdout).info['x-assumptions']).toBeDefined();
  });

  test('says whether a file is current, and does not touch it', async () => {
    directory.write('fresh.yaml', committed);
    directory.write('stale.yaml', `${committed}# by hand\n`);
    const [own, fresh, stale, missing] = await Promise.all([
      run('generate', '--check'),
      run('generate', '--check', '-o', 'fresh.yaml'),
      run('generate', '--check', '-o', 'stale.yaml'),
      run('generate', '--check', '-o', 'none.yaml'),
    ]);
    expect([own.code, fresh.code, stale.code, missing.code]).toEqual([0, 0, 1, 2]);
    expect(own.stderr).toMatch(/spec\/openapi\.yaml is up to date\n$/);
    expect(fresh.stderr).toBe('fresh.yaml is up to date\n');
    expect(stale.stderr).toBe(
      'stale.yaml is stale; write it anew with: record-model generate -o stale.yaml\n',
    );
    expect(missing.stderr).toMatch(
      /none\.yaml can't be read; write it first with: record-model generate -o none\.yaml/,
    );
    expect(read('stale.yaml')).toBe(`${committed}# by hand\n`);
  });
});

describe('mock', () => {
  test('prints where it is and what it serves, and stops with 0 on Ctrl-C', async () => {
    const { child, ended, printed, url } = await startMock();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(printed).toMatch(/^Mock of Record Model API 2025-10-22 on /);
    const served = new RegExp(`${models} models, ${operations} operations, (\\d+) records`).exec(printed);
    expect(Number(served?.[1])).toBeGreaterThanOrEqual(3 * models);
    expect(printed).toMatch(/^ {2}profile default$/m);
    expect(printed).toContain(`  document ${url}/openapi.json and ${url}/openapi.yaml\n`);
    const text = await (await fetch(`${url}/openapi.yaml`)).text();
    expect(parse(text)).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
    const tried = /try curl (\S+)/.exec(printed)?.[1] ?? '';
    expect(await (await fetch(tried)).json()).toEqual(expect.any(Array));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, stdout: '' });
  });

  test('names its profile; one that can not start exits with 2 and says the way out, without a stack', async () => {
    directory.write('mine.yaml', 'delete.effect: remove\n');
    const { printed, url } = await startMock('--profile', 'mine.yaml', '--fixtures', 'none');
    expect(printed).toMatch(/operations, 0 records\n {2}profile mine\.yaml, delete\.effect remove$/m);
    const { port } = new URL(url);
    directory.write('bad-profile.yaml', 'delete: { effect: soft }\n');
    mkdirSync(directory.path('bad-catalogue'));
    directory.write('bad-catalogue/common.yaml', 'title: T\nversion: "1"\nbase: /api\ncommon: { id: int }\n');
    directory.write('bad-fixtures.yaml', 'brand: { name: x }\n');
    directory.write('bad-record.yaml', 'brand: [{ id: 1, nmae: x }]\n');
    const tries: [string[], RegExp][] = [
      [['--port', port], new RegExp(`port ${port} of 127\\.0\\.0\\.1 is taken; .*--port`)],
      [['--port', '70000'], /--port.*Expected a whole number from 0 to 65535/],
      [
        ['--port', '0', '--profile', 'bad-profile.yaml'],
        /bad-profile\.yaml:1: delete\.effect is "soft"; expected mark or remove/,
      ],
      [
        ['--port', '0', '--catalogue', 'bad-catalogue'],
        /bad-catalogue\/common\.yaml:\d+: common has no id: int ro/,
      ],
      [
        ['--port', '0', '--fixtures', 'bad-fixtures.yaml'],
        /bad-fixtures\.yaml: brand: found a mapping; expected a list/,
      ],
      [
        ['--port', '0', '--fixtures', './bad-record.yaml'],
        /^record-model: \.\/bad-record\.yaml:1: brand 1: the field is "nmae"; expected id, /,
      ],
    ];
    const ended = await Promise.all(tries.map(([args]) => run('mock', ...args)));
    for (const [index, [, message]] of tries.entries()) {
      expect(ended[index]).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
      expect(ended[index]?.stderr).not.toMatch(STACK);
    }
  });
});

describe('learn', () => {
  test('writes a profile that every verb takes, to a file or to standard output', async () => {
    const legacy = await startTinyService({ catalogue, references, settings: TINY_DIALECTS.legacy });
    open.push(legacy);
    const before = legacy.count();
    const token = ['--bearer', 'letmein'];
    const learned = await run('learn', legacy.url, ...token, '-o', 'learned.yaml');
    expect(learned).toMatchObject({ code: 0, stdout: '' });
    expect(learned.stderr).toMatch(/^request\.encoding +form /m);
    expect(learned.stderr).not.toContain(ANSI);
    expect(legacy.count()).toBe(before);
    const settings = loadProfile(directory.path('learned.yaml'), catalogue);
    // How long a list may be shows only where there are records enough.
    const { 'list.defaultSize': _, 'list.maxSize': __, ...shown } = TINY_DIALECTS.legacy;
    expect(settings).toMatchObject(shown);

    const [out, checked, mock] = await Promise.all([
      run('learn', legacy.url, ...token, '--read-only'),
      run('check', legacy.url, ...token, '--profile', 'learned.yaml', '--models', 'brand,locker'),
      startMock('--profile', 'learned.yaml'),
    ]);
    expect({ code: checked.code, stderr: checked.stderr }).toMatchObject({ code: 0 });
    expect(mock.printed).toMatch(/profile learned\.yaml, request\.encoding form, /);
    expect(out.code).toBe(0);
    directory.write('read-only.yaml', out.stdout);
    expect(loadProfile(directory.path('read-only.yaml'), catalogue)['response.records']).toBe(
      '/result/records',
    );
    expect(legacy.count()).toBe(before);
  });

  test('exits with 2 before any request when a flag is wrong, and with 3 where nothing answers', async () => {
    const { asked, url } = await startService();
    const closing = await startFront(undefined, () => new Error('gone'));
    open.push(closing);
    mkdirSync(directory.path('there'));
    const [noPlace, noFile, both, closed] = await Promise.all([
      run('learn', url, '-o', 'none/p.yaml'),
      run('learn', url, '-o', 'there'),
      run('learn', url, '--read-only', '--write'),
      run('learn', closing.url),
    ]);
    expect(noPlace).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/none is no directory; create it first/),
    });
    expect(noFile).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/there can't be written: it is a directory; expected a file/),
    });
    expect(both).toEqual({
      code: 2,
      stdout: '',
      stderr: 'record-model: --read-only and --write contradict each other; expected one of them\n',
    });
    expect(asked).toEqual([]);
    expect(closed).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/connection was closed/),
    });
  });
});

describe('learning from what is no service', () => {
  test.each<[string, Reply, RegExp]>([
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<p>Hi' }, /with text\/html that is no JSON/],
    ['a fault', { status: 500, body: 'out of order' }, /answered 500: "out of order"/],
    ['a refusal', { status: 403 }, /answered 403/],
  ])('such as %s to all exits with 1, says why, and writes nothing', async (_, reply, why) => {
    const front = await startFront(undefined, () => reply);
    open.push(front);
    directory.write('good.yaml', 'delete.effect: remove\n');
    const [filed, printed] = await Promise.all([
      run('learn', front.url, '-o', 'good.yaml'),
      run('learn', front.url),
    ]);
    for (const { code, stderr, stdout } of [filed, printed]) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(why);
      expect(stderr).toMatch(/^No profile is written/m);
    }
    expect(read('good.yaml')).toBe('delete.effect: remove\n');
  });
});

describe('check', () => {
  const FEW = ['--models', 'brand,lockerType'];

  test('without a profile learns it first, says so in one line, and exits with 0 where all is well', async () => {
    const plain = await startTinyService({ catalogue, references, settings: TINY_DIALECTS.plain });
    const front = await startFront(plain.url);
    open.push(plain, front);
    const header = ['--api-key', 'X-Api-Key=letmein'];
    const { code, stderr, stdout } = await run('check', front.url, ...header, ...FEW);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const lines = stderr.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^learned \d+ of 5\d settings .*: .*delete\.effect remove/);
    expect(lines[1]).toMatch(/^\d+ cases on 2 models at http:/);
    expect(lines).toHaveLength(2);
    expect(stdout).toContain('CONFORMANT');
    expect(stdout + stderr).not.toContain(ANSI);
    expect(plain.count()).toBe(2);
  });

  test('exits with 1 where a case fails, names it, and writes reports that their readers take', async () => {
    const { url } = await startService({ allowPut: 'brand' });
    const files = ['json', 'html', 'junit', 'markdown', 'sarif', 'har'];
    const { code, stdout } = await run(
      ...['check', url, '--profile', profile, ...FEW],
      ...files.flatMap((format) => [`--${format}`, `report.${format}`]),
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL absent\.put:brand \(again when tried alone\)/);
    expect(stdout).toMatch(/curl -i -X PUT .*\/api\/model\/brand\/\d+'/);
    expect(stdout).toContain('NOT CONFORMANT');
    expect(stdout).not.toContain(ANSI);

    const results = readResults('report.json');
    const ajv = new Ajv2020({ strict: true });
    addFormats.default(ajv);
    const schema = readFileSync(join(import.meta.dirname, '../conformance/results.schema.json'), 'utf8');
    const isValid = ajv.compile(JSON.parse(schema));
    isValid(results);
    expect(isValid.errors).toBeNull();
    expect(results).toMatchObject({ target: url, profile: { name: 'default.yaml' }, leftovers: [] });
    expect(results.counts.fail).toBe(1);
    expect(new XMLParser({ ignoreAttributes: false }).parse(read('report.junit'))).toHaveProperty(
      'testsuites',
    );
    expect(read('report.html')).toMatch(/^<!doctype html>[\s\S]*absent\.put[\s\S]*<\/html>\s*$/i);
    expect(read('report.markdown')).toContain('absent.put:brand');
    expect(JSON.parse(read('report.sarif'))).toMatchObject({ version: '2.1.0', runs: [expect.any(Object)] });
    expect(JSON.parse(read('report.har')).log.entries.length).toBeGreaterThan(0);
    expect(existsSync(directory.path('record-model-leftovers.json'))).toBe(false);
  });

  test('exits with 2 for what is wrong in flags or files, before any request, without a stack', async () => {
    const { asked, url } = await startService();
    directory.write('twice.yaml', '- { case: c, reason: r, until: 2026-03-31 }\n- { case: c, reason: r }\n');
    directory.write('bindings.yaml', 'prodct: [1]\n');
    const tries: [string[], RegExp][] = [
      [[], /the base URL is missing|missing required argument/],
      [['nowhere'], /the base URL is "nowhere"; expected one such as http/],
      [[url.replace('//', '//me:s3cret@')], /the base URL holds a user name or password; expected --basic/],
      [[url, '--nope'], /unknown option '--nope'/],
      [[url, '--models', 'brnd'], /--models is "brnd".*Did you mean brand\?/],
      [[url, '--case', 'absent.put:brnd'], /--case is "absent\.put:brnd".*Did you mean absent\.put:brand\?/],
      [
        [url, '--profile', profile, '--case', 'absent.putt:brand'],
        /--case.*Did you mean absent\.put:brand\?/,
      ],
      [[url, '--timeout', '0'], /Expected a whole number from 1 to 600000/],
      [[url, '--json', 'none/results.json'], /none is no directory; create it first/],
      [[url, '--manifest', 'none/left.json'], /none is no directory; create it first/],
      [[url, '--baseline', 'twice.yaml'], /twice\.yaml:2: until is missing/],
      [
        [url, '--bindings', 'bindings.yaml'],
        /bindings\.yaml:1: the name is "prodct".*Did you mean product\?/,
      ],
      [[url, '--header', 's3cret'], /--header can't be read; expected "Name: value"/],
    ];
    const ended: Ended[] = [];
    // Two at a time are as many as there is room for.
    for (let index = 0; index < tries.length; index += 2)
      ended.push(
        ...(await Promise.all(tries.slice(index, index + 2).map(([args]) => run('check', ...args)))),
      );
    for (const [index, [args, message]] of tries.entries()) {
      expect({ args, ...ended[index] }).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(message),
      });
      expect(ended[index]?.stderr).not.toMatch(STACK);
      expect(ended[index]?.stderr).not.toContain('s3cret');
    }
    expect(asked).toEqual([]);
  });

  test('runs one case and shows its exchanges in full', async () => {
    const { asked, url } = await startService();
    const one = ['--profile', profile, '--case', 'absent.put:brand'];
    const { code, stderr, stdout } = await run('check', url, ...one);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `1 case on 1 model at ${url}\n` });
    expect(stdout).toMatch(/== exchange 1\ncurl -i /);
    expect(stdout).toMatch(/> PUT http:\S+\/api\/model\/brand\/1\n(> .*\n)+< 405\n(< .*\n)+/);
    // On a record, on an id that none has, and on all.
    expect(asked.filter(({ method }) => method === 'PUT')).toHaveLength(3);
  });

  test('lists the rules without a target', async () => {
    const { code, stdout } = await run('check', '--list-rules');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^required\.on-create +stated +A create without a required field .* \(section /m);
    expect(stdout.trimEnd().split('\n').length).toBeGreaterThan(50);
  });

  test('writes a baseline that excuses what fails, until it fails no more', async () => {
    const { url } = await startService({ allowPut: 'brand' });
    const fixed = await startService();
    const some = ['--profile', profile, '--models', 'brand', '--rule', 'absent'];
    const first = await run('check', url, ...some, '--write-baseline', 'known.yaml');
    const [again, mended] = await Promise.all([
      run('check', url, ...some, '--baseline', 'known.yaml'),
      run('check', fixed.url, ...some, '--baseline', 'known.yaml'),
    ]);
    expect([first.code, again.code, mended.code]).toEqual([1, 0, 1]);
    expect(again.stdout).toMatch(/Excused[\s\S]*absent\.put:brand: known until \d{4}-/);
    expect(mended.stdout).toMatch(/Stale in the baseline[\s\S]*absent\.put:brand/);
  });

  test('annotates inside GitHub Actions', async () => {
    const { url } = await startService({ allowPut: 'brand' });
    const args = ['check', url, '--profile', profile, '--models', 'brand', '--rule', 'absent'];
    const { stdout } = await start(args, { GITHUB_ACTIONS: 'true' }).ended;
    expect(stdout).toMatch(/^::error .*absent\.put/m);
  });

  test('lists what it could not remove in a manifest', async () => {
    const { service, url } = await startService({}, ({ method }) =>
      method === 'DELETE' ? { status: 403 } : undefined,
    );
    const before = service.count();
    const args = ['--profile', profile, '--models', 'brand', '--rule', 'create', '--manifest', 'left.json'];
    const { stdout } = await run('check', url, ...args);
    const { leftovers, target } = JSON.parse(read('left.json'));
    expect([target, leftovers.length]).toEqual([url, service.count() - before]);
    expect(leftovers.length).toBeGreaterThan(0);
    expect(stdout).toContain(leftovers[0]);
  });
});

describe('secrets', () => {
  const SECRETS = ['t0ps3cret-b34rer', 't0ps3cret-k3y', 't0ps3cret-h34der', 't0ps3cret-p4ss'];
  const [bearer = '', key = '', header = '', password = ''] = SECRETS;
  const encoded = Buffer.from(`me:${password}`).toString('base64');

  /** Repeats whatever it was sent, in every second answer. */
  const echoing: Meddle = ({ headers, method }, index) => {
    const echo = JSON.stringify({ echo: headers });
    return method === 'POST' && index % 2 === 0
      ? { status: 500, headers: { 'x-echo': encodeURI(echo) }, body: echo }
      : undefined;
  };

  test.each<[string, string[], Record<string, string>]>([
    ['by flag', ['--bearer', bearer, '--header', `X-Tenant: ${header}`], {}],
    ['by environment as a pair', [], { RECORD_MODEL_BASIC: `me:${password}` }],
    ['by environment as a key', [], { RECORD_MODEL_API_KEY: `X-Api-Key=${key}` }],
  ])('given %s are sent, and stand in no output and no file', async (_, flags, env) => {
    const { asked, url } = await startService({ allowPut: 'brand' }, echoing);
    const files = ['json', 'html', 'junit', 'markdown', 'sarif', 'har', 'write-baseline'];
    const args = ['check', url, '--profile', profile, '--models', 'brand', '--rule', 'operations,absent'];
    const reports = files.flatMap((format) => [`--${format}`, `out.${format}`]);
    const [checked, learned] = await Promise.all([
      start([...args, ...flags, ...reports], env).ended,
      start(['learn', url, ...flags, '-o', 'out.profile'], env).ended,
    ]);
    expect(checked.code).toBe(1);
    const sent = JSON.stringify(asked.map(({ headers }) => headers));
    expect([...SECRETS, encoded].some((secret) => sent.includes(secret))).toBe(true);
    const written = readdirSync(directory.path()).map(read);
    expect(written.length).toBeGreaterThanOrEqual(files.length + 1);
    const all = [checked.stdout, checked.stderr, learned.stdout, learned.stderr, ...written].join('\n');
    expect(all).toContain('[redacted]');
    for (const secret of [...SECRETS, encoded]) expect(all.includes(secret)).toBe(false);
  });
});

describe('secrets that the service repeats', () => {
  const TOKEN = 't0ps3cret-b34rer';

  test('stand neither in the refusal of a check nor in what learn writes', async () => {
    const challenging = await startFront(undefined, ({ headers: { authorization } }) => ({
      status: 401,
      headers: { 'www-authenticate': `Bearer error_description="token ${authorization} is expired"` },
    }));
    const { url } = await startService({}, ({ headers, method }) =>
      method === 'POST' ? { status: 403, body: { error: `not for ${headers.authorization}` } } : undefined,
    );
    open.push(challenging);
    const [checked, learned] = await Promise.all([
      run('check', challenging.url, '--bearer', TOKEN),
      run('learn', url, '--bearer', TOKEN, '-o', 'p.yaml'),
    ]);
    expect(checked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error_description="token [redacted] is expired"'),
    });
    expect(learned).toMatchObject({ code: 0, stderr: expect.stringContaining('not for [redacted]') });
    expect(read('p.yaml')).toContain('not for [redacted]');
    for (const text of [checked.stderr, learned.stderr, read('p.yaml')]) expect(text).not.toContain(TOKEN);
  });

  test('are said to stay in texts where they are too short to be found there', async () => {
    const { url } = await startService();
    const args = ['check', url, '--profile', profile, '--models', 'brand', '--rule', 'operations.list'];
    const [short, long] = await Promise.all([
      run(...args, '--bearer', 'abc', '--header', 'X-Tenant: 7', '--header', 'Cookie: lang=es; sid=0123456'),
      run(...args, '--bearer', TOKEN),
    ]);
    const warning = (name: string) =>
      `The secret in the header ${name} has fewer than 6 characters: it is blotted out of`;
    expect(short.stderr).toContain(warning('authorization'));
    expect(short.stderr).toContain(warning('x-tenant'));
    expect(short.stderr).not.toContain(warning('cookie'));
    expect(long.stderr).not.toContain('fewer than');
  });
});

describe('credentials', () => {
  const FEW = ['--models', 'brand', '--rule', 'operations.list'];

  test('of a variable without a value are none; what is wrong in one is said with its name', async () => {
    const { url } = await startService();
    const args = ['check', url, '--profile', profile, ...FEW];
    const empty = { RECORD_MODEL_BEARER: '', RECORD_MODEL_BASIC: '', RECORD_MODEL_API_KEY: '' };
    const [none, odd, both] = await Promise.all([
      start(args, empty).ended,
      start(args, { RECORD_MODEL_BEARER: 's3cret x' }).ended,
      start(args, { RECORD_MODEL_BEARER: 's3cret', RECORD_MODEL_BASIC: 'me:s3cret' }).ended,
    ]);
    expect({ code: none.code, stderr: none.stderr }).toMatchObject({ code: 0 });
    expect(odd).toMatchObject({
      code: 2,
      stderr:
        'record-model: RECORD_MODEL_BEARER has characters that no header can carry; expected visible ASCII\n',
    });
    expect(both).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('given as RECORD_MODEL_BEARER and RECORD_MODEL_BASIC;'),
    });
  });

  test('in headers are given one a flag, which leaves the URL alone', async () => {
    const { asked, url } = await startService();
    const args = ['--header', 'X-One: 1234567', '--header', 'X-Two: 2345678', url, '--profile', profile];
    expect(await run('check', ...args, ...FEW)).toMatchObject({ code: 0 });
    expect(asked[0]?.headers).toMatchObject({ 'x-one': '1234567', 'x-two': '2345678' });
  });
});

describe('a wait that the target asks for', () => {
  test.each([
    ['learn', []],
    ['check', []],
    ['check', ['--profile', 'default.yaml', '--rule', 'operations.list']],
  ])('is said by %s %j, and Ctrl-C ends it at once', async (verb, more) => {
    const { url } = await startFrontAlone(() => ({ status: 429, headers: { 'retry-after': '30' } }));
    const { child, ended, said } = start([verb, url, ...more]);
    await said(/^waiting 30 s, as the target asks \(429\)$/m);
    child.kill('SIGINT');
    const { code, stderr, stdout } = await ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toMatch(/^Stopping, and removing what was made; a second Ctrl-C ends at once$/m);
    expect(stderr).toMatch(/^Interrupted$/m);
    expect(stderr.match(/^waiting/gm)).toHaveLength(1);
  });

  async function startFrontAlone(meddle: Meddle) {
    const front = await startFront(undefined, meddle);
    open.push(front);
    return front;
  }
});

describe('Ctrl-C', () => {
  /** Runs a command and interrupts it when the service is asked to make its nth record. */
  async function interrupt(nth: number, ...args: string[]) {
    let creates = 0;
    let started: Started | undefined;
    const { asked, service, url } = await startService({}, ({ method, path }) => {
      if (method === 'POST' && /^\/api\/model\/[a-zA-Z]+$/.test(path) && ++creates === nth)
        started?.child.kill('SIGINT');
      return undefined;
    });
    const before = service.count();
    started = start(args.map((word) => (word === 'URL' ? url : word)));
    return { ...(await started.ended), asked, left: service.count() - before };
  }

  test('ends a check with 130, and what it made is removed', async () => {
    const args = ['check', 'URL', '--profile', profile, '--json', 'results.json'];
    const { asked, code, left, stderr, stdout } = await interrupt(150, ...args);
    expect({ code, left, stderr }).toMatchObject({ code: 130, left: 0 });
    // What was tried is no verdict on the rest.
    expect(stdout).toMatch(/^INCONCLUSIVE .*\nended early: \d+ of \d+ cases were tried$/m);
    const { cases, planned } = readResults('results.json');
    expect(cases.length).toBeLessThan(planned);
    expect(asked.filter(({ method }) => method === 'DELETE').length).toBeGreaterThan(50);
    expect(asked.length).toBeLessThan(3000);
  });

  test('ends a check that still learns with 130, and what it made is removed', async () => {
    const { code, left, stdout } = await interrupt(5, 'check', 'URL', '--json', 'results.json');
    expect({ code, left }).toEqual({ code: 130, left: 0 });
    expect(stdout).not.toContain('CONFORMANT');
  });

  /** Interrupts a command at its nth create, and once more at the delete that follows. */
  async function interruptTwice(nth: number, ...args: string[]) {
    let creates = 0;
    let started: Started | undefined;
    const { service, url } = await startService({}, ({ method, path }) => {
      const isCreate = method === 'POST' && /^\/api\/model\/[a-zA-Z]+$/.test(path);
      if ((isCreate && ++creates === nth) || (method === 'DELETE' && creates >= nth))
        started?.child.kill('SIGINT');
      return undefined;
    });
    const before = service.count();
    started = start(args.map((word) => (word === 'URL' ? url : word)));
    const ended = await started.ended;
    return { ...ended, left: service.count() - before };
  }

  test('twice ends a check at once, and the manifest lists what is still there', async () => {
    const args = ['check', 'URL', '--profile', profile, '--manifest', 'twice.json'];
    const { code, left, stderr } = await interruptTwice(150, ...args);
    expect(code).toBe(130);
    expect(left).toBeGreaterThan(16);
    const { leftovers } = JSON.parse(readFileSync(directory.path('twice.json'), 'utf8'));
    // Nobody knows yet of those whose creates are under way, one a connection at most.
    expect(leftovers.length).toBeGreaterThanOrEqual(left - 16);
    expect(stderr).toContain('could not be removed: twice.json lists them');
  });

  test('twice ends learning at once, and says what is still there', async () => {
    const { code, left, stderr } = await interruptTwice(5, 'learn', 'URL', '-o', 'learned.yaml');
    expect(code).toBe(130);
    expect(left).toBeGreaterThan(0);
    expect(stderr).toMatch(/^Interrupted; not removed, please look after them: \w+\/\d+/m);
  });

  test('ends learning with 130, and what it made is removed; half a profile is not written', async () => {
    const { code, left } = await interrupt(5, 'learn', 'URL', '-o', 'learned.yaml');
    expect({ code, left }).toEqual({ code: 130, left: 0 });
    expect(existsSync(directory.path('learned.yaml'))).toBe(false);
  });
});

describe('a target that is none', () => {
  const huge = Buffer.alloc(1024 * 1024, ' ');

  test.each<[string, number, RegExp, Parameters<typeof serve>[0]]>([
    [
      'answers HTML',
      1,
      /shows no records|NOT CONFORMANT/,
      (_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><p>Hi'),
    ],
    [
      'answers invalid JSON',
      1,
      /shows no records|NOT CONFORMANT/,
      (_, response) => response.end('[{"id":1},'),
    ],
    ['hangs', 3, /can't be reached: GET \S+: no answer within 300 ms/, () => {}],
    [
      'closes connections',
      3,
      /can't be reached: GET \S+: the connection was closed before/,
      ({ socket }) => socket.destroy(),
    ],
    [
      'lets nobody ask',
      3,
      /can't be reached: GET \S+ answered 429 .*; --rate N sends no more than N a second$/m,
      (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
    ],
    [
      'sends 100 MB',
      3,
      /can't be reached: GET \S+: the answer has more than 16777216 bytes/,
      (_, response) => {
        let sent = 0;
        const push = () => {
          while (sent < 100 && !response.destroyed) if (sent++ >= 0 && !response.write(huge)) return;
          response.end();
        };
        response.on('drain', push);
        push();
      },
    ],
  ])(
    'because it %s ends check with %i and a clear message, with a profile and without',
    async (what, code, message, listener) => {
      const served = await serve(listener);
      open.push(served);
      const patience = what === 'hangs' ? ['--timeout', '300'] : [];
      const args = ['check', served.url, ...patience, '--models', 'brand,subscriptionTask'];
      for (const ended of await Promise.all([run(...args), run(...args, '--profile', profile)])) {
        expect(ended.code).toBe(code);
        expect(ended.stdout + ended.stderr).toMatch(message);
        expect(ended.stderr).not.toMatch(STACK);
      }
    },
  );

  test('because it shows no records is reported all the same', async () => {
    const served = await serve((_, response) => response.setHeader('content-type', 'text/html').end('<p>Hi'));
    open.push(served);
    const { code, stderr } = await run('check', served.url, '--json', 'results.json', '--models', 'brand');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('shows no records') });
    expect(readResults('results.json').cases).toMatchObject([
      { id: 'operations.list:brand', outcome: 'fail' },
    ]);
  });

  test('because nothing listens ends check and learn with 3', async () => {
    const { service, url } = await startService();
    await service.close();
    const closed = await startFront(undefined);
    await closed.close();
    const ended = await Promise.all([run('check', closed.url), run('learn', closed.url), run('check', url)]);
    for (const { code, stdout } of ended) expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(ended[0]?.stderr).toMatch(/can't be reached: .*nothing listens there/);
  });
});

describe('a service on another machine', () => {
  test('is read from, or written to, as a person decides', async () => {
    const { asked, service, url } = await startService();
    const args = [
      'check',
      'http://service.invalid',
      '--profile',
      profile,
      '--models',
      'brand,subscriptionTask',
    ];
    // Where no name is known, the proxy knows it.
    const { code, stdout } = await start([...args, '--read-only'], { HTTP_PROXY: url }).ended;
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(
          `^READS CONFORMANT \\(\\d+ of ${operations} operations and \\d+ of ${fields} fields seen\\)`,
          'm',
        ),
      ),
    });
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(asked[0]?.path).toMatch(/^http:\/\/service\.invalid\/api\/model\//);

    const written = await start([...args, '--write'], { http_proxy: url }).ended;
    expect({ code: written.code, stderr: written.stderr }).toMatchObject({ code: 0 });
    expect(asked.map(({ method }) => method)).toContain('POST');
    expect(service.count()).toBe(2);
  });

  test('here is only read from when that is asked for', async () => {
    const { asked, url } = await startService();
    const { code } = await run('check', url, '--read-only', '--json', 'results.json');
    expect(code).toBe(0);
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(readResults('results.json')).toMatchObject({
      readOnly: true,
      counts: { fail: 0, blocked: 0, error: 0 },
    });
  });
});

test('a catalogue of one’s own goes through generate, mock and check', async () => {
  mkdirSync(directory.path('catalogue'));
  directory.write(
    'catalogue/common.yaml',
    'title: Boat API\nversion: "2"\nbase: /v2/records\ncommon:\n  id: int ro\n  deleted: bool ro\n',
  );
  directory.write(
    'catalogue/harbour.yaml',
    [
      'area: Harbour\nabout: Boats and berths.\nmodels:',
      '  berth: { name: string req, depth: float }',
      '  boat: { name: string req, berth: int req, kind: select req, price: currency }',
      'values:\n  boat.kind: { 1: Sail, 2: Motor }\n',
    ].join('\n'),
  );
  directory.write('references.yaml', 'inside:\n  boat.berth: { to: berth, why: named so }\n');
  const own = ['--catalogue', 'catalogue'];
  const [document, mock] = await Promise.all([run('generate', ...own), startMock(...own)]);
  expect(document.code).toBe(0);
  expect(Object.keys(parse(document.stdout).paths)).toEqual([
    ...['/v2/records/berth', '/v2/records/berth/{id}'],
    ...['/v2/records/boat', '/v2/records/boat/{id}'],
  ]);
  expect(mock.printed).toMatch(/^Mock of Boat API 2 on [\s\S]*2 models, 10 operations, 0 records/);
  const { code, stderr, stdout } = await run('check', mock.url, ...own, '--json', 'results.json');
  expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
  const results = readResults('results.json');
  expect(results).toMatchObject({ catalogue: { title: 'Boat API', version: '2', models: 2 }, leftovers: [] });
  expect(results.coverage.operations.map(({ exercised }) => exercised)).toEqual(Array(10).fill(true));
});

describe('a line of progress', () => {
  /** What is written when a line is shown after so many milliseconds each, and something is said at the end. */
  function watch(isTTY: boolean, waits: readonly number[], pause?: number): string {
    vi.useFakeTimers();
    const terminal = process.stderr.isTTY;
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      process.stderr.isTTY = isTTY;
      const status = createStatus(pause);
      for (const [index, wait] of waits.entries()) {
        vi.advanceTimersByTime(wait);
        status.show(`line ${index}`);
      }
      say('between');
      status.clear();
      return written.mock.calls.map(([text]) => text).join('');
    } finally {
      written.mockRestore();
      process.stderr.isTTY = terminal;
      vi.useRealTimers();
    }
  }

  const clear = `\r${ANSI}[2K`;

  test('is written over in a terminal, and one of many elsewhere', () => {
    const waits = [1000, 1000, 10_000, 1000];
    const lines = [0, 1, 2, 3].map((index) => `${clear}line ${index}`).join('');
    expect(watch(true, waits)).toBe(`${lines}${clear}between\n${clear}`);
    expect(watch(false, waits)).toBe('line 2\nbetween\n');
  });

  test('is left out in a terminal where the last one is not old enough', () => {
    expect(watch(true, [0, 99, 1, 50], 100)).toBe(`${clear}line 0${clear}line 2${clear}between\n${clear}`);
  });
});

test('colours are for terminals, and stop with NO_COLOR', () => {
  const stream = (isTTY: boolean) => Object.assign(Object.create(process.stdout), { isTTY });
  vi.stubEnv('TERM', 'xterm');
  vi.stubEnv('NO_COLOR', '');
  expect([hasColors(stream(true)), hasColors(stream(false))]).toEqual([true, false]);
  vi.stubEnv('NO_COLOR', '1');
  expect(hasColors(stream(true))).toBe(false);
  vi.stubEnv('NO_COLOR', '');
  vi.stubEnv('TERM', 'dumb');
  expect(hasColors(stream(true))).toBe(false);
  vi.unstubAllEnvs();
});

describe('a base URL with a password', () => {
  test.each([
    'http://us3r:pa/ss@host',
    'us3r:pa/ss@host',
    'us3r:pa-ss@host',
    'ftp://us3r:pa/ss@host',
    'http:/us3r:pa-ss@host',
  ])('%s is refused by check and learn, and not repeated', async (url) => {
    for (const ended of await Promise.all([run('check', url), run('learn', url)])) {
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toContain('user name or password; expected --basic USER:PASSWORD');
      expect(ended.stderr).not.toMatch(/us3r|pa.ss/);
    }
  });
});

describe('a service that sends elsewhere', () => {
  const redirecting = (location: (path: string) => string) => async () => {
    const front = await startFront(undefined, ({ path }) => ({
      status: 308,
      headers: { location: location(path) },
    }));
    open.push(front);
    return front.url;
  };

  test.each([
    [
      'the same path of another base URL',
      2,
      redirecting((path) => `https://me:s3cret-pw@api.example.com/v1${path}?limit=1`),
      /answered 308 and leads to https:\/\/api\.example\.com\/v1\/api\/model\/\w+\?limit=1; redirects are not followed: give https:\/\/api\.example\.com\/v1 as the base URL/,
    ],
    [
      'another path',
      1,
      redirecting(() => '/login'),
      /answered 308 and leads to http:\S+\/login; redirects are not followed\b/,
    ],
  ])('to %s is not followed, and learn and check say where it leads', async (_, expected, begin, where) => {
    const url = await begin();
    const [learned, checked] = await Promise.all([
      run('learn', url),
      run('check', url, '--models', 'brand', '--rule', 'operations.list'),
    ]);
    for (const { code, stderr } of [learned, checked]) {
      expect({ code, stderr }).toMatchObject({ code: expected, stderr: expect.stringMatching(where) });
      expect(stderr).not.toContain('s3cret-pw');
    }
    if (expected === 1) expect(checked.stdout).toMatch(/answered {2}308 to \S+/);
    expect(checked.stdout).not.toContain('s3cret-pw');
  });
});

describe('a proxy of the environment', () => {
  test('that is no address is named, with 2 and without a stack', async () => {
    const args = ['check', 'http://service.invalid', '--read-only', '--profile', profile];
    for (const value of ['foo', 'proxy.example:3128', 'me:s3cret-pw@proxy', 'ftp://proxy.example']) {
      const ended = await start(args, { HTTP_PROXY: value }).ended;
      expect(ended).toEqual({
        code: 2,
        stdout: '',
        stderr:
          'record-model: HTTP_PROXY holds no address of a proxy; expected one such as http://127.0.0.1:3128\n',
      });
    }
    const secure = ['check', 'https://service.invalid', '--write', '--profile', profile];
    const small = await start(secure, { https_proxy: 'foo' }).ended;
    expect(small).toMatchObject({ code: 2, stderr: expect.stringContaining('https_proxy holds no address') });
  });

  test('that is not there is named, and not taken for the target', async () => {
    const { close, url } = await startFront(undefined);
    await close();
    const { code, stderr } = await start(['check', 'http://service.invalid', '--read-only'], {
      HTTP_PROXY: url,
    }).ended;
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`the proxy ${url} can't be reached: nothing listens there`),
    });
  });
});

test('--case shows bodies in full, however long', async () => {
  const long = 'x'.repeat(9000);
  const { url } = await startService({}, ({ method }) =>
    method === 'PUT' ? { status: 200, body: { long } } : undefined,
  );
  const one = ['--profile', profile, '--case', 'absent.put:brand'];
  const { stdout } = await run('check', url, ...one);
  expect(stdout).toContain(`< {"long":"${long}"}`);
});

test('a session that the service gives out stands in no report', async () => {
  const session = 's3ss10n-of-a-service';
  const { url } = await startService({ allowPut: 'brand' }, ({ method }) =>
    method === 'PUT'
      ? { status: 200, headers: { 'set-cookie': `sid=${session}; Path=/; HttpOnly` }, body: {} }
      : undefined,
  );
  const files = ['json', 'html', 'junit', 'markdown', 'sarif', 'har'];
  const reports = files.flatMap((format) => [`--${format}`, `out.${format}`]);
  const args = ['check', url, '--profile', profile, '--case', 'absent.put:brand', ...reports];
  const { code, stderr, stdout } = await run(...args);
  expect({ code, stderr }).toMatchObject({ code: 1 });
  expect(stdout).toContain('set-cookie: sid=[redacted]; Path=/; HttpOnly');
  const written = readdirSync(directory.path()).map(read);
  expect(written.length).toBeGreaterThanOrEqual(files.length);
  expect([stdout, stderr, ...written].join('\n')).not.toContain(session);
});
