import { expect, test } from 'vitest';
import { sampleCase, sampleExchange, sampleResults } from '../../testing/sample-results.ts';
import { renderHtml } from './html.ts';

test('a page keeps within what a browser opens easily, and says what it left out', () => {
  const exchanges = Array.from({ length: 40 }, () => sampleExchange('x'.repeat(4000)));
  const cases = Array.from({ length: 1000 }, (_, index) => sampleCase({ id: `a.x:${index}`, exchanges }));
  const html = renderHtml(sampleResults({ cases }));
  expect(html.length).toBeLessThan(2_000_000);
  expect(html).toContain('"left":28');
});
