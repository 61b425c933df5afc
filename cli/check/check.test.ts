import { existsSync } from 'node:fs';
import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { TINY_DIALECTS } from '../../testing/dialects.ts';
import { endWith, useCommand, WITH_DEFAULTS } from '../../testing/use-command.ts';

const { directory, read, readResults, run, runWith, startService } = useCommand();
const ANSI = '\u001b';

const FEW = ['--models', 'brand,lockerType'];

test('check without a profile learns one, reports it in one line, and exits with 0 if all cases pass', async () => {
  const { service, url } = await startService({ settings: TINY_DIALECTS.plain });
  const header = ['--api-key', 'X-Api-Key=letmein'];
  const rules = ['--rule', 'operations,create'];
  const { code, stderr, stdout } = await run('check', url, ...header, ...FEW, ...rules);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  // On a busy machine, lines of progress come between and after these.
  const lines = stderr.trimEnd().split('\n');
  const learned = lines.findIndex((line) => line.startsWith('learned'));
  expect(lines[learned]).toMatch(/^learned \d+ of \d+ settings .*: .*delete\.effect remove/);
  expect(lines[learned + 1]).toMatch(/^Running \d+ cases on 2 models at http:/);
  expect(stderr.match(/^learned/gm)).toHaveLength(1);
  expect(stdout).toContain('CONFORMANT');
  expect(stdout + stderr).not.toContain(ANSI);
  expect(await service.count()).toBe(2);
});

test('check exits with 1 if a case fails, names it, and writes valid reports', async () => {
  const { url } = await startService({ defect: 'absent.put-works:brand' });
  const files = ['json', 'html', 'junit', 'markdown', 'har'];
  const reports = files.flatMap((format) => [`--${format}`, `report.${format}`]);
  const some = [...WITH_DEFAULTS, ...FEW, '--rule', 'absent,operations,create'];
  const { code, stdout } = await run('check', url, ...some, ...reports);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^NOT CONFORMANT, 1 of 2 models conform\nFix first {2}brand: /);
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(12);
  // The run has removed the record that the request names.
  expect(stdout).not.toContain('curl');
  const again = /see it again: record-model (.*)/.exec(stdout)?.[1]?.split(' ') ?? [];
  expect(again).toEqual(['check', url, ...WITH_DEFAULTS, '--case', 'absent.put:brand']);
  const second = await run(...again);
  expect(second.stdout).toMatch(/FAIL absent\.put:brand \(reproduced when tried again\)/);
  expect(second.stdout).toMatch(/^> PUT .*\/api\/model\/brand\/\d+$/m);
  expect(stdout).not.toContain(ANSI);

  const results = readResults('report.json');
  expect(results).toMatchObject({ target: url, profile: { name: 'default.yaml' }, leftovers: [] });
  expect(results.counts.fail).toBe(1);
  const junit = new XMLParser({ ignoreAttributes: false }).parse(read('report.junit'));
  expect(junit).toHaveProperty('testsuites');
  expect(read('report.html')).toMatch(/^<!doctype html>[\s\S]*absent\.put[\s\S]*<\/html>\s*$/i);
  expect(read('report.markdown')).toContain('absent.put:brand');
  expect(JSON.parse(read('report.har')).log.entries.length).toBeGreaterThan(0);
  expect(existsSync(directory.path('record-model-leftovers.json'))).toBe(false);
});

test('check requests and counts only the selected models', async () => {
  // A service that has one model, and answers 403 to all others.
  const { asked, url } = await startService({}, ({ path }) =>
    /\/api\/model\/(brand|brandd)\b/.test(path) ? undefined : { status: 403, body: '{}' },
  );
  const flags = ['--models', 'brand', '--explore', '0', '--min-coverage', '100', '--json', 'r.json'];
  const { code, stderr, stdout } = await run('check', url, ...flags);
  expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
  const { coverage, minCoverage, requirements } = readResults('r.json');
  expect(minCoverage).toBe(100);
  expect(coverage.operations.map(({ name }) => name.split(' ')[1])).toEqual(Array(5).fill('brand'));
  expect(requirements.find(({ id }) => id === 'read-only-model')).toMatchObject({ why: 'not selected' });
  // Each write is to the selected model.
  const written = asked.filter(({ method }) => method !== 'GET').map(({ path }) => path.split('/')[3]);
  expect(new Set(written)).toEqual(new Set(['brand']));
});

test('check runs only the selected cases, shows their exchanges, and names the other cases', async () => {
  const { asked, url } = await startService({ defect: 'absent.put-works:brand' });
  const two = ['absent.patch:brand', 'operations.list:brand'].flatMap((id) => ['--case', id]);
  const { code, stderr, stdout } = await run('check', url, ...WITH_DEFAULTS, ...two);
  expect({ code, stderr }).toMatchObject(
    endWith(
      0,
      /^Running 2 cases on 1 model at \S+\nA case can pass alone .* run those too: --models brand\n$/,
    ),
  );
  expect(stdout).toMatch(/^2 pass · 0 fail/m);
  expect(stdout).toMatch(/== exchange 1\ncurl -i /);
  expect(stdout).toMatch(/> PATCH http:\S+\/api\/model\/brand\/\d+\n(> .*\n)+< 405\n(< .*\n)+/);
  // On a record, on an id that none has, and on all.
  expect(asked.filter(({ method }) => method === 'PATCH')).toHaveLength(3);
});

test('check writes a baseline that excuses failures until a date', async () => {
  const { url } = await startService({ defect: 'absent.put-works:brand' });
  const some = [...WITH_DEFAULTS, '--models', 'brand', '--rule', 'absent'];
  const inCi = { GITHUB_ACTIONS: 'true' };
  const first = await runWith(inCi, 'check', url, ...some, '--write-baseline', 'known.yaml');
  expect(first).toMatchObject({ code: 1, stdout: expect.stringMatching(/^::error .*absent\.put/m) });
  expect(await run('check', url, ...some, '--baseline', 'known.yaml')).toMatchObject(
    endWith(2, /known\.yaml:3: The reason for absent\.put:brand is empty\./),
  );
  const known = read('known.yaml').replace('""', 'the old gateway');
  directory.write('known.yaml', known);
  const renew = ['--baseline', 'known.yaml', '--write-baseline', 'known.yaml', '--details'];
  const again = await run('check', url, ...some, ...renew);
  expect(again).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^CONFORMANT WITH 1 KNOWN FAILURE$/m),
  });
  expect(again.stdout).toMatch(/Excused[\s\S]*absent\.put:brand: known until \d{4}-/);
  // A case that still fails keeps its reason and its day.
  expect(parse(read('known.yaml'))).toEqual(parse(known));
});

test('the printed command reproduces a failure that needs other cases', async () => {
  const { url } = await startService({ defect: 'kept.alters-edge:bookingDrawItem.rejections=0' });
  const args = [...WITH_DEFAULTS, '--explore', '0'];
  const { stdout } = await run('check', url, ...args, '--models', 'bookingDrawItem');
  const [, cases = ''] = /see it again: record-model check .*?( --case .*)$/m.exec(stdout) ?? [];
  const ids = [...cases.matchAll(/ --case (\S+)/g)].map(([, id = '']) => id);
  expect(ids).toHaveLength(2);
  const again = await run('check', url, ...args, ...cases.trim().split(' '), '--har', 'r.har');
  const [, id] = ids;
  expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining(`\nFAIL ${id}`) });
  const { log } = JSON.parse(read('r.har'));
  expect(log.pages.map((page: { id: string }) => page.id)).toContain(id);
  expect(log.entries.length).toBeGreaterThan(0);
});
