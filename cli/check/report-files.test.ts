import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onlyBuilt } from '../../testing/partial-service.ts';
import { endWith, useCommand, WITH_DEFAULTS } from '../../testing/use-command.ts';

const { directory, read, readResults, run, startService } = useCommand();

/** Under the default profile, so that nothing is learned. */
function check(url: string, ...args: readonly string[]) {
  return run('check', url, ...WITH_DEFAULTS, ...args);
}

const FEW = ['--models', 'brand', '--rule', 'absent'];
const KNOWN = '- { case: absent.put:brand, reason: the old gateway, until: 2999-12-31 }\n';

test('if the target is lost during a run, check writes its reports and the list of leftovers', async () => {
  const { url } = await startService({}, ({ method, path }, index, { close }) => {
    if (index > 400 && method === 'POST' && path.endsWith('/voucher')) close();
    return undefined;
  });
  directory.write('known.yaml', KNOWN);
  const reports = ['--json', 'r.json', '--junit', 'r.xml', '--write-baseline', 'known.yaml'];
  const { code, stderr, stdout } = await check(url, '--models', 'voucher,brand,share', ...reports);
  expect({ code, stderr }).toMatchObject(endWith(3, /The service can't be reached: .*nothing listens there/));
  const { cases, leftovers, lost, planned } = readResults('r.json');
  expect(lost).toMatch(/nothing listens there/);
  expect(cases.length).toBeGreaterThan(10);
  expect(cases.length).toBeLessThan(planned);
  expect(stdout).toMatch(/^INCONCLUSIVE\nended early after \d+ of \d+ cases: the target/m);
  // They can hold what the service returned.
  for (const name of ['r.json', 'r.xml', 'record-model-leftovers.json'])
    expect(statSync(directory.path(name)).mode & 0o777).toBe(0o600);
  expect(read('r.xml')).toContain('message="ended early');
  expect(leftovers.length).toBeGreaterThan(0);
  expect(JSON.parse(read('record-model-leftovers.json'))).toEqual({ target: url, leftovers });
  expect(stderr).toMatch(/^\d+ records not removed: see record-model-leftovers\.json$/m);
  // A baseline of a part would lose what was not tried.
  expect(stderr).toMatch(/^No baseline was written to known\.yaml, because the run ended early after /m);
  expect(read('known.yaml')).toBe(KNOWN);
});

test('if the target is lost before the first case, check writes no reports', async () => {
  const { url } = await startService({}, () => new Error('gone'));
  const { code, stdout } = await check(url, ...FEW, '--json', 'r.json');
  expect([code, stdout, existsSync(directory.path('r.json'))]).toEqual([3, '', false]);
});

test("if a report can't be written after the run, check still writes the others, and exits with 3", async () => {
  const { url } = await startService({}, ({ method }) => {
    // In the middle of the run something takes the place of the file.
    if (method === 'PUT') mkdirSync(directory.path('r.json'), { recursive: true });
    return undefined;
  });
  const { code, stderr, stdout } = await check(url, ...FEW, '--json', 'r.json', '--junit', 'r.xml');
  expect(stdout).toMatch(/^CONFORMANT$/m);
  expect(read('r.xml')).toContain('<testsuites');
  expect({ code, stderr }).toMatchObject(
    endWith(3, /^record-model: r\.json can't be written because it is a directory\.$/m),
  );
});

test('the output of one case shows the complete body, with control characters escaped', async () => {
  const long = 'x'.repeat(9000);
  const body = `oops\n::error title=pwn::injected\n##[error]x \u001b[2J\n${long}`;
  const { url } = await startService({}, ({ method }) =>
    method === 'PUT' ? { status: 200, headers: { 'content-type': 'text/plain' }, body } : undefined,
  );
  const { code, stdout } = await check(url, '--case', 'absent.put:brand');
  expect(code).toBe(1);
  expect(stdout).toContain(
    `\n< oops\n< \\u003a:error title=pwn::injected\n< #\\u0023[error]x \\u001b[2J\n< ${long}\n`,
  );
  expect(stdout).not.toMatch(/^\s*::|##\[/m);
  expect(stdout).not.toContain('\u001b');
});

test('with another catalogue, check uses the requirements.yaml next to it', async () => {
  const { url } = await startService();
  cpSync(join(import.meta.dirname, '../../spec/catalogue'), directory.path('own/catalogue'), {
    recursive: true,
  });
  const args = ['--catalogue', 'own/catalogue', ...FEW, '--json', 'results.json'];
  directory.write(
    'own/requirements.yaml',
    "no-put: { section: '1', says: PUT does nothing., rules: [absent.put] }\n",
  );
  await check(url, ...args);
  expect(readResults('results.json').requirements).toEqual([
    { id: 'no-put', section: '1', says: 'PUT does nothing.', state: 'held' },
  ]);
});

test('a baseline lists models that are not built, and check reports those that are built or new', async () => {
  const built = ['share', 'brand'];
  const { url } = await startService({}, (asked) => onlyBuilt(built)(asked));
  const some = ['--models', 'brand,locker,share', '--rule', 'operations', '--json', 'r.json'];
  const baseline = ['--baseline', 'known.yaml'];
  expect(await check(url, ...some, '--write-baseline', 'known.yaml')).toMatchObject({ code: 1 });
  expect(read('known.yaml')).toMatch(/^# Known failures, and models .*\n- notBuilt: locker\n$/);
  const files = ['--html', 'r.html', '--markdown', 'r.md', '--junit', 'r.xml'];
  const line = /^2 MODELS CONFORMANT, 1 not built\nnot built, so not judged .*: locker$/m;
  expect(await check(url, ...some, ...baseline, ...files)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(line),
  });
  expect(readResults('r.json')).toMatchObject({ notBuilt: ['locker'], newNotBuilt: [], staleBaseline: [] });
  expect(read('r.html')).toContain('"notBuilt":["locker"]');
  for (const name of ['r.md', 'r.xml']) expect(read(name)).toMatch(/not built, .*: locker/);

  built.splice(0, 1, 'locker');
  const changed = await check(url, ...some, ...baseline);
  expect(changed).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^not built, and not in the baseline: share\. /m),
  });
  expect(changed.stdout).toMatch(/^Stale baseline entries \(.*models are built.*\)\n {2}locker$/m);
  expect(readResults('r.json')).toMatchObject({ newNotBuilt: ['share'], staleBaseline: ['locker'] });
  // The renewed baseline keeps a model that was not selected.
  directory.write('known.yaml', `${read('known.yaml')}- notBuilt: warehouse\n`);
  await check(url, ...some, ...baseline, '--write-baseline', 'known.yaml');
  expect(read('known.yaml')).toMatch(/\n- notBuilt: share\n- notBuilt: warehouse\n$/);
});

const manifest = () => JSON.parse(read('left.json'));

test('if the target is lost while learning, check lists the records that learning left', async () => {
  let made = 0;
  const { url } = await startService({}, ({ method }, _, { close }) => {
    if (method === 'POST' && ++made === 6) close();
    return undefined;
  });
  const { code, stderr, stdout } = await run('check', url, ...FEW, '--manifest', 'left.json');
  expect({ code, stdout, stderr }).toMatchObject({
    ...endWith(3, /^record-model: The service can't be reached: .*nothing listens there/m),
    stdout: '',
  });
  const { leftovers, target } = manifest();
  expect(target).toBe(url);
  expect(leftovers).toContainEqual(expect.stringMatching(/^\w+\/\d+$/));
  expect(stderr).toContain(`${leftovers.length} records not removed: see left.json\n`);
  expect(stderr).toContain(`; not removed: ${leftovers.join(', ')}\n`);
});

// Only the learned profile shows that no case has this detail: there is no run then.
const NO_CASE = 'required.on-create:brand.name=nothing';

test.each([
  ['together with those of the run', ['--models', 'brand', '--rule', 'create'], 0],
  ['even if the run does not start', ['--case', NO_CASE], 2],
])('check lists the records that learning left %s', async (_, selection, expected) => {
  const { url } = await startService({}, ({ method }) => (method === 'DELETE' ? { status: 403 } : undefined));
  const { code, stderr } = await run('check', url, ...selection, '--manifest', 'left.json');
  expect(code).toBe(expected);
  const { leftovers, target } = manifest();
  expect(stderr).toMatch(/^\d+ records not removed: see left\.json$/m);
  const brands = (await (await fetch(`${url}/api/model/brand?limit=100`)).json()) as { id: number }[];
  expect(target).toBe(url);
  expect(leftovers).toEqual(expect.arrayContaining([...brands.map(({ id }) => `brand/${id}`), 'locker/1']));
  expect(new Set(leftovers).size).toBe(leftovers.length);
});
