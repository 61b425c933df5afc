import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findBreaches, readRules } from './import-rules.ts';

const rules = readRules();

type Form = (to: string) => string;

/** Every way to import values. One name with `type` still loads the module. */
const OF_VALUES: readonly Form[] = [
  (to) => `import { x } from '${to}';`,
  (to) => `import { type X } from '${to}';`,
  (to) => `import '${to}';`,
  (to) => `export { x } from '${to}';`,
  (to) => `export * from '${to}';`,
  (to) => `export const x = await import('${to}');`,
];
/** Every way to import only types. */
const OF_TYPES: readonly Form[] = [
  (to) => `import type { X } from '${to}';`,
  (to) => `export type { X } from '${to}';`,
  (to) => `export type X = import('${to}').X;`,
];
const FORMS = [...OF_VALUES, ...OF_TYPES];

const PARTS = ['spec', 'fixtures', 'generator', 'mock', 'conformance', 'cli', 'web', 'testing', 'bench'];
const DIRECTIONS = Object.entries(rules.parts).flatMap(([from, allowed]) =>
  PARTS.filter((to) => to !== from && ![...allowed, ...(rules.types[from] ?? [])].includes(to)).map(
    (to) => [from, to] as const,
  ),
);
const ONLY_TYPES = Object.entries(rules.types).flatMap(([from, allowed]) =>
  allowed.map((to) => [from, to] as const),
);

const ROOT = join(import.meta.dirname, '../..');
const PLUGIN = 'testing/import-rules/no-process-exit.grit';

const WRONG: readonly Planted[] = [
  ['spec/exits.ts', 'process.exit(1);', 'plugin'],
  ['generator/env.ts', 'export const { PORT } = process.env;', 'noProcessEnv'],
  ['conformance/prints.ts', "console.log('x');", 'noConsole'],
  ['spec/one.ts', "import type { Two } from './two.ts';\nexport type One = Two;", 'noImportCycles'],
  ['spec/two.ts', "import type { One } from './one.ts';\nexport type Two = One;", 'noImportCycles'],
];

const RIGHT: readonly (readonly [path: string, code: string])[] = [
  ['conformance/right.ts', "export const words = 'process.exit(1)';"],
  ['conformance/right.test.ts', 'export const x = process.env;'],
  ['cli/right.ts', 'process.exitCode = process.env.X ? 1 : 2;'],
];

