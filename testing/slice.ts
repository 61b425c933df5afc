/**
 * Vitest loads this file before each test file. It skips tests, so that `npm test` takes minutes: of a folder with a
 * share of 3 every third test runs, always the same ones. In the folders below, each file begins at another place.
 * `npm run test:all` runs all tests, as does a command that names files.
 */
import { join, relative } from 'node:path';
import { beforeEach, type RunnerTestFile, type RunnerTestSuite, type TestContext } from 'vitest';

/** Folders whose tests take long. The proofs (`npm run prove`) try the same code at more places. */
const FOLDERS: Readonly<Record<string, number>> = {
  bench: 4,
  conformance: 6,
  cli: 4,
  generator: 4,
  mock: 5,
  web: 5,
};

/** Other places with long tests. The first test of each file runs, such as the one of README.md. */
const PLACES: Readonly<Record<string, number>> = {
  'package.test.ts': 2,
  'testing/docs': 3,
  'testing/trial': 2,
};

const isWhole = process.env.ALL_TESTS === '1';
const ROOT = join(import.meta.dirname, '..');

beforeEach(({ skip, task }: TestContext) => {
  const path = relative(ROOT, task.file.filepath).replaceAll('\\', '/');
  const [folder = '', inner = ''] = path.split('/');
  const [from, share] = FOLDERS[folder]
    ? [placeOf(path), FOLDERS[folder]]
    : [0, PLACES[`${folder}/${inner}`] ?? PLACES[folder] ?? 1];
  if (isWhole || share === 1) return;
  const index = testsOf(task.file).indexOf(task.id);
  if ((from + index) % share !== 0) skip('not in the slice; npm run test:all runs it');
});

/** Returns a number that differs between files. */
function placeOf(path: string): number {
  return Buffer.from(path).reduce((sum, byte) => sum + byte, 0);
}

function testsOf({ tasks }: RunnerTestFile | RunnerTestSuite): string[] {
  return tasks.flatMap((one) => (one.type === 'suite' ? testsOf(one) : [one.id]));
}
