/**
 * Names the failed tests of the last run of Vitest, each on one line with its error; with `--flaky`, those that failed
 * once and passed on a second try. With `--count`, prints how many tests passed and how many failed.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

type Run = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
};

const root = join(import.meta.dirname, '..');
const run = JSON.parse(readFileSync(join(root, 'coverage/results.json'), 'utf8')) as Run;

/** In CI a failed test is tried again: one that passed then keeps the error of its first try. */
const isFlaky = process.argv.includes('--flaky');

const named = run.testResults.flatMap(({ assertionResults, message, name, status }) => {
  const file = relative(root, name);
  const tests = assertionResults.filter(({ failureMessages, status }) =>
    isFlaky ? status === 'passed' && failureMessages?.length : status === 'failed',
  );
  // A file that does not load has no tests.
  if (!isFlaky && status === 'failed' && tests.length === 0) return [`${file}: ${firstLine(message)}`];
  return tests.map(
    ({ failureMessages, fullName }) => `${file}: ${fullName}: ${firstLine(failureMessages?.[0] ?? '')}`,
  );
});

const lines = process.argv.includes('--count') ? [`${run.numPassedTests} ${run.numFailedTests}`] : named;
for (const line of lines) process.stdout.write(`${line}\n`);

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 500);
}
