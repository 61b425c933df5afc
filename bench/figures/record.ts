/** Runs a command of `bench/figures/figures.yaml` and writes what it prints: `npm run record -- 'npm run prove -- --together 3'`. */
import { spawnSync } from 'node:child_process';
import { UsageError } from '../../spec/files/usage-error.ts';
import { recordFigures } from './figures.ts';

/** Fewer than a proof prints before its figures, if it prints more than these. */
const MOST_LINES = 40;

const [, , ...words] = process.argv;
try {
  recordFigures(words.join(' '), () => {
    const { status, stdout } = spawnSync(words.join(' ').replace('npm run', 'npm run --silent'), {
      shell: true,
      encoding: 'utf8',
      stdio: ['inherit', 'pipe', 'inherit'],
      maxBuffer: 2 ** 26,
    });
    process.stdout.write(stdout);
    if (status !== 0)
      throw new UsageError(`The command ended with exit code ${status}. Nothing is recorded.`);
    return `${stdout.trim().split('\n').slice(-MOST_LINES).join('\n')}\n`;
  });
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
