import { expect, test } from 'vitest';
import { HOSTILE, sampleCase, sampleResults } from '../../testing/sample-results.ts';
import { renderGithub } from './github.ts';

test('each kind of failure is one annotation of its gravity, the verdict last', () => {
  const lines = renderGithub(sampleResults()).trimEnd().split('\n');
  expect(lines.map((line) => line.slice(2, line.indexOf(' ')))).toEqual([
    'error',
    'error',
    'error',
    'error',
    'warning',
    'warning',
    'notice',
    'notice',
  ]);
  expect(lines[0]).toContain('title=stale baseline::fields.type:warehouse.name no longer fails');
  expect(lines.at(-1)).toMatch(/^::notice title=NOT CONFORMANT::.*1 fail/);
});

test('alike failures share an annotation', () => {
  const cases = ['1', '2', '3'].map((detail) => sampleCase({ id: `a.x:brand.name=${detail}`, rule: 'a.x' }));
  const lines = renderGithub(sampleResults({ staleBaseline: [], cases }))
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('title=fail a.x%3Abrand.name=1 and 2 similar::');
});

test('no answer of a service ends a command or begins another', () => {
  const result = sampleCase({ id: `a:b,c\n::error::${HOSTILE}`, message: HOSTILE });
  const text = renderGithub(sampleResults({ staleBaseline: [], cases: [result] }));
  expect(text.trimEnd().split(/[\r\n]/)).toHaveLength(2);
  expect(text).toContain('title=fail a%3Ab%2Cc%0A%3A%3Aerror');
  expect(text).toContain('%250A');
});

test('there are at most ten annotations of a kind, and the verdict says how many more', () => {
  const cases = Array.from({ length: 60 }, (_item, index) => {
    const { setting: _, ...result } = sampleCase({ id: `a.${index}:b`, rule: `a.${index}` });
    if (index < 20) return result;
    return index < 40 ? { ...result, level: 'advice' as const } : { ...result, excused: 'known' };
  });
  const lines = renderGithub(sampleResults({ staleBaseline: ['c:d'], cases }))
    .trimEnd()
    .split('\n');
  const kinds = Map.groupBy(lines, (line) => line.slice(2, line.indexOf(' ')));
  expect([...kinds].map(([kind, { length }]) => [kind, length])).toEqual([
    ['error', 10],
    ['warning', 10],
    ['notice', 10],
  ]);
  expect(lines[0]).toContain('title=stale baseline');
  expect(lines.at(-1)).toMatch(/^::notice title=NOT CONFORMANT::.*; 32 more annotations not shown$/);
});

test('control characters are shown', () => {
  const cases = [sampleCase({ message: 'a\u001b[2J\u0007\r\nb', found: '\u009b' })];
  const text = renderGithub(sampleResults({ staleBaseline: [], cases }));
  expect(text).toContain('::a\\u001b[2J\\u0007%0Ab%0A');
  expect(text).toContain('found \\u009b');
});
