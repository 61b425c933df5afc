import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { XMLParser } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import type { Ended } from '../../testing/command.ts';
import { TINY_DIALECTS } from '../../testing/dialects.ts';
import { startMockService } from '../../testing/mock-service.ts';
import { useCommand } from '../../testing/use-command.ts';

const { closing, directory, read, readResults, run, runWith, startRecordingProxy, startService } =
  useCommand();
/** With it nothing is learned. */
const profile = 'default.yaml';
const STACK = /\n\s+at /;
const ANSI = '\u001b';

describe('check', () => {
  const FEW = ['--models', 'brand,lockerType'];

  test('without a profile learns it first, says so in one line, and exits with 0 where all is well', async () => {
    const plain = await startMockService({ settings: TINY_DIALECTS.plain });
    const recorder = await startRecordingProxy(plain.url);
    closing(plain);
    closing(recorder);
    const header = ['--api-key', 'X-Api-Key=letmein'];
    const { code, stderr, stdout } = await run('check', recorder.url, ...header, ...FEW);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const lines = stderr.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^learned \d+ of \d+ settings .*: .*delete\.effect remove/);
    expect(lines[1]).toMatch(/^Running \d+ cases on 2 models at http:/);
    expect(lines).toHaveLength(2);
    expect(stdout).toContain('CONFORMANT');
    expect(stdout + stderr).not.toContain(ANSI);
    expect(await plain.count()).toBe(2);
  });

  test('with the tag of a run that did not end says how to clean up, and sends nothing', async () => {
    const { asked, url } = await startService();
    directory.write('record-model-leftovers-ci01.jsonl', '');
    expect(await run('check', url, ...FEW, '--profile', profile, '--tag', 'ci01')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'record-model: record-model-leftovers-ci01.jsonl belongs to an interrupted run. Delete its records with `record-model clean record-model-leftovers-ci01.jsonl`, or pass another --tag.\n',
    });
    expect(asked.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('exits with 1 where a case fails, names it, and writes reports that their readers take', async () => {
    const { url } = await startService({ defect: 'absent.put-works:brand' });
    const files = ['json', 'html', 'junit', 'markdown', 'har'];
    const { code, stdout } = await run(
      'check',
      url,
      '--profile',
      profile,
      ...FEW,
      ...files.flatMap((format) => [`--${format}`, `report.${format}`]),
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/^NOT CONFORMANT, 1 of 2 models conform\nFix first {2}brand: /);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(12);
    // The run has removed the record that the request names.
    expect(stdout).not.toContain('curl');
    const again = /see it again: record-model (.*)/.exec(stdout)?.[1]?.split(' ') ?? [];
    expect(again).toEqual(['check', url, '--profile', profile, '--case', 'absent.put:brand']);
    const second = await run(...again);
    expect(second.stdout).toMatch(/FAIL absent\.put:brand \(reproduced when tried again\)/);
    expect(second.stdout).toMatch(/^> PUT .*\/api\/model\/brand\/\d+$/m);
    expect(stdout).not.toContain(ANSI);

    const results = readResults('report.json');
    const ajv = new Ajv2020({ strict: true });
    addFormats.default(ajv);
    const schema = readFileSync(join(import.meta.dirname, '../../conformance/results.schema.json'), 'utf8');
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
    expect(JSON.parse(read('report.har')).log.entries.length).toBeGreaterThan(0);
    expect(existsSync(directory.path('record-model-leftovers.json'))).toBe(false);
  });

  test('asks about, and counts, only the selected models', async () => {
    // A service that has one model, and answers 403 to all others.
    const { asked, url } = await startService({}, ({ path }) =>
      /\/api\/model\/(brand|brandd)\b/.test(path) ? undefined : { status: 403, body: '{}' },
    );
    const { code, stderr, stdout } = await run(
      'check',
      url,
      '--models',
      'brand',
      '--min-coverage',
      '100',
      '--json',
      'r.json',
    );
    expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
    const { coverage, requirements } = readResults('r.json');
    expect(coverage.operations.map(({ name }) => name.split(' ')[1])).toEqual(Array(5).fill('brand'));
    expect(requirements.find(({ id }) => id === 'read-only-model')).toMatchObject({ why: 'not selected' });
    // Each write is to the selected model.
    const written = asked.filter(({ method }) => method !== 'GET').map(({ path }) => path.split('/')[3]);
    expect(new Set(written)).toEqual(new Set(['brand']));
  });

  test('exits with 2 for what is wrong in flags or files, before any request, without a stack', async () => {
    const { asked, url } = await startService();
    directory.write('twice.yaml', '- { case: c, reason: r, until: 2026-03-31 }\n- { case: c, reason: r }\n');
    directory.write('bindings.yaml', 'prodct: [1]\n');
    const tries: [string[], RegExp][] = [
      [
        [],
        /^record-model: The argument <base-url> is missing\. Pass one such as http:\/\/127\.0\.0\.1:4010, or add url to record-model\.yaml\.$/m,
      ],
      [['nowhere'], /"nowhere" is not a base URL, and there is no record-model\.yaml .* Pass a URL such as /],
      [
        [url.replace('//', '//me:s3cret@')],
        /The base URL contains a user name or password\. Pass --basic USER:PASSWORD instead\./,
      ],
      [[url, '--nope'], /Unknown option --nope\./],
      [[url, '--models', 'brnd'], /Unknown model "brnd" in --models\. Did you mean "brand"\?/],
      [
        [url, '--case', 'absent.put:brnd'],
        /Unknown case "absent\.put:brnd" in --case\. Did you mean "absent\.put:brand"\?/,
      ],
      [
        [url, '--profile', profile, '--case', 'absent.putt:brand'],
        /--case.*Did you mean "absent\.put:brand"\?/,
      ],
      [[url, '--timeout', '0'], /Invalid value "0" for --timeout\. Pass a whole number from 1 to 600000\./],
      [[url, '--json', 'none/results.json'], /there is no directory none\. Create it first\./],
      [[url, '--manifest', 'none/left.json'], /there is no directory none\. Create it first\./],
      [[url, '--baseline', 'twice.yaml'], /twice\.yaml:2: until is missing/],
      [
        [url, '--bindings', 'bindings.yaml'],
        /bindings\.yaml:1: Unknown name "prodct"\. Did you mean "product"\?/,
      ],
      [[url, '--header', 's3cret'], /--header must have the form "Name: value"\./],
    ];
    const ended: Ended[] = [];
    // The machine has memory for two at a time.
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

  test('runs one case, then the others of its model if it passes, and shows its exchanges in full', async () => {
    const { asked, url } = await startService();
    const one = ['--profile', profile, '--case', 'absent.put:brand'];
    const { code, stderr, stdout } = await run('check', url, ...one);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^Running 1 case on 1 model at \S+\nabsent\.put:brand passes by itself\. .*\nRunning \d+ cases on 1 model at \S+\n$/,
      ),
    });
    expect(stdout).toMatch(/^1 pass · 0 fail/m);
    expect(stdout).toMatch(/== exchange 1\ncurl -i /);
    expect(stdout).toMatch(/> PUT http:\S+\/api\/model\/brand\/\d+\n(> .*\n)+< 405\n(< .*\n)+/);
    // In each of both runs on a record, on an id that none has, and on all.
    expect(asked.filter(({ method }) => method === 'PUT')).toHaveLength(6);
  });

  test('lists the rules without a target', async () => {
    const { code, stdout } = await run('check', '--list-rules');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^required\.on-create +stated +Create without a required field .* \(section /m);
    expect(stdout.trimEnd().split('\n').length).toBeGreaterThan(50);
  });

  test('writes a baseline that excuses what fails, until it fails no more', async () => {
    const { url } = await startService({ defect: 'absent.put-works:brand' });
    const fixed = await startService();
    const some = ['--profile', profile, '--models', 'brand', '--rule', 'absent'];
    const first = await run('check', url, ...some, '--write-baseline', 'known.yaml');
    const unexplained = await run('check', url, ...some, '--baseline', 'known.yaml');
    expect(unexplained).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/known\.yaml:3: The reason for absent\.put:brand is empty\./),
    });
    directory.write('known.yaml', read('known.yaml').replace('""', 'the old gateway'));
    const [again, mended] = await Promise.all([
      run('check', url, ...some, '--baseline', 'known.yaml', '--details'),
      run('check', fixed.url, ...some, '--baseline', 'known.yaml'),
    ]);
    expect([first.code, again.code, mended.code]).toEqual([1, 0, 1]);
    expect(again.stdout).toMatch(/^CONFORMANT WITH 1 KNOWN FAILURE$/m);
    expect(again.stdout).toMatch(/Excused[\s\S]*absent\.put:brand: known until \d{4}-/);
    expect(mended.stdout).toMatch(/Stale baseline entries[\s\S]*absent\.put:brand/);
  });

  test('annotates inside GitHub Actions', async () => {
    const { url } = await startService({ defect: 'absent.put-works:brand' });
    const args = ['check', url, '--profile', profile, '--models', 'brand', '--rule', 'absent'];
    const { stdout } = await runWith({ GITHUB_ACTIONS: 'true' }, ...args);
    expect(stdout).toMatch(/^::error .*absent\.put/m);
  });

  test('lists what it could not remove in a manifest', async () => {
    const { service, url } = await startService({}, ({ method }) =>
      method === 'DELETE' ? { status: 403 } : undefined,
    );
    const before = await service.count();
    const args = ['--profile', profile, '--models', 'brand', '--rule', 'create', '--manifest', 'left.json'];
    const { stderr, stdout } = await run('check', url, ...args, '--details');
    const { leftovers, target } = JSON.parse(read('left.json'));
    expect([target, leftovers.length]).toEqual([url, (await service.count()) - before]);
    expect(leftovers.length).toBeGreaterThan(0);
    expect(stdout).toContain(leftovers[0]);
    expect(stderr).toMatch(/^\d+ records? could not be removed: see left\.json$/m);
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

test.each(['readonly.id-names-updated:consumerHomeItem.id', 'kept.alters-edge:bookingDrawItem.rejections=0'])(
  'the command of the first cause of %s shows the failure again',
  async (defect) => {
    const { url } = await startService({ defect });
    const [, model = ''] = /:(\w+)/.exec(defect) ?? [];
    const args = ['--profile', profile, '--explore', '0'];
    const { stdout } = await run('check', url, ...args, '--models', model);
    const [, id = ''] = /see it again: record-model check .* --case (\S+)$/m.exec(stdout) ?? [];
    const again = await run('check', url, ...args, '--case', id, '--har', 'r.har');
    expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining(`\nFAIL ${id}`) });
    const { log } = JSON.parse(read('r.har'));
    expect(log.pages.map((page: { id: string }) => page.id)).toContain(id);
    expect(log.entries.length).toBeGreaterThan(0);
    const { url: healthy } = await startService();
    expect(await run('check', healthy, ...args, '--case', id)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^CONFORMANT\n1 pass · 0 fail/m),
      stderr: expect.stringContaining(`${id} passes by itself. It can fail next to other cases`),
    });
  },
);
