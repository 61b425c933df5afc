import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

  test('of one case shows the whole body, and only as text', async () => {
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
});

describe('another catalogue', () => {
  test('has the requirements of the file next to it', async () => {
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
});
