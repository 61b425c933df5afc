import { expect, test } from 'vitest';
import { renderGithub } from './github.ts';
import { HOSTILE, sampleCase, sampleResults } from './sample-results.testing.ts';

test('each kind of failure is one annotation of its gravity, the verdict last', () => {
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

test('alike failures share an annotation', () => {
  const cases = ['1', '2', '3'].map((detail) => sampleCase({ id: `a.x:brand.name=${detail}`, rule: 'a.x' }));
  const lines = renderGithub(sampleResults({ staleBaseline: [], cases }))
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('title=fail a.x%3Abrand.name=1 and 2 alike::');
});

test('no answer of a service ends a command or begins another', () => {
  const result = sampleCase({ id: `a:b,c\n::error::${HOSTILE}`, message: HOSTILE });
  const text = renderGithub(sampleResults({ staleBaseline: [], cases: [result] }));
  expect(text.trimEnd().split(/[\r\n]/)).toHaveLength(2);
  expect(text).toContain('title=fail a%3Ab%2Cc%0A%3A%3Aerror');
  expect(text).toContain('%250A');
});

test('there are at most fifty annotations and a line that says how many more', () => {
  const cases = Array.from({ length: 60 }, (_, index) =>
    sampleCase({ id: `a.${index}:b`, rule: `a.${index}` }),
  );
  const lines = renderGithub(sampleResults({ staleBaseline: [], cases }))
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(51);
  expect(lines.at(-1)).toContain('10 more are not shown here');
});
