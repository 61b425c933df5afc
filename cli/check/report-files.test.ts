import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { useCommand } from '../../testing/use-command.ts';

const { directory, read, readResults, run, startService } = useCommand();

/** Under the default profile, so that nothing is learned. */
function check(url: string, ...args: readonly string[]) {
  return run('check', url, '--profile', 'default.yaml', ...args);
}

const FEW = ['--models', 'brand', '--rule', 'absent'];
const KNOWN = '- { case: absent.put:brand, reason: the old gateway, until: 2999-12-31 }\n';

describe('a target that is lost in the middle', () => {
  test('leaves its reports and the whole list of what is left, and exits with 3', async () => {
    const { url } = await startService({}, ({ method, path }, index, close) => {
      if (index > 400 && method === 'POST' && path.endsWith('/voucher')) close();
      return undefined;
    });
    directory.write('known.yaml', KNOWN);
    const reports = ['--json', 'r.json', '--junit', 'r.xml', '--write-baseline', 'known.yaml'];
    const { code, stderr, stdout } = await check(url, '--models', 'voucher,brand,share', ...reports);
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/The service can't be reached: .*nothing listens there/),
    });
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
    expect(stderr).toMatch(/^\d+ records could not be removed: see record-model-leftovers\.json$/m);
    // A baseline of a part would lose what was not tried.
    expect(stderr).toMatch(/^No baseline was written to known\.yaml, because the run ended early after /m);
    expect(read('known.yaml')).toBe(KNOWN);
  });

  test('before anything was tried leaves no reports', async () => {
    const { url } = await startService({}, () => new Error('gone'));
    const { code, stdout } = await check(url, ...FEW, '--json', 'r.json');
    expect([code, stdout, existsSync(directory.path('r.json'))]).toEqual([3, '', false]);
  });
});

describe('a baseline', () => {
  test('is renewed in place: what still fails keeps its reason and its day', async () => {
    const { url } = await startService({ defect: 'absent.put-works:brand' });
    directory.write('known.yaml', KNOWN);
    const { code } = await check(url, ...FEW, '--baseline', 'known.yaml', '--write-baseline', 'known.yaml');
    expect(code).toBe(0);
    expect(parse(read('known.yaml'))).toEqual(parse(KNOWN));
  });

  test('that is expired is named, and counts again', async () => {
    const { url } = await startService({ defect: 'absent.put-works:brand' });
    directory.write('known.yaml', KNOWN.replace('2999', '2020'));
    const { code, stdout } = await check(url, ...FEW, '--baseline', 'known.yaml');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Expired baseline entries \(these failures count again\)\n {2}absent\.put:brand$/m,
    );
  });
});

describe('before the first request', () => {
  test('what is wrong in flags and files ends a check with 2', async () => {
    const { asked, url } = await startService();
    directory.write('typo.yaml', KNOWN.replace('put:brand', 'put:brnd'));
    directory.write('key.yaml', KNOWN.replace('reason', 'raeson'));
    mkdirSync(directory.path('there'));
    const tries: [string[], RegExp][] = [
      [['--json', 'there'], /there can't be written because it is a directory\. Name a file\.$/m],
      [
        ['--html', '-'],
        /--html can't write to standard output, which has the report for people\. Pass a file\./,
      ],
      [
        ['--junit', 'x'.repeat(300)],
        /x can't be written because its name is too long\. Choose another file for --junit\.$/m,
      ],
      [
        ['--json', 'out', '--junit', './out'],
        /--json and --junit have the same file \.\/out\. Pass a different file/,
      ],
      [['--manifest', 'there'], /there can't be written because it is a directory/],
      [
        ['--write-baseline', 'b.yaml', '--fail-fast'],
        /--write-baseline and --fail-fast can't be used together, because a baseline needs a complete run\./,
      ],
      [['--read-only', '--write'], /--read-only and --write can't be used together\. Remove one of them\./],
      [
        ['--baseline', 'typo.yaml'],
        /typo\.yaml:1: Unknown case "absent\.put:brnd"\. Did you mean "absent\.put:brand"\?/,
      ],
      [['--baseline', 'key.yaml'], /key\.yaml:1: Unknown key "raeson"\. Did you mean "reason"\?/],
    ];
    // The machine has memory for three at a time.
    for (let index = 0; index < tries.length; index += 3)
      await Promise.all(
        tries.slice(index, index + 3).map(async ([args, message]) =>
          expect({ args, ...(await check(url, ...args)) }).toMatchObject({
            code: 2,
            stdout: '',
            stderr: expect.stringMatching(message),
          }),
        ),
      );
    expect(asked).toEqual([]);
  });

  test('the field of a case is looked at too, where the profile is still to be learned', async () => {
    const { asked, url } = await startService();
    const typo = 'required.on-create:locker.nme';
    expect(await run('check', url, '--case', typo)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /Unknown case "\S+nme" in --case\. Did you mean "required\.on-create:locker\.name"\?/,
      ),
    });
    expect(asked).toEqual([]);
  });
});

describe('a report', () => {
  test('that can not be written after the run takes no other with it, and is not green', async () => {
    const { url } = await startService({}, ({ method }) => {
      // In the middle of the run something takes the place of the file.
      if (method === 'PUT') mkdirSync(directory.path('r.json'), { recursive: true });
      return undefined;
    });
    const { code, stderr, stdout } = await check(url, ...FEW, '--json', 'r.json', '--junit', 'r.xml');
    expect(stdout).toMatch(/^CONFORMANT$/m);
    expect(read('r.xml')).toContain('<testsuites');
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^record-model: r\.json can't be written because it is a directory\.$/m),
    });
  });

  test('of one case shows what came as text alone', async () => {
    const body = 'oops\n::error title=pwn::injected\n##[error]x \u001b[2J';
    const { url } = await startService({}, ({ method }) =>
      method === 'PUT' ? { status: 200, headers: { 'content-type': 'text/plain' }, body } : undefined,
    );
    const { code, stdout } = await check(url, '--case', 'absent.put:brand');
    expect(code).toBe(1);
    expect(stdout).toContain(
      '\n< oops\n< \\u003a:error title=pwn::injected\n< #\\u0023[error]x \\u001b[2J\n',
    );
    expect(stdout).not.toMatch(/^\s*::|##\[/m);
    expect(stdout).not.toContain('\u001b');
  });

  test('of a run that was wanted read-only gives no hint to write', async () => {
    const { url } = await startService();
    const { code, stderr, stdout } = await check(url, '--models', 'brand', '--read-only');
    expect(code).toBe(0);
    expect(stdout).toContain('read-only: the run sent only GET requests');
    expect(stdout + stderr).not.toContain('--write');
  });
});

describe("a catalogue of one's own", () => {
  test('has the statements beside it, and none of this API', async () => {
    const { url } = await startService();
    cpSync(join(import.meta.dirname, '../../spec/catalogue'), directory.path('own/catalogue'), {
      recursive: true,
    });
    const args = ['--catalogue', 'own/catalogue', ...FEW, '--json', 'results.json'];
    await check(url, ...args);
    expect(readResults('results.json').requirements).toEqual([]);
    directory.write(
      'own/requirements.yaml',
      "no-put: { section: '1', says: PUT does nothing., rules: [absent.put] }\n",
    );
    await check(url, ...args);
    expect(readResults('results.json').requirements).toEqual([
      { id: 'no-put', section: '1', says: 'PUT does nothing.', state: 'held' },
    ]);
  });
});
