/**
 * Vitest loads this file before each test file. It skips tests, so that `npm test` takes minutes: of a folder with a
 * share of 3 every third test runs, the first of each file among them, and always the same ones. `npm run test:all` runs
 * all tests, as does a command that names files.
 */
import { join, relative } from 'node:path';
import { beforeEach, type RunnerTestFile, type RunnerTestSuite, type TestContext } from 'vitest';

/** Folders and files whose tests take long. The proofs (`npm run prove`) try the same code at more places. */
const SHARES: Readonly<Record<string, number>> = {
  bench: 6,
  conformance: 10,
  cli: 6,
  generator: 4,
  mock: 6,
  'package.test.ts': 2,
  'testing/docs': 3,
  'testing/trial': 2,
  web: 6,
};

const isWhole = process.env.ALL_TESTS === '1';
const ROOT = join(import.meta.dirname, '..');

beforeEach(({ skip, task }: TestContext) => {
  const [folder = '', inner = ''] = relative(ROOT, task.file.filepath).split(/[\\/]/);
  const share = SHARES[`${folder}/${inner}`] ?? SHARES[folder] ?? 1;
  if (isWhole || share === 1) return;
  const index = testsOf(task.file).indexOf(task.id);
  if (index % share !== 0) skip('not in the slice; npm run test:all runs it');
});

function testsOf({ tasks }: RunnerTestFile | RunnerTestSuite): string[] {
  return tasks.flatMap((one) => (one.type === 'suite' ? testsOf(one) : [one.id]));
}
