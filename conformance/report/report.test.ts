import { expect, test } from 'vitest';
import {
  bareCase,
  bareResults,
  largeResults,
  sampleCase,
  sampleExchange,
  sampleResults,
} from '../../testing/sample-results.ts';
import type { Results } from '../results/results.ts';
import { causesOf, modelsLine } from './causes.ts';
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

test('every report but the results themselves stays under 2 MB, however bad a service is', () => {
  const results = worstResults();
  expect(results.cases.length).toBeGreaterThan(8400);
  for (const { name, render } of FORMATS) {
    const bytes = Buffer.byteLength(render(results));
    expect(bytes, name).toBeLessThan(name === 'json' ? 5_000_000 : 2_000_000);
  }
});

test('cases of one rule whose messages differ in names and numbers alone have one cause', () => {
  const groups = causesOf([
    failed('a.x:brand', 'brand', 'record 12 of brand is gone'),
    failed('a.x:stock', 'stock', 'record 7 of stock is gone'),
    failed('a.x:share', 'share', 'record 7 of share is twice there'),
  ]);
  expect(groups.map(({ models }) => models)).toEqual([['brand', 'stock'], ['share']]);
});

test('failures of two rules are told apart, what blocks two rules is not', () => {
  const ids = ['a.x:brand', 'b.x:brand'];
  expect(causesOf(ids.map((id) => failed(id, 'brand', 'no')))).toHaveLength(2);
  const [blocked, ...others] = causesOf(ids.map((id) => failed(id, 'brand', 'no', 'blocked')));
  expect([blocked?.about, others]).toEqual([undefined, []]);
});

test('a failure has no cause in common with advice, or with what is excused', () => {
  const one = failed('a.x:brand', 'brand', 'no');
  expect(causesOf([one, { ...one, level: 'advice' }, { ...one, excused: 'known' }])).toHaveLength(3);
});

test('rules about one setting have one cause, and what is assumed comes after what is stated', () => {
  const setting = (id: string, model: string) => ({
    ...failed(id, model, 'the target speaks another delete.effect'),
    level: 'assumed' as const,
    setting: 'delete.effect',
  });
  const causes = causesOf([
    failed('a.x:brand', 'brand', 'no'),
    setting('profile.delete:brand', 'brand'),
    setting('profile.deleted:share', 'share'),
    { ...bareCase('c.x:brand', 'pass', 'brand') },
    { ...failed('b.x:brand', 'brand', 'no'), level: 'advice' },
  ]);
  expect(causes.map(({ cases, first, standing }) => [standing, first.rule, cases.length])).toEqual([
    ['fail', 'a.x', 1],
    ['fail', 'profile.delete', 2],
    ['advice', 'b.x', 1],
  ]);
});

test('operations come first, then the shape of records, then values, then the rest', () => {
  const rules = [
    'absent.put',
    'create.keeps-field',
    'profile.types.date',
    'fields.type',
    'operations.delete',
  ];
  const causes = causesOf(
    rules.map((rule) => {
      const level = rule.startsWith('profile.') ? ('assumed' as const) : ('stated' as const);
      return { ...failed(`${rule}:brand`, 'brand', rule), level };
    }),
  );
  expect(causes.map(({ first }) => first.rule)).toEqual([
    'operations.delete',
    'fields.type',
    'profile.types.date',
    'create.keeps-field',
    'absent.put',
  ]);
});

test('cases that block each other in a circle are one cause', () => {
  const cases = ['a', 'b'].map((name, index, all) => ({
    ...failed(`${name}.x:brand`, 'brand', 'no', 'blocked'),
    blockedBy: `${all[1 - index]}.x:brand`,
  }));
  expect(causesOf(cases).flatMap((cause) => cause.cases)).toHaveLength(2);
});

test('the models of a cause are counted, and the first ones named', () => {
  expect(modelsLine({ models: ['brand'] })).toBe('1 model (brand)');
  expect(modelsLine({ models: ['a', 'b', 'c'] }, 2)).toBe('3 models (a, b and 1 more)');
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

function failed(id: string, model: string, message: string, outcome: 'fail' | 'blocked' = 'fail') {
  return { ...bareCase(id, outcome, model), message };
}
