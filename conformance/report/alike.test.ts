import { expect, test } from 'vitest';
import { bareCase } from '../../testing/sample-results.ts';
import { groupAlike } from './alike.ts';

function failed(id: string, model: string, message: string, outcome: 'fail' | 'blocked' = 'fail') {
  return { ...bareCase(id, outcome, model), message };
}

test('cases of one rule whose messages differ in names and numbers alone are alike', () => {
  const groups = groupAlike([
    failed('a.x:brand', 'brand', 'record 12 of brand is gone'),
    failed('a.x:stock', 'stock', 'record 7 of stock is gone'),
    failed('a.x:share', 'share', 'record 7 of share is twice there'),
  ]);
  expect(groups.map((group) => group.map(({ model }) => model))).toEqual([['brand', 'stock'], ['share']]);
});

test('failures of two rules are told apart, what blocks two rules is not', () => {
  const ids = ['a.x:brand', 'b.x:brand'];
  expect(groupAlike(ids.map((id) => failed(id, 'brand', 'no')))).toHaveLength(2);
  expect(groupAlike(ids.map((id) => failed(id, 'brand', 'no', 'blocked')))).toHaveLength(1);
});

test('a failure is not alike with an advice or an excused one', () => {
  const one = failed('a.x:brand', 'brand', 'no');
  expect(groupAlike([one, { ...one, level: 'advice' }, { ...one, excused: 'known' }])).toHaveLength(3);
});
