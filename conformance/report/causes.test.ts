import { expect, test } from 'vitest';
import { bareCase } from '../../testing/sample-results.ts';
import { causesOf, modelsLine } from './causes.ts';

function failed(id: string, model: string, message: string, outcome: 'fail' | 'blocked' = 'fail') {
  return { ...bareCase(id, outcome, model), message };
}

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

test('rules about one setting have one cause, and the cause with the most cases comes first', () => {
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
    ['fail', 'profile.delete', 2],
    ['fail', 'a.x', 1],
    ['advice', 'b.x', 1],
  ]);
});

test('the models of a cause are counted, and the first ones named', () => {
  expect(modelsLine({ models: ['brand'] })).toBe('1 model (brand)');
  expect(modelsLine({ models: ['a', 'b', 'c'] }, 2)).toBe('3 models (a, b and 1 more)');
});
