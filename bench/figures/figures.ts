/** Reads the figures of proofs, and records those of a command: `npm run record -- 'npm run prove -- --kill 24'`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parse, parseDocument } from 'yaml';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';

const FILE = join(import.meta.dirname, 'figures.yaml');
/** Fewer than a proof prints before its figures, if it prints more than these. */
const MOST_LINES = 40;

/** The lines of a command on standard output, which has no progress, and the tree that it ran in. */
type Figure = {
  readonly command: string;
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly lines: string;
};

type Section = { readonly title: string; readonly about: string; readonly figures: readonly Figure[] };

/** The figures of all proofs, by section. */
export function figureSections(): readonly Section[] {
  return parse(readFileSync(FILE, 'utf8'));
}

/**
 * Runs a command, and replaces its figures. Throws UsageError if it fails, no entry has it, or the tree has changes.
 */
function recordFigures(command: string): void {
  const file = parseDocument(readFileSync(FILE, 'utf8'));
  const known = figureSections();
  const section = known.findIndex(({ figures }) => figures.some((one) => one.command === command));
  const commands = known.flatMap(({ figures }) => figures.map((one) => one.command));
  if (section < 0)
    throw new UsageError(unexpected('command', command, commands, 'in bench/figures/figures.yaml'));
  if (git('status', '--porcelain') !== '')
    throw new UsageError('The tree has changes. Commit them first, because figures belong to a commit.');
  const machine = `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} at the start`;
  const lines = run(command);
  const index = known[section]?.figures.findIndex((one) => one.command === command);
  const date = new Date().toISOString().slice(0, 10);
  file.setIn([section, 'figures', index], {
    command,
    commit: git('rev-parse', '--short=8', 'HEAD'),
    date,
    machine,
    lines,
  });
  writeFileSync(FILE, file.toString({ lineWidth: 0 }));
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
}

/** Returns the last lines that a command prints. */
function run(command: string): string {
  const { status, stdout } = spawnSync(command.replace('npm run', 'npm run --silent'), {
    shell: true,
    encoding: 'utf8',
    stdio: ['inherit', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  });
  process.stdout.write(stdout);
  if (status !== 0) throw new UsageError(`The command ended with exit code ${status}. Nothing is recorded.`);
  return `${stdout.trim().split('\n').slice(-MOST_LINES).join('\n')}\n`;
}

if (import.meta.main)
  try {
    recordFigures(process.argv.slice(2).join(' '));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
