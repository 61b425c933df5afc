import { expect, test } from 'vitest';
import { bareResults, sampleResults } from '../testing/sample-results.ts';
import { useCommand } from '../testing/use-command.ts';

const { directory, read, run, startMock } = useCommand();

function saved(name: string, results: object): string {
  return directory.write(name, JSON.stringify(results));
}

test('compare reports one fixed and one new cause after a service changed', async () => {
  const profile = directory.write('p.yaml', '{}\n');
  const check = async (defect: string, ...flags: string[]) => {
    const { url } = await startMock('--fixtures', 'none', '--defect', defect);
    const words = ['--profile', profile, '--models', 'brand', '--explore', '0'];
    return run('check', url, ...words, ...flags);
  };
  await check('update.ignores-field:brand.name', '--json', 'old.json');
  await check('create.drops-field:brand.name', '--json', 'new.json');
  const found = await run('compare', 'old.json', 'new.json', '--markdown', 'changes.md');
  expect(found).toMatchObject({ code: 1, stderr: '' });
  expect(found.stdout.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^\d new causes? \(\d cases?\) · 1 cause fixed \(1 case\)/),
    expect.stringMatching(/^0 of 1 models conform \(the same number as in old\.json of \d{4}-\d\d-\d\d\)$/),
  ]);
  expect(found.stdout).toMatch(
    /^New\n {2}brand\.name[\s\S]*^Fixed\n {2}brand\.name: the response to an update/m,
  );
  expect(found.stdout).toMatch(
    /see it again: record-model check http\S+ --profile \S+ --case \S+:brand\.name/,
  );
  expect(read('changes.md')).toMatch(/^\| fixed \| brand\.name: /m);
  const same = await run('compare', 'new.json', 'new.json');
  expect(same.code).toBe(0);
  expect(same.stdout).toMatch(/^nothing new · \d causes? still failing/);
});

test('compare writes Markdown to standard output', async () => {
  const [old, fresh] = [saved('a.json', bareResults()), saved('b.json', sampleResults())];
  const { code, stdout } = await run('compare', old, fresh, '--markdown', '-');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^## ❌ \d new cause/);
});

test('compare ignores unknown members of a file', async () => {
  const later = { ...bareResults(), rating: 5 };
  expect(await run('compare', saved('a.json', bareResults()), saved('b.json', later))).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^nothing new\n/),
  });
});
