import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Whether to run the proofs instead of the tests: `npm run proofs`. */
const isProofs = process.env.PROOFS === '1';

export default defineConfig({
  test: {
    include: [isProofs ? '**/*.proof.ts' : '**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist'],
    // In CI a test that fails is tried once more. `.ci/run` names it at the end as flaky, or as failed.
    retry: process.env.CI ? 1 : 0,
    reporters: ['default', ['json', { outputFile: `coverage/${isProofs ? 'proofs' : 'results'}.json` }]],
    // A worker keeps what it loaded and compiled for the next file: a third less to compute.
    pool: 'forks',
    isolate: false,
    // Some tests wait, so there is one more worker than cores. Each worker has to load and compile the code.
    maxWorkers: 1 + availableParallelism(),
    testTimeout: isProofs ? 600_000 : 120_000,
    // A busy machine can take longer than a second to draw a page.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: isProofs ? 300_000 : 60_000,
    coverage: {
      // That of V8 counts in all that is loaded, packages too: whole runs take twice as long under it.
      provider: 'istanbul',
      include: ['{spec,generator,mock,fixtures,conformance}/**/*.ts'],
      exclude: ['**/*.{test,proof}.ts'],
      reporter: ['text-summary'],
      thresholds: { statements: 97, branches: 91.7 },
    },
  },
});
