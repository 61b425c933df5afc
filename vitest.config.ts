import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules', 'dist'],
    reporters: ['default', ['json', { outputFile: 'coverage/results.json' }]],
    // The machine is there for the tests alone; by itself vitest leaves a core free.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: [
        'spec/**/*.ts',
        'generator/**/*.ts',
        'mock/**/*.ts',
        'conformance/**/*.ts',
        'fixtures/**/*.ts',
      ],
      exclude: ['**/*.test.ts', '**/*.testing.ts'],
      reporter: ['text-summary'],
      thresholds: { statements: 95, branches: 88 },
    },
  },
});
