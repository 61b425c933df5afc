import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The files of the project by path, such as `spec/field.ts`. */
type Sources = ReadonlyMap<string, string>;

const PARTS = ['spec', 'fixtures', 'generator', 'mock', 'conformance'];

/** The command: an entry, and a file a verb. */
const isCommand = (path: string) => path === 'cli.ts' || path.startsWith('cli/');

/** What the code of a part may import of the other parts (DESIGN.md, Layout). */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  spec: [],
  fixtures: [],
  generator: ['spec'],
  mock: ['spec', 'generator', 'fixtures'],
  conformance: ['spec', 'generator'],
  cli: [...PARTS, 'cli'],
  'cli.ts': [...PARTS, 'cli'],
};

/** Packages that one file alone may import. */
const KEEPERS: readonly (readonly [packages: RegExp, keeper: string])[] = [
  [/^@stoplight\//, 'mock/prism/instance.ts'],
  [/^undici(\/|$)/, 'conformance/target/target.ts'],
];

/** What belongs to a command alone, and the ways around saying so. */
const COMMAND_ONLY: readonly (readonly [words: RegExp, what: string])[] = [
  [/\bprocess\s*(?:\?\.|\.|\[\s*['"`])\s*exit(?:Code)?\b/, 'process.exit'],
  [/\bprocess\s*(?:\?\.|\.|\[\s*['"`])\s*env\b/, 'process.env'],
  // A member of something else may have the name; the file of a package is a text, and comes below.
  [/(?<![.\w'":])console\b|\bglobalThis\s*\.\s*console\b/, 'console'],
  [/\bfrom\s*['"](?:node:)?process['"]/, 'node:process'],
  [/\bfrom\s*['"](?:node:)?console['"]/, 'node:console'],
];

/** Without comments; texts stay, since imports are named by texts. */
function withoutComments(code: string): string {
  // A text, a template or a regular expression may hold what looks like the beginning of a comment.
  const token =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(,=:[!&|?{};>]\s*|^\s*|\breturn\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/|\/\*[\s\S]*?\*\/|\/\/[^\n]*/gm;
  return code.replace(token, (found) => (/^\/[*/]/.test(found) ? ' ' : found));
}

/** Without comments and without the content of texts. */
function withoutTexts(code: string): string {
  return withoutComments(code).replace(/(?<!from\s*)(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")/g, (found) =>
    // A member may be named by a text: process['env'].
    /^['"](env|exit|exitCode)['"]$/.test(found) ? found : "''",
  );
}

/** What the import and export statements of a file name, and its calls of import(). */
function importsOf(code: string): string[] {
  const statement =
    /(?:^|[;}\n])\s*(?:import|export)\s+(?:type\s+)?(?:[\w*${},\s]+?\s+from\s*)?['"]([^'"\n]+)['"]|\bimport\s*\(\s*['"`]([^'"`\n]+)['"`]/g;
  return [...withoutComments(code).matchAll(statement)].map((match) => match[1] ?? match[2] ?? '');
}

/** The path of an imported file in the project; undefined for a package. */
function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined;
}

function partOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** Imports of a file that its part may not make. */
function findWrongDirections(path: string, code: string): string[] {
  const part = partOf(path);
  const allowed = ALLOWED[part];
  if (!allowed) return [];
  return importsOf(code).flatMap((specifier) => {
    const target = resolveImport(path, specifier);
    if (target === undefined) return [];
    const other = partOf(target);
    if (other === part || allowed.includes(other)) return [];
    // What is no part (a data file beside package.json, the command) is for the command alone.
    return [`${path} imports ${specifier}; expected an import from ${[part, ...allowed].join(', ')}`];
  });
}

/** Imports of packages that are kept behind one file. */
function findWrongPackages(path: string, code: string): string[] {
  return KEEPERS.flatMap(([packages, keeper]) =>
    path === keeper
      ? []
      : importsOf(code)
          .filter((specifier) => packages.test(specifier))
          .map((specifier) => `${path} imports ${specifier}; expected it in ${keeper} only`),
  );
}

/** Words that belong to the command alone. */
function findCommandWords(path: string, code: string): string[] {
  if (isCommand(path)) return [];
  const bare = withoutTexts(code);
  return COMMAND_ONLY.filter(([words]) => words.test(bare)).map(
    ([, what]) => `${path} uses ${what}; expected it in the command only`,
  );
}

/** Every cycle of imports that a walk from each file meets, as the files on the way round. */
function findCycles(sources: Sources): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) {
      cycles.push([...way.slice(start), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const specifier of importsOf(sources.get(path) ?? '')) {
      const target = resolveImport(path, specifier);
      if (target !== undefined && sources.has(target)) walk(target, [...way, path]);
    }
    done.add(path);
  };
  for (const path of sources.keys()) walk(path, []);
  return cycles;
}

function readSources(): Sources {
  const root = import.meta.dirname;
  const inParts = [...PARTS, 'cli'].flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, encoding: 'utf8' }).map((path) =>
      posix.join(part, path),
    ),
  );
  const files = ['cli.ts', ...inParts].filter(
    (path) => path.endsWith('.ts') && !/\.(test|testing|d)\.ts$/.test(path),
  );
  return new Map(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

const sources = readSources();
const inAll = (find: (path: string, code: string) => string[]) =>
  [...sources].flatMap(([path, code]) => find(path, code));

describe('in this project', () => {
  test('there is something to look at in every part', () => {
    for (const part of Object.keys(ALLOWED)) expect([...sources.keys()].map(partOf)).toContain(part);
    expect([...sources].flatMap(([, code]) => importsOf(code)).length).toBeGreaterThan(100);
  });

  test('every relative import leads to a file', () => {
    const lost = [...sources].flatMap(([path, code]) =>
      importsOf(code).filter((specifier) => {
        const target = resolveImport(path, specifier);
        return target?.endsWith('.ts') && !sources.has(target);
      }),
    );
    expect(lost).toEqual([]);
  });

  test('parts import only what they may', () => {
    expect(inAll(findWrongDirections)).toEqual([]);
  });

  test('Prism and undici stay behind one file each', () => {
    expect(inAll(findWrongPackages)).toEqual([]);
  });

  test('only the command ends the process, prints and reads the environment', () => {
    expect(inAll(findCommandWords)).toEqual([]);
  });

  test('no file imports itself by way of others', () => {
    expect(findCycles(sources)).toEqual([]);
  });
});

describe('a wrong direction is found', () => {
  test.each([
    ['spec/a.ts', "import { x } from '../generator/x.ts';"],
    ['spec/types/a.ts', "import type { X } from '../../conformance/x.ts';"],
    ['spec/a.ts', "import { x } from '../cli.ts';"],
    ['fixtures/a.ts', "import { x } from '../spec/x.ts';"],
    ['generator/a.ts', "export { x } from '../mock/x.ts';"],
    ['generator/a.ts', "import { x } from '../fixtures/x.ts';"],
    ['mock/a.ts', "import { x } from '../conformance/x.ts';"],
    ['mock/store/a.ts', "const x = await import('../../conformance/x.ts');"],
    ['conformance/a.ts', "import { x } from '../mock/x.ts';"],
    ['conformance/rules/a.ts', "import {\n  type X,\n  x,\n} from '../../mock/x.ts';"],
    ['conformance/a.ts', "import * as x from '../fixtures/x.ts';"],
    ['conformance/a.ts', "import '../mock/x.ts';"],
    ['conformance/a.ts', "type X = import('../mock/x.ts').X;"],
    ['conformance/a.ts', "export * from '../mock/x.ts';"],
    ['spec/a.ts', "/* import */ import x, { y } from '../mock/x.ts'; // so"],
  ])('in %s: %s', (path, code) => {
    expect(findWrongDirections(path, `import { a } from 'node:fs';\n${code}\n`)).toHaveLength(1);
  });

  test.each([
    ['spec/types/a.ts', "import { x } from '../field.ts';"],
    ['generator/a.ts', "import { x } from '../spec/x.ts';"],
    ['mock/store/a.ts', "import { x } from '../../fixtures/x.ts';"],
    ['conformance/a.ts', "import { x } from '../generator/x.ts';"],
    ['cli.ts', "import { x } from './mock/x.ts';"],
    ['cli.ts', "const { x } = await import('./conformance/x.ts');"],
    ['conformance/a.ts', "// import { x } from '../mock/x.ts';"],
    ['conformance/a.ts', "/*\nimport { x } from '../mock/x.ts';\n*/"],
    ['conformance/a.ts', "const address = 'http://x'; // import '../mock/x.ts'"],
  ])('but not in %s: %s', (path, code) => {
    expect(findWrongDirections(path, code)).toEqual([]);
  });
});

describe('a package in the wrong file is found', () => {
  test.each([
    ['mock/server.ts', "import { createInstance } from '@stoplight/prism-http';"],
    ['conformance/a.ts', "import type { X } from '@stoplight/types';"],
    ['conformance/run.ts', "import { request } from 'undici';"],
    ['mock/contract.ts', "const { Agent } = await import('undici');"],
  ])('in %s: %s', (path, code) => {
    expect(findWrongPackages(path, code)).toHaveLength(1);
  });

  test.each([
    ['mock/prism/instance.ts', "import { createInstance } from '@stoplight/prism-http';"],
    ['conformance/target/target.ts', "import { Agent, request } from 'undici';"],
    ['spec/a.ts', "import { x } from 'undici-like';"],
  ])('but not in %s: %s', (path, code) => {
    expect(findWrongPackages(path, code)).toEqual([]);
  });
});

describe('a word of the command is found', () => {
  test.each([
    ['process.exit', 'process.exit(1);'],
    ['process.exit', 'process.exitCode = 1;'],
    ['process.exit', "process['exit'](1);"],
    ['process.env', 'const { PORT } = process.env;'],
    ['process.env', 'globalThis.process.env.PORT;'],
    ['console', "console.log('x');"],
    ['console', 'globalThis.console.error(1);'],
    ['console', 'const print = console;'],
    ['console', ['const text = `$', '{console.log(1)}`;'].join('')],
    ['node:process', "import { env } from 'node:process';"],
    ['node:console', "import { log } from 'console';"],
  ])('%s in: %s', (what, code) => {
    expect(findCommandWords('spec/a.ts', code)).toEqual([
      `spec/a.ts uses ${what}; expected it in the command only`,
    ]);
    expect(findCommandWords('cli.ts', code)).toEqual([]);
  });

  test.each([
    '// console.log(1)',
    '/** Not console, nor process.env. */',
    "const words = 'console process.exit';",
    'process.cwd();',
    'page.console();',
    'const pattern = /["\'`]/; // console',
  ])('but not in: %s', (code) => {
    expect(findCommandWords('spec/a.ts', code)).toEqual([]);
  });
});

describe('a cycle is found', () => {
  const files = (entries: Readonly<Record<string, string>>): Sources => new Map(Object.entries(entries));

  test('of two files, with types too', () => {
    const two = files({ 'a.ts': "import { b } from './b.ts';", 'b.ts': "import type { A } from './a.ts';" });
    expect(findCycles(two)).toEqual(['a.ts → b.ts → a.ts']);
  });

  test('of many files, over folders, and not its way in', () => {
    const many = files({
      'x.ts': "import './spec/a.ts';",
      'spec/a.ts': "import './types/b.ts';",
      'spec/types/b.ts': "export * from './c.ts';",
      'spec/types/c.ts': "import '../a.ts';",
    });
    expect(findCycles(many)).toEqual(['spec/a.ts → spec/types/b.ts → spec/types/c.ts → spec/a.ts']);
  });

  test('of a file with itself', () => {
    expect(findCycles(files({ 'a.ts': "import './a.ts';" }))).toEqual(['a.ts → a.ts']);
  });

  test('but not where two ways lead to one file', () => {
    const diamond = files({
      'a.ts': "import './b.ts';\nimport './c.ts';",
      'b.ts': "import './d.ts';",
      'c.ts': "import './d.ts';",
      'd.ts': '',
    });
    expect(findCycles(diamond)).toEqual([]);
  });
});
