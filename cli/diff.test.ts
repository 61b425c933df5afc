import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useCommand } from '../testing/use-command.ts';

const { directory, run } = useCommand();
const SPEC = join(import.meta.dirname, '../spec');

test('says what changed between catalogues, and fails on what breaks clients', async () => {
  for (const name of ['catalogue', 'references.yaml'])
    cpSync(join(SPEC, name), directory.path(name), { recursive: true });
  const stock = directory.path('catalogue/stock.yaml');
  const text = readFileSync(stock, 'utf8');
  writeFileSync(stock, text.replace(/^( *brand:[\s\S]*?name: string) req/m, '$1'));
  expect(readFileSync(stock, 'utf8')).not.toBe(text);
  const said = {
    stdout:
      'breaking  Brand (response)/name: type string → string or null\n' +
      'change    BrandCreate (request)/name: is optional now\n' +
      'change    BrandCreate (request)/name: type string → string or null\n' +
      'change    BrandUpdate (request)/name: type string → string or null\n' +
      'change    BrandCreate (request)/name: minLength 1 → none\n' +
      'change    BrandUpdate (request)/name: minLength 1 → none\n',
    stderr: '6 changes, 1 breaking\n',
  };
  const words = ['diff', join(SPEC, 'catalogue'), 'catalogue'];
  expect(await run(...words)).toEqual({ code: 0, ...said });
  expect(await run('diff', 'catalogue', join(SPEC, 'openapi.yaml'), '--fail-on', 'breaking')).toMatchObject({
    code: 1,
    stderr: '6 changes, 5 breaking\n',
  });
});

test('between profiles shows the settings, and their consequences with --verbose', async () => {
  const [old, fresh] = [
    directory.write('old.yaml', '{}\n'),
    directory.write('new.yaml', 'status.created: 200\n'),
  ];
  const brief = await run('diff', old, fresh);
  expect(brief).toEqual({
    code: 0,
    stdout: 'setting   status.created: 201 → 200\n',
    stderr: expect.stringMatching(
      /^1 setting changed, which causes \d+ changes in the document \(\d+ breaking\)\. Pass --verbose/,
    ),
  });
  const { stdout, stderr } = await run('diff', old, fresh, '--verbose');
  expect(stdout).toMatch(/^breaking {2}createBrand 201: is no longer returned$/m);
  // Each change is one line.
  const [, changes] = /causes (\d+) changes/.exec(stderr) ?? [];
  expect(stdout.trim().split('\n')).toHaveLength(Number(changes) + 1);
  expect(await run('diff', old, old, '--fail-on', 'any')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No changes\n',
  });
  expect((await run('diff', old, fresh, '--fail-on', 'any')).code).toBe(1);
});