const directory = mkdtempSync(join(tmpdir(), 'import-rules-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

describe.each(Object.entries(rules.rooms))('the room %s', (room, shown) => {
  const outside = room.startsWith('testing') ? 'bench/planted.ts' : 'testing/planted.ts';

  test('is closed, but open to itself and its sub-rooms, and shows its door and what is listed', () => {
    expect(breachesOf(outside, `${room}/inner.ts`)).toContain(`is inside the room ${room};`);
    for (const inside of [`${room}/planted.ts`, `${room}/sub/planted.ts`, `${room}/planted.test.ts`])
      expect(breachesOf(inside, `${room}/inner.ts`)).toBe('');
    for (const name of [room.split('/').at(-1), ...shown])
      expect(breachesOf(outside, `${room}/${name}.ts`)).not.toContain(`the room ${room};`);
  });
});

test.each(FORMS)('every way to import counts: %s', (form) => {
  expect(breachesOf('testing/planted.ts', 'mock/inner.ts', form)).toContain('is inside the room mock;');
});

test('the door of a sub-room is closed from outside the room around it', () => {
  const inner = 'mock/control/docs/docs.ts';
  expect(breachesOf('mock/planted.ts', inner)).toContain('is inside the room mock/control;');
  expect(breachesOf('mock/control/planted.ts', inner)).toBe('');
});

test.each(DIRECTIONS)('%s imports nothing of %s', (from, to) => {
  expect(breachesOf(`${from}/planted.ts`, `${to}/${to}.ts`)).toContain(`nothing of ${to} there`);
  expect(breachesOf(`${from}/planted.test.ts`, `${to}/${to}.ts`)).toBe('');
});

test.each(ONLY_TYPES)('%s imports only types of %s', (from, to) => {
  for (const form of OF_VALUES)
    expect(breachesOf(`${from}/planted.tsx`, `${to}/${to}.ts`, form)).toContain(`only types of ${to} there`);
  for (const form of OF_TYPES) expect(breachesOf(`${from}/planted.tsx`, `${to}/${to}.ts`, form)).toBe('');
});

test('a folder shows a file with JSX as any other', () => {
  expect(breachesOf('web/report/planted.tsx', 'web/ui/json.tsx')).toBe('');
  expect(breachesOf('web/report/planted.tsx', 'web/ui/inner.tsx')).toContain('inside the room web/ui;');
});

test('nothing that ships imports the command, and nobody a test', () => {
  expect(breachesOf('mock/planted.ts', 'cli.ts')).toContain('nothing of cli there');
  expect(breachesOf('testing/planted.ts', 'mock/mock.test.ts')).toContain('expected none to be imported');
});

test.each(Object.entries(rules.packages))('%s is imported in its rooms only', (name, rooms) => {
  const text = `import type { X } from '${name}${name.endsWith('/') ? 'types' : ''}';`;
  const at = (path: string) => findBreaches(new Map([[path, text]]), rules).join('\n');
  expect(at('mock/planted.ts')).toContain('mock/planted.ts imports');
  for (const room of rooms) expect(at(`${room}/planted.ts`)).not.toContain('planted.ts imports');
});

test('a part that grows beyond its budget is named; its tests do not count', () => {
  const files = new Map([
    ['spec/one.ts', 'a\nb\n'],
    ['spec/one.test.ts', 'a\n'],
  ]);
  const grown = (spec: number) =>
    findBreaches(files, { ...rules, lines: { spec } }).filter((line) => line.includes('lines'));
  expect(grown(2)).toEqual([]);
  expect(grown(1)).toEqual(['spec has 2 lines; expected at most 1: delete some before you add more']);
});

test('folders of the suite that import each other in a circle are named, also for types', () => {
  const planted = (last: string) =>
    new Map([
      ['conformance/one/one.ts', "import '../two/two.ts';"],
      ['conformance/two/two.ts', "import type { Three } from '../three/three.ts';"],
      ['conformance/three/three.ts', last],
      ['conformance/three/three.test.ts', "import '../one/one.ts';"],
    ]);
  const rooms = { 'conformance/one': [], 'conformance/two': [], 'conformance/three': [] };
  const circles = (last: string) =>
    findBreaches(planted(last), { ...rules, rooms }).filter((line) => line.includes('circle'));
  expect(circles('')).toEqual([]);
  expect(circles("import type { One } from '../one/one.ts';")).toHaveLength(3);
});

test('a folder that is not listed is named, and so is what is listed and not there or not needed', () => {
  const listed = { ...rules, rooms: { 'mock/gone': [], mock: ['clock'] } };
  const planted = new Map([
    ['mock/clock.ts', ''],
    ['mock/new/new.ts', ''],
  ]);
  expect(findBreaches(planted, listed)).toEqual([
    'mock/new is no room of the list; expected it in import-rules.yaml',
    'import-rules.yaml lists the room mock/gone; expected a folder with code',
    'import-rules.yaml shows mock/clock.ts, which nobody outside imports; remove it',
  ]);
});

test('each rule of biome.json fails where it is broken, and nowhere else', () => {
  const config = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  plant('biome.json', JSON.stringify({ ...config, vcs: { enabled: false } }));
  plant(PLUGIN, readFileSync(join(ROOT, PLUGIN), 'utf8'));
  cpSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
  for (const [path, code] of [...WRONG, ...RIGHT]) plant(path, `${code}\n`);
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const lint = [biome, 'lint', '--reporter=json', '--max-diagnostics=none'];
  const { stdout } = spawnSync(process.execPath, lint, { cwd: directory, encoding: 'utf8' });
  const found = new Map<string, Set<string>>();
  for (const { category, location } of JSON.parse(stdout).diagnostics as Diagnostic[]) {
    const path = typeof location.path === 'string' ? location.path : location.path.file;
    const rules = found.get(path) ?? new Set();
    found.set(path, rules.add(category.split('/').at(-1) ?? ''));
  }
  const missed = WRONG.filter(([path, , rule]) => !found.get(path)?.has(rule)).map(([path]) => path);
  expect(missed).toEqual([]);
  const ours = new Set(WRONG.map(([, , rule]) => rule));
  const wrongly = RIGHT.flatMap(([path]) => [...(found.get(path) ?? [])].map((rule) => `${path}: ${rule}`));
  expect(wrongly.filter((text) => ours.has(text.split(': ')[1] ?? ''))).toEqual([]);
});

/** Returns the errors of a file with an import. */
function breachesOf(from: string, to: string, form = (path: string) => `import '${path}';`): string {
  const up = from.replace(/[^/]+/g, '..').slice(3);
  const lines = findBreaches(
    new Map([
      [to, ''],
      [from, form(`./${up}/${to}`)],
    ]),
    rules,
  );
  return lines.filter((line) => line.startsWith(`${from} imports`)).join('\n');
}

/** The finding in a file: a rule of Biome, or `plugin`. */
type Planted = readonly [path: string, code: string, rule: string];

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

/** The part of a diagnostic of Biome that is read here. */
type Diagnostic = {
  readonly category: string;
  readonly location: { readonly path: string | { readonly file: string } };
};
