import { expect, test } from 'vitest';
import { bareResults, largeResults, sampleCase, sampleResults } from '../../testing/sample-results.ts';
import { FORMATS } from './formats.ts';

const RENDERERS = Object.entries(FORMATS).map(([name, { render }]) => ({ name, render }));

test.each(RENDERERS)(
  '$name is drawn from the results alone: the same twice, and they stay as they were',
  ({ render }) => {
    const results = sampleResults();
    const before = JSON.stringify(results);
    expect(render(results)).toBe(render(structuredClone(results)));
    expect(JSON.stringify(results)).toBe(before);
  },
);

test.each(RENDERERS)('$name knows no time but those of the results', ({ render }) => {
  const times = render(sampleResults()).match(/\b20\d\d-\d\d-\d\dT[\d:.]+Z?/g) ?? [];
  expect(new Set(times).size).toBeLessThanOrEqual(1);
  expect(times[0] ?? '2026-01-02T03:04:05.678Z').toBe('2026-01-02T03:04:05.678Z');
});

test.each(RENDERERS)('$name ends with a line end, however little happened', ({ render }) => {
  for (const results of [bareResults(), sampleResults({ cases: [] })])
    expect(render(results)).toMatch(/\S\n$/);
});

test.each(RENDERERS)('$name shows a redacted secret as it is in the results', ({ render }) => {
  const text = render(sampleResults({ cases: [sampleCase()] }));
  if (text.includes('authorization')) expect(text).toMatch(/authorization[\s\S]{1,60}?\[redacted\]/);
});

test.each(RENDERERS)('$name of thousands of cases stays in bounds', ({ render }) => {
  expect(render(largeResults(80)).length).toBeLessThan(10_000_000);
});
