import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Outcome } from './consumer.ts';

/** What `npm run consumers` alone needs, and every install would wait for. */
const TOOLS = join(import.meta.dirname, 'tools');
export const TOOL_MODULES = join(TOOLS, 'node_modules');
const ROOT = join(import.meta.dirname, '../..');

/** Where a file of a tool is. */
export function toolPath(name: string): string {
  return join(TOOL_MODULES, name);
}

/** Installs missing tools; only those of Postman for a sample. */
export function installTools(isSample: boolean): void {
  if (existsSync(toolPath(isSample ? 'openapi-to-postmanv2' : 'orval'))) return;
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  execFileSync('npm', ['ci', ...flags, ...(isSample ? ['--omit', 'dev'] : [])], {
    cwd: TOOLS,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Whether a program is installed. */
export function hasProgram(program: string, ...words: string[]): boolean {
  return spawnSync(program, words).status === 0;
}

/** The lines that a program said when it failed; none when all went well. */
export async function complaintsOf(
  program: string,
  words: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string[]> {
  const env = { ...process.env, ...options.env };
  return promisify(execFile)(program, words, { ...options, env, maxBuffer: 2 ** 26 }).then(
    () => [],
    ({ stdout, stderr, message }) => {
      const lines = `${stdout}${stderr}`.trim().split('\n').filter(Boolean);
      return lines.length > 0 ? lines.slice(-8) : [message];
    },
  );
}

/** Runs a tool that generates something, and goes on with it if the tool had no fault. */
export async function generateWith(
  tool: string,
  words: readonly string[],
  goOn: () => Promise<Outcome>,
  cwd = process.cwd(),
): Promise<Outcome> {
  const faults = await complaintsOf(process.execPath, [toolPath(tool), ...words], { cwd });
  return faults.length > 0 ? { count: 0, faults } : goOn();
}

/** Returns the errors of a strict TypeScript compiler. */
export function compileTypeScript(
  directory: string,
  files: readonly string[],
  ...flags: string[]
): Promise<string[]> {
  const typescript = join(ROOT, 'node_modules/typescript/bin/tsc');
  const strict = ['--strict', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable'];
  return complaintsOf(process.execPath, [typescript, ...strict, ...flags, ...files], { cwd: directory });
}
