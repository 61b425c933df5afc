/** Says which imports break the rules of `import-rules.yaml`. Exit 1 when one does. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { parse } from 'yaml';

export type ImportRules = {
  /** The parts that each part may import; tests may import all. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
  /** The parts of which a part may import types, in addition. */
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** The parts whose folders must not import each other in a circle, also not types. */
  readonly noCircles: readonly string[];
  /** The folders that may import a package, by the beginning of its name. */
  readonly packages: Readonly<Record<string, readonly string[]>>;
  /** The most lines that each part can have without its tests. */
  readonly lines: Readonly<Record<string, number>>;
  /** The files of each folder that others can import, in addition to its entry file. */
  readonly folders: Readonly<Record<string, readonly string[]>>;
};

type Files = ReadonlyMap<string, string>;
type Import = { readonly from: string; readonly to: string; readonly isType: boolean };

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENTED = 'docs/explanation/architecture.md and testing/import-rules/import-rules.yaml say why';

export function readRules(): ImportRules {
  return parse(readFileSync(join(import.meta.dirname, 'import-rules.yaml'), 'utf8'));
}

/** A line for each breach in the files, by their paths from the root. */
export function findBreaches(files: Files, rules: ImportRules): string[] {
  const imports = [...files].flatMap(([from, text]) => importsOf(from, text));
  const own = imports.filter(({ to }) => files.has(to));
  return [
    ...imports.flatMap((one) => packageBreaches(one, rules)),
    ...own.flatMap((one) => [...partBreaches(one, rules), ...entryBreaches(one, rules)]),
    ...listBreaches(files, own, rules),
    ...rules.noCircles.flatMap((part) => circleBreaches(own, part)),
    ...sizeBreaches(files, rules),
    ...nameBreaches(files),
  ];
}

/** Returns all imports of a file, also of types: paths from the root, or names of packages. */
function importsOf(from: string, text: string): Import[] {
  const found: [source: unknown, isType: boolean][] = [];
  const note = ({ source, ...node }: { source: unknown; importKind?: string; exportKind?: string }) =>
    found.push([source, (node.importKind ?? node.exportKind) === 'type']);
  new Visitor({
    ImportDeclaration: note,
    ExportNamedDeclaration: note,
    ExportAllDeclaration: note,
    ImportExpression: note,
    TSImportType: ({ source }) => found.push([source, true]),
  }).visit(parseSync(from, text).program);
  return found.flatMap(([source, isType]) => {
    const name =
      source !== null && typeof source === 'object' && 'value' in source ? source.value : undefined;
    if (typeof name !== 'string') return [];
    return { from, to: name.startsWith('.') ? posix.join(posix.dirname(from), name) : name, isType };
  });
}

function packageBreaches({ from, to }: Import, { packages }: ImportRules): string[] {
  if (isTest(from)) return [];
  return Object.entries(packages)
    .filter(([name, folders]) => to.startsWith(name) && !folders.some((folder) => isIn(from, folder)))
    .map(([, folders]) => `${from} imports ${to}; expected it in ${folders.join(' and ')} only`);
}

function partBreaches({ from, isType, to }: Import, { parts, types }: ImportRules): string[] {
  if (to.endsWith('.test.ts')) return [`${from} imports the test ${to}; expected none to be imported`];
  const allowed = parts[partOf(from)];
  if (isTest(from) || !allowed || [partOf(from), ...allowed].includes(partOf(to))) return [];
  const hasTypes = types[partOf(from)]?.includes(partOf(to)) === true;
  if (hasTypes && isType) return [];
  const expected = `${hasTypes ? 'only types' : 'nothing'} of ${partOf(to)} there`;
  return [`${from} imports ${to}; expected ${expected}: ${DOCUMENTED}`];
}

/** Each folder on the path of an import must list the file. */
function entryBreaches({ from, to }: Import, { folders }: ImportRules): string[] {
  return foldersOf(to)
    .filter(
      (folder) =>
        folders[folder] && !isIn(from, folder) && !publicFiles(folder, folders).includes(nameOf(to)),
    )
    .map(
      (folder) =>
        `${from} imports ${to}, which is inside the folder ${folder}; expected one of ${publicFiles(folder, folders).join(', ') || 'none of its files'}`,
    );
}

