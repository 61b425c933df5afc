/**
 * Names the tests of the last whole run that took more than five seconds, but for those of the files listed here. It
 * tells, and decides nothing: how long a test takes depends on what else the machine does. A listed file that is not
 * there fails.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const LONGEST = 5000;

/** Files with tests that must cost more, and why. */
const SLOW: Readonly<Record<string, string>> = {
  'bench/prove/mismatches.test.ts': 'whole runs under each wrong supposition',
  'bench/prove/profile-trial.test.ts': 'learns a profile, and tries defects under it',
  'bench/prove/prove.test.ts': 'the command of the proof, with workers of its own',
  'bench/prove/telling.test.ts': 'two hundred defects, each with its run',
  'cli/check/watch.test.ts': 'waits for a service to restart, several times',
  'conformance/business-rules.test.ts': 'four whole runs per rule',
  'conformance/check.test.ts': 'whole runs, on every model',
  'conformance/profiles.test.ts': 'whole runs over sockets, under profiles far from the default',
  'conformance/target/lost-responses.test.ts': 'a whole run per lost request',
  'mock/operations/values.test.ts': 'a property over every model and drawn profiles',
  'testing/docs/docs.test.ts': 'the commands of a whole page, in one session',
  'testing/trial/trial.test.ts': 'ten runs for each of two services, four of them on all models',
};

type Run = {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly duration?: number | null }[];
  }[];
};

const root = join(import.meta.dirname, '..');
const { testResults } = JSON.parse(readFileSync(join(root, 'coverage/results.json'), 'utf8')) as Run;
const files = new Set(testResults.map(({ name }) => relative(root, name)));
const slow = testResults.flatMap(({ assertionResults, name }) =>
  assertionResults
    .filter(({ duration }) => (duration ?? 0) > LONGEST && !(relative(root, name) in SLOW))
    .map(
      ({ duration, fullName }) =>
        `${relative(root, name)}: "${fullName}" took ${Math.round((duration ?? 0) / 100) / 10} s`,
    ),
);
const stale = Object.keys(SLOW)
  .filter((name) => !files.has(name))
  .map((name) => `testing/slow-tests.ts names ${name}, which was not run; expected a test file`);
for (const line of [...slow, ...stale]) process.stdout.write(`${line}\n`);
process.exitCode = stale.length === 0 ? 0 : 1;
