import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useDirectory } from '../temporary-directory.ts';
import { findBreaches, readRules } from './import-rules.ts';

const rules = readRules();
const directory = useDirectory();

/** Every way to import values. One name with `type` still loads the module. */
const OF_VALUES = [
  "import { x } from 'TO';",
  "import { type X } from 'TO';",
  "import 'TO';",
  "export { x } from 'TO';",
  "export * from 'TO';",
  "export const x = await import('TO');",
];
/** Every way to import only types. */
const OF_TYPES = [
  "import type { X } from 'TO';",
  "export type { X } from 'TO';",
  "export type X = import('TO').X;",
];

const PARTS = ['spec', 'fixtures', 'generator', 'mock', 'conformance', 'cli', 'web', 'testing', 'bench'];

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

test.each(Object.entries(rules.rooms))(
  'a room %s is closed, but open to itself and its sub-rooms, and shows its door and what is listed',
  (room, shown) => {
    const outside = room.startsWith('testing') ? 'bench/planted.ts' : 'testing/planted.ts';
    expect(breachesOf(outside, `${room}/inner.ts`)).toContain(`is inside the room ${room};`);
    for (const inside of [`${room}/planted.ts`, `${room}/sub/planted.ts`, `${room}/planted.test.ts`])
      expect(breachesOf(inside, `${room}/inner.ts`)).toBe('');
    for (const name of [room.split('/').at(-1), ...shown])
      expect(breachesOf(outside, `${room}/${name}.ts`)).not.toContain(`the room ${room};`);
  },
);

test.each([
  ['mock/planted.ts', 'mock/control/docs/docs.ts', 'is inside the room mock/control;'],
  ['web/report/planted.tsx', 'web/ui/inner.tsx', 'is inside the room web/ui;'],
  ['mock/planted.ts', 'cli.ts', 'nothing of cli there'],
  ['testing/planted.ts', 'mock/mock.test.ts', 'expected none to be imported'],
])('a room is closed to %s, which imports %s', (from, to, breach) => {
  expect(breachesOf(from, to)).toContain(breach);
});

test.each([
  ['mock/control/planted.ts', 'mock/control/docs/docs.ts'],
  ['web/report/planted.tsx', 'web/ui/json.tsx'],
])('a room is open to %s, which imports %s', (from, to) => {
  expect(breachesOf(from, to)).toBe('');
});

test.each([...OF_VALUES, ...OF_TYPES])('every way to import counts: %s', (form) => {
  expect(breachesOf('testing/planted.ts', 'mock/inner.ts', form)).toContain('is inside the room mock;');
});

describe.each(Object.entries(rules.parts))('the part %s', (from, allowed) => {
  const ofTypes = rules.types[from] ?? [];

  test('imports nothing of the other parts, except in tests', () => {
    for (const to of PARTS.filter((part) => ![from, ...allowed, ...ofTypes].includes(part))) {
      expect(breachesOf(`${from}/planted.ts`, `${to}/${to}.ts`)).toContain(`nothing of ${to} there`);
      expect(breachesOf(`${from}/planted.test.ts`, `${to}/${to}.ts`)).toBe('');
    }
    for (const to of ofTypes) {
      for (const form of OF_VALUES)
        expect(breachesOf(`${from}/planted.tsx`, `${to}/${to}.ts`, form)).toContain(
          `only types of ${to} there`,
        );
      for (const form of OF_TYPES) expect(breachesOf(`${from}/planted.tsx`, `${to}/${to}.ts`, form)).toBe('');
    }
  });
});

test.each(Object.entries(rules.packages))('%s is imported in its rooms only', (name, rooms) => {
  const text = `import type { X } from '${name}${name.endsWith('/') ? 'types' : ''}';`;
  const at = (path: string) => findBreaches(new Map([[path, text]]), rules).join('\n');
  expect(at('mock/planted.ts')).toContain('mock/planted.ts imports');
  for (const room of rooms) expect(at(`${room}/planted.ts`)).not.toContain('planted.ts imports');
});

test('breaches of the whole are named: a part over its budget, a circle of folders, and a list that is not current', () => {
  const files = new Map([
    ['spec/one.ts', 'a\nb\n'],
    ['spec/one.test.ts', 'a\n'],
    ['conformance/one/one.ts', "import '../two/two.ts';"],
    ['conformance/two/two.ts', "import type { One } from '../one/one.ts';"],
    ['conformance/two/two.test.ts', "import '../three/three.ts';"],
    ['conformance/three/three.ts', "import '../two/two.ts';"],
    ['mock/clock.ts', ''],
    ['mock/new/new.ts', ''],
  ]);
  const folders = ['spec', 'conformance/one', 'conformance/two', 'conformance/three'];
  const rooms = {
    ...Object.fromEntries(folders.map((name) => [name, []])),
    'mock/gone': [],
    mock: ['clock'],
  };
  expect(findBreaches(files, { ...rules, rooms, lines: { spec: 1 } })).toEqual([
    'mock/new is no room of the list; expected it in import-rules.yaml',
    'import-rules.yaml lists the room mock/gone; expected a folder with code',
    'import-rules.yaml shows mock/clock.ts, which nobody outside imports; remove it',
    'conformance/one/one.ts imports conformance/two/two.ts; expected no circle of conformance/one and conformance/two',
    'conformance/two/two.ts imports conformance/one/one.ts; expected no circle of conformance/two and conformance/one',
    'spec has 2 lines; expected at most 1: delete some before you add more',
  ]);
  expect(findBreaches(files, { ...rules, rooms, lines: { spec: 2 } })).toHaveLength(5);
});

test('each rule of biome.json fails where it is broken, and nowhere else', () => {
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
  const files = new Map([
    [to, ''],
    [from, form.replace('TO', `./${up}/${to}`)],
  ]);
  return findBreaches(files, rules)
    .filter((line) => line.startsWith(`${from} imports`))
    .join('\n');
}

/** The part of a diagnostic of Biome that is read here. */
type Diagnostic = {
  readonly category: string;
  readonly location: { readonly path: string | { readonly file: string } };
};
