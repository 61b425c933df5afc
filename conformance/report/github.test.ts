import { expect, test } from 'vitest';
import {
  bareResults,
  HOSTILE,
  largeResults,
  sampleCase,
  sampleExchange,
  sampleResults,
} from '../../testing/sample-results.ts';
import { renderMarkdown } from './markdown.ts';
import { renderGithub } from './report.ts';

test('each kind of failure has one annotation with its severity, and the verdict is last', () => {
  const lines = renderGithub(sampleResults()).trimEnd().split('\n');
  const kinds = lines.map((line) => line.slice(2, line.indexOf(' ')));
  expect(kinds.join(' ')).toBe('error error error error warning warning notice notice');
  expect(lines[0]).toContain('title=stale baseline::fields.type:warehouse.name is fixed');
  expect(lines.at(-1)).toMatch(/^::notice title=NOT CONFORMANT%2C .*::.*1 fail/);
});

test('text of a service can neither end an annotation nor start another', () => {
  const result = sampleCase({ id: `a:b,c\n::error::${HOSTILE}`, message: HOSTILE });
  const text = renderGithub(sampleResults({ staleBaseline: [], cases: [result] }));
  expect(text.trimEnd().split(/[\r\n]/)).toHaveLength(2);
  expect(text).toContain('title=fail a%3Ab%2Cc%0A%3A%3Aerror');
  expect(text).toContain('%250A');
});

test('each kind has at most ten annotations, and the verdict says how many are not shown', () => {
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

test('the Markdown summary shows the verdict first, then the counts, the ledger, and the coverage', () => {
  const lines = renderMarkdown(sampleResults()).split('\n');
  expect(lines[0]).toMatch(/^## ❌ NOT CONFORMANT/);
  expect(lines[6]).toContain('❌ **1** fail');
  expect(renderMarkdown(bareResults())).toMatch(/^## ✅ CONFORMANT\n/);
  const text = renderMarkdown(sampleResults());
  expect(text).toContain(
    '1 held · 1 broken · 1 not tested · coverage 1 of 2 operations, 1 of 1 fields, 0 of 1 values',
  );
  expect(text).toContain('**not tested** <code>purpose</code>');
});

test("text of a service can't break out of its place in the Markdown summary", () => {
  const result = sampleCase({ message: HOSTILE, model: 'ware|house', found: HOSTILE });
  const text = renderMarkdown(sampleResults({ cases: [result] }));
  // The fence is longer than any in the text, so Markdown does not interpret the text.
  const [open, shown, close] = /\n(`{5,})\n([\s\S]*?)\n(`{5,})\n/.exec(text)?.slice(1) ?? [];
  expect(open).toBe(close);
  expect(shown).toContain('</script>');
  const outside = text.replace(shown ?? '', '');
  expect(outside).not.toMatch(/<\/?script|@someone|<!--/);
  expect(outside).toContain('1 model &#40;ware&#124;house&#41;');
});

test('a Markdown summary is smaller than 1 MiB', () => {
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
