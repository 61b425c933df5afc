import { expect, test } from 'vitest';
import { EXPORT_NAMES } from '../generator/export/entities.ts';
import { useCommand } from '../testing/use-command.ts';

const { directory, run } = useCommand();

const VERBS = [
  [],
  ['mock'],
  ['check'],
  ['compare'],
  ['learn'],
  ['capture'],
  ['clean'],
  ['init'],
  ['generate'],
  ['export'],
  ...EXPORT_NAMES.map((name) => ['export', name]),
  ['diff'],
  ['dump'],
  ['load'],
];

/** Prints a command with its output and exit code, as in a terminal. */
async function session(args: readonly string[]): Promise<string> {
  const { code, stderr, stdout } = await run(...args);
  const command = [
    'record-model',
    ...args.map((arg) => (/[^\w./:=,-]/.test(arg) || arg === '' ? `'${arg}'` : arg)),
  ];
  return `$ ${command.join(' ')}\n${stdout}${stderr}${code === 0 ? '' : `[exit code ${code}]\n`}`;
}

/** Runs commands one after the other, because each changes the working directory of the process. */
async function sessions(commands: readonly (readonly string[])[]): Promise<string> {
  const printed: string[] = [];
  for (const command of commands) printed.push(await session(command));
  return printed.join('\n').replaceAll(directory.path(), '/directory');
}

test('help.txt has the help of each verb', async () => {
  const text = await sessions(VERBS.map((verb) => [...verb, '--help']));
  await expect(text).toMatchFileSnapshot('help.txt');
  // The list of verbs above is complete.
  const verbs = [...text.slice(0, text.indexOf('Examples:')).matchAll(/^ {2}([a-z]+) {2}/gm)].map(
    ([, verb]) => verb,
  );
  expect(verbs.toSorted()).toEqual([...new Set(VERBS.flatMap(([verb]) => verb ?? []))].toSorted());
});

test('no option text starts with an article, a question word, or a capital letter', async () => {
  for (const verb of VERBS) {
    const { stdout } = await run(...verb, '--help');
    expect(stdout).not.toMatch(
      /^ {2}(-\w, )?--\S+( <[^>]+>)? +(a|an|the|what|where|how|who|which|when|[A-Z])\b/m,
    );
  }
});

test('errors.txt has the common mistakes on the command line', async () => {
  const url = 'http://127.0.0.1:1';
  directory.write('empty.yaml', '{}\n');
  directory.write('two-mistakes.yaml', 'delete.efect: remove\nstatus.created: 404\n');
  directory.write('swagger.yaml', 'swagger: "2.0"\n');
  directory.write('broken.yaml', 'a: [\n');
  directory.write('fixtures.yaml', 'brnd:\n  - { id: 1 }\n');
  directory.write(
    'config.yaml',
    'write: true\nbearer: s3cret\nrate: 5\nlimits: { rate: 0 }\nmodels: [brnd]\n',
  );
  directory.write('targets.yaml', `targets: { staging: { url: ${url}, bearer: "\${STAGING_TOKEN}" } }\n`);
  directory.write('notes.db', 'not a database\n');
  const text = await sessions([
    ['chekc'],
    ['mock', '--prt', '4010'],
    ['mock', '--port', '70000'],
    ['mock', '--port'],
    ['mock', '--log', 'yes'],
    ['mock', 'demo'],
    ['mock', '--port', '0', '--port', '1'],
    ['mock', '--fixtures', 'missing.yaml'],
    ['mock', '--fixtures', 'fixtures.yaml'],
    ['mock', '--profile', 'two-mistakes.yaml'],
    ['mock', '--records', 'customer'],
    ['mock', '--records', 'custommer=3'],
    ['mock', '--records', '2000000'],
    ['mock', '--now', 'yesterday'],
    ['mock', '--watch', '--data', 'mock.db'],
    ['mock', '--data-sync', 'full'],
    ['mock', '--data', 'notes.db'],
    ['mock', '--data', 'none/mock.db'],
    ['mock', '--defect', 'delete.nothin'],
    ['check'],
    ['check', 'localhost:4010'],
    ['check', 'http://me:secret@127.0.0.1'],
    ['check', 'http://192.0.2.1'],
    ['check', url],
    ['check', url, '--read-only', '--write'],
    ['check', url, '--models', 'brnd'],
    ['check', url, '--models', 'nothing'],
    ['check', url, '--area', 'Stok'],
    ['check', url, '--rule', 'create.keep-field'],
    ['check', url, '--level', 'state'],
    ['check', url, '--case', 'nope'],
    ['check', url, '--case', 'operations.list:brnd'],
    ['check', url, '--pin', 'brand.nam=1'],
    ['check', url, '--tag', '?'],
    ['check', url, '--html', '-'],
    ['check', url, '--html', 'r.html', '--json', 'r.html'],
    ['check', url, '--html', 'none/r.html'],
    ['check', url, '--bearer', 'a', '--basic', 'me:secret'],
    ['check', url, '--header', 'Accept'],
    ['check', url, '--baseline', 'missing.yaml'],
    ['check', url, '--bindings', 'broken.yaml'],
    ['check', url, '--profile', 'missing.yaml'],
    ['check', url, '--catalogue', 'missing'],
    ['check', url, '--fail-fast', '--write-baseline', 'known.yaml'],
    ['check', 'staging'],
    ['check', '--config', 'missing.yaml'],
    ['check', '--config', 'config.yaml'],
    ['check', 'stage', '--config', 'targets.yaml'],
    ['check', 'staging', '--config', 'targets.yaml'],
    ['init', 'localhost'],
    ['learn', url, '-o', 'none/profile.yaml'],
    ['clean', 'missing.jsonl'],
    ['clean', 'broken.yaml'],
    ['generate', '-o', 'document.txt'],
    ['generate', '-o', 'document.d.ts'],
    ['generate', '--format', 'yaml', '-o', 'document.json'],
    ['generate', '--check', '-o', 'missing.yaml'],
    ['generate', '--check', '--models', 'brand'],
    ['generate', '--models', 'brnd'],
    ['generate', '--server', 'example'],
    ['export'],
    ['export', 'type'],
    ['export', 'schemas'],
    ['export', 'schemas', '-o', 'schemas.json'],
    ['export', 'types', '-o', 'types.foo'],
    ['export', 'diagram', '-o', 'models.png'],
    ['diff', 'empty.yaml'],
    ['diff', 'missing.yaml', 'empty.yaml'],
    ['diff', 'swagger.yaml', 'empty.yaml'],
    ['compare', 'missing.json', 'empty.yaml'],
    ['compare', 'empty.yaml', 'empty.yaml'],
    ['dump', 'missing.db'],
    ['dump', 'notes.db', '-o', 'club.csv'],
    ['load', 'mock.db'],
  ]);
  await expect(text).toMatchFileSnapshot('errors.txt');
  // Each is a usage error, except a service that does not respond.
  expect(new Set(text.match(/^\[exit code .*$/gm))).toEqual(new Set(['[exit code 2]', '[exit code 3]']));
  expect(text.match(/^\$ /gm)).toHaveLength(text.match(/^\[exit code /gm)?.length ?? 0);
  expect(text).not.toContain('    at ');
  expect(text.replaceAll(/^\$ .*/gm, '')).not.toContain('secret');
});
