import { expect, test } from 'vitest';
import { renderGithub } from './github.ts';
import { HOSTILE, largeResults, sampleCase, sampleResults } from './sample-results.testing.ts';

test('each failed case is one annotation of its gravity, the verdict last', () => {
  const lines = renderGithub(sampleResults()).trimEnd().split('\n');
  expect(lines.map((line) => line.slice(2, line.indexOf(' ')))).toEqual([
    'error',
    'error',
    'error',
    'error',
    'warning',
    'notice',
    'notice',
  ]);
  expect(lines[0]).toContain('title=stale baseline::fields.type:warehouse.name fails no more');
  expect(lines.at(-1)).toMatch(/^::notice title=not conformant::.*1 fail/);
});

test('no answer of a service ends a command or begins another', () => {
  const result = sampleCase({ id: `a:b,c\n::error::${HOSTILE}`, message: HOSTILE });
  const text = renderGithub(sampleResults({ staleBaseline: [], cases: [result] }));
  expect(text.trimEnd().split(/[\r\n]/)).toHaveLength(2);
  expect(text).toContain('title=fail a%3Ab%2Cc%0A%3A%3Aerror');
  expect(text).toContain('%250A');
});

test('there are at most fifty annotations and a line that says how many more', () => {
  const lines = renderGithub(largeResults(70)).trimEnd().split('\n');
  expect(lines).toHaveLength(51);
  expect(lines.at(-1)).toContain(' more are not shown here');
});
