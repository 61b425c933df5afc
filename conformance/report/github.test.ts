import { expect, test } from 'vitest';
import {
  bareResults,
  HOSTILE,
  largeResults,
  sampleCase,
  sampleExchange,
  sampleResults,
} from '../../testing/sample-results.ts';
import { renderGithub } from './github.ts';
import { renderMarkdown } from './markdown.ts';

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
  expect(lines[0]).toContain('title=stale baseline::fields.type:warehouse.name is fixed');
  expect(lines.at(-1)).toMatch(/^::notice title=NOT CONFORMANT%2C .*::.*1 fail/);
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
  expect(lines.at(-1)).toMatch(/^::notice title=NOT CONFORMANT%2C .*::.*; 32 more annotations not shown$/);
});

test('control characters are shown', () => {
  const cases = [sampleCase({ message: 'a\u001b[2J\u0007\r\nb', found: '\u009b' })];
  const text = renderGithub(sampleResults({ staleBaseline: [], cases }));
  expect(text).toContain('::a\\u001b[2J\\u0007%0Ab%0A');
  expect(text).toContain('found: \\u009b');
});

test('the verdict comes first, then the counts', () => {
  const lines = renderMarkdown(sampleResults()).split('\n');
  expect(lines[0]).toMatch(/^## ❌ NOT CONFORMANT/);
  expect(lines[6]).toContain('❌ **1** fail');
  expect(renderMarkdown(bareResults())).toMatch(/^## ✅ CONFORMANT\n/);
});

test('ledger and coverage stand in it in short', () => {
  const text = renderMarkdown(sampleResults());
  expect(text).toContain(
    '1 held · 1 broken · 1 not tested · coverage 1 of 2 operations, 1 of 1 fields, 0 of 1 values',
  );
  expect(text).toContain('**not tested** <code>purpose</code>');
});

test('no answer of a service leaves its place', () => {
  const result = sampleCase({ message: HOSTILE, model: 'ware|house', found: HOSTILE });
  const text = renderMarkdown(sampleResults({ cases: [result] }));
  // What stands in a fence is shown as it is; the fence is longer than any in the text.
  const [open, shown, close] = /\n(`{5,})\n([\s\S]*?)\n(`{5,})\n/.exec(text)?.slice(1) ?? [];
  expect(open).toBe(close);
  expect(shown).toContain('</script>');
  const outside = text.replace(shown ?? '', '');
  expect(outside).not.toMatch(/<\/?script|@someone|<!--/);
  expect(outside).toContain('1 model &#40;ware&#124;house&#41;');
});

test('control characters are shown', () => {
  const odd = 'a\u001b[2J\u0007\u009b\u202e';
  const cases = [sampleCase({ message: odd, found: odd, exchanges: [sampleExchange(`${odd}\r\nb`)] })];
  const text = renderMarkdown(sampleResults({ cases }));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not come through
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(text).toContain('\n< a\\u001b[2J\\u0007\\u009b\\u202e\n< b\n');
});

test('alike failures are told once', () => {
  const cases = ['brand', 'stock', 'share'].map((model) =>
    sampleCase({ id: `fields.type:${model}.name`, rule: 'fields.type', model, message: `${model} is odd` }),
  );
  const text = renderMarkdown(sampleResults({ cases }));
  expect(text.match(/<b>and 2 more<\/b>/g)).toHaveLength(1);
});

test('a summary stays below 1 MiB', () => {
  const exchanges = [sampleExchange('é'.repeat(400_000))];
  const cases = Array.from({ length: 100 }, (_item, index) => {
    const { setting: _, ...result } = sampleCase({ id: `x.${index}:a`, rule: `x.${index}`, exchanges });
    return result;
  });
  const text = renderMarkdown(sampleResults({ cases }));
  expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
  expect(text).toContain('The rest is omitted');
  expect(Buffer.byteLength(renderMarkdown(largeResults(80)))).toBeLessThan(300_000);
});
