import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './markdown.ts';

const PACKAGE = 'node_modules/record-model-contract';

/** Packages that programs of the pages import in addition to the kit. */
const PACKAGES = ['.bin', '@playwright', '@types', 'msw', 'vite', 'vitest'];

/**
 * Makes a directory a project with the kit installed: its exports lead to the source, because another test may rebuild
 * `dist` at the same time.
 */
export function installSource(directory: string): void {
  const { exports, name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  mkdirSync(join(directory, PACKAGE), { recursive: true });
  for (const folder of ['conformance', 'fixtures', 'generator', 'index.ts', 'mock', 'spec'])
    symlinkSync(join(ROOT, folder), join(directory, PACKAGE, folder));
  for (const one of PACKAGES)
    symlinkSync(join(ROOT, 'node_modules', one), join(directory, 'node_modules', one));
  const sources = Object.entries<{ default?: string } | string>(exports).flatMap(([place, target]) => {
    const built = typeof target === 'string' ? undefined : target.default;
    return built ? [[place, built.replace('/dist', '').replace(/\.js$/, '.ts')]] : [];
  });
  const installed = { name, version, type: 'module', exports: Object.fromEntries(sources) };
  writeFileSync(join(directory, PACKAGE, 'package.json'), JSON.stringify(installed));
  writeFileSync(join(directory, 'package.json'), '{"type":"module","private":true}');
}

/** Returns what the compiler reports about files in a directory of `installSource`; "" means that they are in order. */
export async function compile(directory: string, files: readonly string[]): Promise<string> {
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      allowJs: true,
      checkJs: true,
      lib: ['es2025', 'dom'],
      noUnusedLocals: false,
      types: ['node'],
    },
    files,
    include: [],
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
  const typescript = join(ROOT, 'node_modules/typescript/bin/tsc');
  return promisify(execFile)(process.execPath, [typescript, '-p', '.'], { cwd: directory }).then(
    () => '',
    ({ stdout }) => stdout,
  );
}
