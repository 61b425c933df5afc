import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PLUGIN = 'testing/import-rules/no-process-exit.grit';

/** The finding in a file: a rule of Biome, or `plugin`. */
type Planted = readonly [path: string, code: string, rule: string];

const WRONG: readonly Planted[] = [
  ['spec/exits.ts', 'process.exit(1);', 'plugin'],
  ['mock/exit-code.ts', 'process.exitCode = 1;', 'plugin'],
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

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

test('each rule of biome.json fails where it is broken, and nowhere else', () => {
  const config = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  plant('biome.json', JSON.stringify({ ...config, vcs: { enabled: false } }));
  plant(PLUGIN, readFileSync(join(ROOT, PLUGIN), 'utf8'));
  cpSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
  for (const [path, code] of [...WRONG, ...RIGHT]) plant(path, `${code}\n`);
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const { stdout } = spawnSync(
    process.execPath,
    [biome, 'lint', '--reporter=json', '--max-diagnostics=none'],
    {
      cwd: directory,
      encoding: 'utf8',
    },
  );
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

/** The part of a diagnostic of Biome that is read here. */
type Diagnostic = {
  readonly category: string;
  readonly location: { readonly path: string | { readonly file: string } };
};