/** The folders of a part must not import each other in a circle. */
function circleBreaches(own: readonly Import[], part: string): string[] {
  const folderOf = (path: string) =>
    path
      .split('/')
      .slice(0, path.split('/').length > 2 ? 2 : 1)
      .join('/');
  const inside = own.filter(
    ({ from, to }) => isIn(from, part) && isIn(to, part) && !isTest(from) && folderOf(from) !== folderOf(to),
  );
  const byFolder = Map.groupBy(inside, ({ from }) => folderOf(from));
  const reached = (start: string): ReadonlySet<string> => {
    const found = new Set([start]);
    for (const folder of found) for (const { to } of byFolder.get(folder) ?? []) found.add(folderOf(to));
    return found;
  };
  return inside
    .filter(({ from, to }) => reached(folderOf(to)).has(folderOf(from)))
    .map(
      ({ from, to }) => `${from} imports ${to}; expected no circle of ${folderOf(from)} and ${folderOf(to)}`,
    );
}

/** No part grows beyond its budget. */
function sizeBreaches(files: Files, { lines }: ImportRules): string[] {
  return Object.entries(lines).flatMap(([part, most]) => {
    const own = [...files].filter(([path]) => partOf(path) === part && !isTest(path));
    const count = own.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0);
    if (count <= most) return [];
    return [`${part} has ${count} lines; expected at most ${most}: delete some before you add more`];
  });
}

/** A reader finds one type by its name. Services of tests can reuse names, because they share no code with the kit. */
function nameBreaches(files: Files): string[] {
  const own = [...files].filter(([path]) => !isTest(path));
  const types = own.flatMap(([path, text]) =>
    [...text.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name = '']) => ({ name, path })),
  );
  return [...Map.groupBy(types, ({ name }) => name)].flatMap(([name, all]) =>
    all.length === 1
      ? []
      : `${all.map(({ path }) => path).join(' and ')} export a type ${name}; expected one with this name`,
  );
}

/** The list names each folder with code, and no missing or unused file. */
function listBreaches(files: Files, own: readonly Import[], { folders }: ImportRules): string[] {
  const found = new Set([...files.keys()].map((path) => posix.dirname(path)));
  const missing = [...found].filter((folder) => folder !== '.' && folders[folder] === undefined);
  const stale = Object.keys(folders).filter((folder) => !found.has(folder));
  const unneeded = Object.entries(folders).flatMap(([folder, names]) =>
    names
      .map((name) => `${folder}/${name}.ts`)
      .filter((path) => !own.some(({ from, to }) => nameOf(to) === path && !isIn(from, folder))),
  );
  return [
    ...missing.map((folder) => `${folder} is not in the list; expected it in import-rules.yaml`),
    ...stale.map((folder) => `import-rules.yaml lists ${folder}; expected a folder with code`),
    ...unneeded.map((path) => `import-rules.yaml shows ${path}, which nobody outside imports; remove it`),
  ];
}

/** Returns the folders around a file, the innermost first, without the part itself. */
function foldersOf(path: string): string[] {
  const inner = posix.dirname(path);
  const around = inner.split('/').map((_, index, names) => names.slice(0, index + 1).join('/'));
  return around.filter((folder) => folder !== '.' && (folder === inner || folder.includes('/')));
}

function publicFiles(folder: string, folders: ImportRules['folders']): string[] {
  return [basename(folder), ...(folders[folder] ?? [])].map((name) => `${folder}/${name}.ts`);
}

/** Returns the path under which the list has a file. Files with JSX have another ending. */
function nameOf(path: string): string {
  return path.replace(/\.tsx$/, '.ts');
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

function partOf(path: string): string {
  return path.split(/[/.]/, 1)[0] ?? '';
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || ['testing', 'bench'].includes(partOf(path));
}

/** The TypeScript files of the project, those not yet committed too. */
export function projectFiles(): Files {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const paths = [...new Set(listed.split('\n'))].filter(
    (path) => path !== '' && existsSync(join(ROOT, path)),
  );
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

if (import.meta.main) {
  const breaches = findBreaches(projectFiles(), readRules());
  for (const line of breaches) process.stderr.write(`${line}\n`);
  process.exitCode = breaches.length > 0 ? 1 : 0;
}
