import { expect, test } from 'vitest';
import { resultOf } from '../../testing/checks.ts';
import {
  BIDI,
  BIDI_SHOWN,
  bareResults,
  largeResults,
  sampleCase,
  sampleExchange,
  sampleResults,
} from '../../testing/sample-results.ts';
import type { Results } from '../results/results.ts';
import { renderExchanges } from './exchanges.ts';
import { RENDERERS } from './report.ts';
import { renderTerminal } from './terminal.ts';

const FORMATS = Object.entries(RENDERERS).map(([name, render]) => ({ name, render }));

test.each(FORMATS)(
  'the format $name is a pure function of the results, contains only their times, and ends with a line break',
  ({ render }) => {
    const results = sampleResults();
    const before = JSON.stringify(results);
    const text = render(results);
    expect(render(structuredClone(results))).toBe(text);
    expect(JSON.stringify(results)).toBe(before);
    const times = text.match(/\b20\d\d-\d\d-\d\dT[\d:.]+Z?/g) ?? [];
    expect(new Set([...times, '2026-01-02T03:04:05.678Z']).size).toBe(1);
    for (const few of [bareResults(), sampleResults({ cases: [] })]) expect(render(few)).toMatch(/\S\n$/);
    if (text.includes('authorization')) expect(text).toMatch(/authorization[\s\S]{1,60}?\[redacted\]/);
  },
);

test.each<[string, (results: Results) => string]>([
  ['terminal', (results) => renderTerminal(results, { color: false, details: true })],
  ['exchanges', renderExchanges],
  ['github', RENDERERS.github],
  ['markdown', RENDERERS.markdown],
  ['junit', RENDERERS.junit],
])('text of a service adds no control or direction characters to the format %s', (format, render) => {
  const odd = `\u001b[2J\u0007\u009b1m\n  ::error::x\r\n##[error]y\tz ${BIDI}`;
  const result = sampleCase({ message: odd, expected: odd, found: odd, exchanges: [sampleExchange(odd)] });
  const cases = [
    result,
    { ...result, rule: 'a.b', id: `a.b:${BIDI}`, excused: odd },
    resultOf('g.h:i', { outcome: 'error', message: `::error::${odd}` }),
  ];
  const requirements = [{ id: 'r', section: '1', says: odd, state: 'broken', why: odd } as const];
  const facts = { target: `http://127.0.0.1/${BIDI}`, staleBaseline: [BIDI], leftovers: [BIDI], tag: BIDI };
  const text = render(sampleResults({ cases, requirements, ...facts }));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not come through
  expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Bidi_Control}/u);
  // Element text of XML can contain these.
  if (format !== 'junit') expect(text).not.toMatch(/[\u007f-\u009f]/);
  expect(text).toContain(BIDI_SHOWN);
  if (['terminal', 'exchanges'].includes(format)) expect(text).not.toMatch(/^\s*::|##\[|\r/m);
});

test('every report except the JSON results is smaller than 2 MB, even if all cases fail', () => {
  const results = worstResults();
  expect(results.cases.length).toBeGreaterThan(8400);
  for (const { name, render } of FORMATS) {
    const bytes = Buffer.byteLength(render(results));
    expect(bytes, name).toBeLessThan(name === 'json' ? 5_000_000 : 2_000_000);
  }
});

test('an HTML report states how many exchanges it omits', () => {
  const exchanges = Array.from({ length: 40 }, () => sampleExchange('x'.repeat(4000)));
  const cases = Array.from({ length: 1000 }, (_, index) => sampleCase({ id: `a.x:${index}`, exchanges }));
  expect(RENDERERS.html(sampleResults({ cases }))).toContain('"left":28');
});

test.each([
  [23, /\n\n3 more causes are not shown\.\n$/],
  [20, /<\/details>\n$/],
])('a summary in Markdown of %i causes says how many it leaves out', (count, end) => {
  const cases = Array.from({ length: count }, (_, index) =>
    resultOf(`a.x${index}:brand`, { outcome: 'fail' }),
  );
  expect(RENDERERS.markdown(sampleResults({ cases }))).toMatch(end);
});

/** As bad as a service can be: every case fails, in 80 ways, with long answers. */
function worstResults(): Results {
  const { cases } = largeResults(160, 'x');
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
