import { expect, test } from 'vitest';
import {
  bareResults,
  largeResults,
  sampleCase,
  sampleExchange,
  sampleResults,
} from '../../testing/sample-results.ts';
import type { Results } from '../results/results.ts';
import { RENDERERS } from './report.ts';

const FORMATS = Object.entries(RENDERERS).map(([name, render]) => ({ name, render }));

test.each(FORMATS)(
  '$name is drawn from the results alone: the same twice, and they stay as they were',
  ({ render }) => {
    const results = sampleResults();
    const before = JSON.stringify(results);
    expect(render(results)).toBe(render(structuredClone(results)));
    expect(JSON.stringify(results)).toBe(before);
  },
);

test.each(FORMATS)('$name knows no time but those of the results', ({ render }) => {
  const times = render(sampleResults()).match(/\b20\d\d-\d\d-\d\dT[\d:.]+Z?/g) ?? [];
  expect(new Set(times).size).toBeLessThanOrEqual(1);
  expect(times[0] ?? '2026-01-02T03:04:05.678Z').toBe('2026-01-02T03:04:05.678Z');
});

test.each(FORMATS)('$name ends with a line end, however little happened', ({ render }) => {
  for (const results of [bareResults(), sampleResults({ cases: [] })])
    expect(render(results)).toMatch(/\S\n$/);
});

test.each(FORMATS)('$name shows a redacted secret as it is in the results', ({ render }) => {
  const text = render(sampleResults({ cases: [sampleCase()] }));
  if (text.includes('authorization')) expect(text).toMatch(/authorization[\s\S]{1,60}?\[redacted\]/);
});

/** As bad as a service can be: every case fails, in 80 ways, with long answers. */
function worstResults(): Results {
  const { cases } = largeResults(160, 'x'.repeat(4000));
  const failed = cases.map((one, index) => {
    const { setting: _, ...result } = sampleCase({
      ...one,
      field: `field${one.id.split('.field')[1]}`,
      outcome: 'fail',
      message: `the ${index % 80 < 40 ? 'answer' : 'record'} of ${one.model} is ${'wrong '.repeat(20)}`,
      expected: 'x'.repeat(300),
      found: 'y'.repeat(300),
      exchanges: Array.from({ length: 5 }, () => sampleExchange('x'.repeat(4000))),
    });
    return result;
  });
  return sampleResults({ cases: failed });
}

test('every report but the results themselves stays under 2 MB, however bad a service is', () => {
  const results = worstResults();
  expect(results.cases.length).toBeGreaterThan(8400);
  for (const { name, render } of FORMATS) {
    if (name === 'json') continue;
    const bytes = Buffer.byteLength(render(results));
    expect(bytes, name).toBeLessThan(2_000_000);
  }
});
