import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest last. */
const LONGEST = [
  'conformance/learn/learn',
  'conformance/check',
  'package',
  'testing/trial/trial',
  'testing/docs/docs',
  'bench/prove/mismatches',
  'bench/prove/services/services',
];

/** Whether the command line names files: of these all tests run. */
const isPart = process.argv.slice(2).some((word) => word !== 'run' && !word.startsWith('-'));

/** A long file that starts late runs alone at the end; where no durations are known, vitest goes by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weigh = ({ moduleId }: TestSpecification) =>
      LONGEST.indexOf(relative(import.meta.dirname, moduleId).replace('.test.ts', ''));
    return (await super.sort(files)).toSorted((one, other) => weigh(other) - weigh(one));
  }
}

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist'],
    setupFiles: ['testing/slice.ts'],
    // In CI a test that fails is tried once more. `.ci/run` names it at the end as flaky, or as failed.
    retry: process.env.CI ? 1 : 0,
    env: isPart ? { ALL_TESTS: '1' } : {},
    reporters: ['default', ['json', { outputFile: 'coverage/results.json' }]],
    // A worker keeps what it loaded and compiled for the next file: a third less to compute.
    pool: 'forks',
    isolate: false,
    // Some tests wait, and nothing else runs beside them. So there are three more workers than cores.
    maxWorkers: 3 + availableParallelism(),
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    // A busy machine can take longer than a second to draw a page.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    coverage: {
      // That of V8 counts in all that is loaded, packages too: whole runs take twice as long under it.
      provider: 'istanbul',
      include: ['{spec,generator,mock,fixtures,conformance}/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary'],
      thresholds: { statements: 95, branches: 88 },
    },
  },
});
