import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest last. */
const LONGEST = [
  'conformance/learn/learn',
  'conformance/check',
  'package',
  'testing/docs/docs',
  'bench/prove/mismatches',
  'bench/prove/services/services',
];

/** `npm test` alone; `npm test -- spec` and its like run a part, which covers less than the whole. */
const isWhole = process.argv.slice(2).join(' ') === 'run';

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
    reporters: ['default', ['json', { outputFile: 'coverage/results.json' }]],
    // A worker keeps what it loaded and compiled for the next file: a third less to compute.
    pool: 'forks',
    isolate: false,
    // The machine is there for the tests alone, and some of them wait: two more than there are cores.
    maxWorkers: 3 * availableParallelism(),
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    coverage: {
      enabled: isWhole,
      // That of V8 counts in all that is loaded, packages too: whole runs take twice as long under it.
      provider: 'istanbul',
      // Of the suite, which the proof holds line by line, `npm run coverage` counts: it takes a fifth more time.
      include: ['spec/**/*.ts', 'generator/**/*.ts', 'mock/**/*.ts', 'fixtures/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary'],
      thresholds: { statements: 95, branches: 88 },
    },
  },
});
