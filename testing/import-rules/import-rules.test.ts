import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { useDirectory } from '../temporary-directory.ts';
import { findBreaches, readRules } from './import-rules.ts';

const rules = readRules();
const directory = useDirectory();

/** Every way to import: first values, where one name with `type` still loads the module, then only types. */
const OF_VALUES = [
  "import { x } from 'TO';",
  "import { type X } from 'TO';",
  "import 'TO';",
  "export { x } from 'TO';",
  "export * from 'TO';",
  "export const x = await import('TO');",
];
const OF_TYPES = [
  "import type { X } from 'TO';",
  "export type { X } from 'TO';",
  "export type X = import('TO').X;",
];

const ROOT = join(import.meta.dirname, '../..');
const PLUGIN = 'testing/import-rules/no-process-exit.grit';

/** Code that breaks a rule of Biome, or its plugin, and code that breaks none. */
const PLANTED: readonly (readonly [path: string, code: string, rule?: string])[] = [
  ['spec/exits.ts', 'process.exit(1);', 'plugin'],
  ['generator/env.ts', 'export const { PORT } = process.env;', 'noProcessEnv'],
  ['conformance/prints.ts', "console.log('x');", 'noConsole'],
  ['spec/one.ts', "import type { Two } from './two.ts';\nexport type One = Two;", 'noImportCycles'],
  ['spec/two.ts', "import type { One } from './one.ts';\nexport type Two = One;", 'noImportCycles'],
  ['conformance/right.ts', "export const words = 'process.exit(1)';"],
  ['conformance/right.test.ts', 'export const x = process.env;'],
  ['cli/right.ts', 'process.exitCode = process.env.X ? 1 : 2;'],
];

test.each([
  ['testing/planted.ts', 'mock/inner.ts', 'is inside the folder mock;'],
  ['mock/planted.ts', 'mock/control/docs/docs.ts', 'is inside the folder mock/control;'],
  ['bench/planted.ts', 'testing/services/inner.ts', 'is inside the folder testing/services;'],
  ['web/report/planted.tsx', 'web/ui/inner.tsx', 'is inside the folder web/ui;'],
  ['testing/planted.ts', 'mock/mock.test.ts', 'expected none to be imported'],
  ['mock/planted.ts', 'cli.ts', 'nothing of cli there'],
  ['spec/planted.ts', 'mock/mock.ts', 'nothing of mock there'],
  ['conformance/planted.ts', 'mock/mock.ts', 'nothing of mock there'],
  ['cli/planted.ts', 'testing/demo.ts', 'nothing of testing there'],
  ['mock/planted.ts', '@stoplight/types', 'expected it in mock/prism only'],
  ['mock/planted.ts', 'undici', 'expected it in conformance/target and mock/forwarding only'],
])("%s can't import %s", (from, to, breach) => {
  expect(breachesOf(from, to)).toContain(breach);
});

test.each([
  ['mock/planted.ts', 'mock/inner.ts'],
  ['mock/control/planted.ts', 'mock/control/docs/docs.ts'],
  ['mock/planted.test.ts', 'mock/inner.ts'],
  ['testing/planted.ts', 'mock/mock.ts'],
  ['bench/planted.ts', 'testing/services/defects/defects.ts'],
  ['web/report/planted.tsx', 'web/ui/json.tsx'],
  ['conformance/planted.test.ts', 'mock/mock.ts'],
  ['mock/prism/planted.ts', '@stoplight/types'],
])('%s can import %s', (from, to) => {
  expect(breachesOf(from, to)).toBe('');
});

test.each([...OF_VALUES, ...OF_TYPES])('each form of import is checked: %s', (form) => {
  expect(breachesOf('testing/planted.ts', 'mock/inner.ts', form)).toContain('is inside the folder mock;');
  const ofTypes = OF_TYPES.includes(form) ? '' : expect.stringContaining('only types of mock there');
  expect(breachesOf('web/planted.tsx', 'mock/mock.ts', form)).toEqual(ofTypes);
});

test('too many lines, circular folders, an outdated list, and a repeated type are reported', () => {
  const files = new Map([
    ['spec/one.ts', 'a\nb\n'],
    ['spec/one.test.ts', 'a\n'],
    ['conformance/one/one.ts', "import '../two/two.ts';\nexport type One = 1;"],
    ['conformance/two/two.ts', "import type { One } from '../one/one.ts';"],
    ['conformance/two/two.test.ts', "import '../three/three.ts';"],
    ['conformance/three/three.ts', "import '../two/two.ts';"],
    ['mock/clock.ts', ''],
    ['mock/new/new.ts', 'export type One = 1;'],
  ]);
  const names = ['spec', 'conformance/one', 'conformance/two', 'conformance/three'];
  const folders = {
    ...Object.fromEntries(names.map((name) => [name, []])),
    'mock/gone': [],
    mock: ['clock'],
  };
  expect(findBreaches(files, { ...rules, folders, lines: { spec: 1 } })).toEqual([
    'mock/new is not in the list; expected it in import-rules.yaml',
    'import-rules.yaml lists mock/gone; expected a folder with code',
    'import-rules.yaml shows mock/clock.ts, which nobody outside imports; remove it',
    'conformance/one/one.ts imports conformance/two/two.ts; expected no circle of conformance/one and conformance/two',
    'conformance/two/two.ts imports conformance/one/one.ts; expected no circle of conformance/two and conformance/one',
    'spec has 2 lines; expected at most 1: delete some before you add more',
    'conformance/one/one.ts and mock/new/new.ts export a type One; expected one with this name',
  ]);
  expect(findBreaches(files, { ...rules, folders, lines: { spec: 2 } })).toHaveLength(6);
});

test('each rule in biome.json reports only code that breaks it', () => {
  const config = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  const plant = (path: string, text: string) => {
    mkdirSync(dirname(directory.path(path)), { recursive: true });
    directory.write(path, text);
  };
  plant('biome.json', JSON.stringify({ ...config, vcs: { enabled: false } }));
  plant(PLUGIN, readFileSync(join(ROOT, PLUGIN), 'utf8'));
  cpSync(join(ROOT, 'package.json'), directory.path('package.json'));
  for (const [path, code] of PLANTED) plant(path, `${code}\n`);
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const lint = [biome, 'lint', '--reporter=json', '--max-diagnostics=none'];
  const { stdout } = spawnSync(process.execPath, lint, { cwd: directory.path(), encoding: 'utf8' });
  const found = (JSON.parse(stdout).diagnostics as Diagnostic[]).map(({ category, location: { path } }) =>
    [typeof path === 'string' ? path : path.file, category.split('/').at(-1)].join(': '),
  );
  const ours = new Set(PLANTED.map(([, , rule]) => rule));
  const expected = PLANTED.flatMap(([path, , rule]) => (rule === undefined ? [] : [`${path}: ${rule}`]));
  const own = found.filter((line) => ours.has(line.split(': ')[1]));
  expect([...new Set(own)].toSorted()).toEqual(expected.toSorted());
});

/** Returns the errors of a file with an import. */
function breachesOf(from: string, to: string, form = "import 'TO';"): string {
  const up = from.replace(/[^/]+/g, '..').slice(3);
  const isFile = to.includes('.');
  const files = new Map([[from, form.replace('TO', isFile ? `./${up}/${to}` : to)]]);
  if (isFile) files.set(to, '');
  return findBreaches(files, rules)
    .filter((line) => line.startsWith(`${from} imports`))
    .join('\n');
}

/** The part of a diagnostic of Biome that is read here. */
type Diagnostic = {
  readonly category: string;
  readonly location: { readonly path: string | { readonly file: string } };
};
