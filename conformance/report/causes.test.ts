import { expect, test } from 'vitest';
import { bareCase, sampleCase, sampleExchange } from '../../testing/sample-results.ts';
import type { CaseResult } from '../results/results.ts';
import { causesOf, sentenceOf } from './summary.ts';

function sentence(change: Partial<CaseResult>, most?: number): string | undefined {
  const model = { model: 'locker', field: 'name', message: 'a retrieve shows another value' };
  const [cause] = causesOf([sampleCase({ ...model, ...change })]);
  return cause && sentenceOf(cause, most);
}

test('a string that is cut is counted in characters', () => {
  const sides = { expected: JSON.stringify('a 😀 in a name'), found: JSON.stringify('a 😀') };
  expect(sentence(sides)).toBe('locker.name is cut at 3 characters');
});

test.each([
  ['create.keeps-field', 'locker.name is lost after a create'],
  ['update.changes-field', 'locker.name is lost after an update'],
  ['update.keeps-other-fields', 'locker.name is lost after an update of other fields'],
])('a text that is lost under %s is named with the write', (rule, told) => {
  expect(sentence({ rule, expected: '"a name"', found: 'null' })).toBe(told);
});

test('a stated cause is before one of a setting, and harm to other records before their values', () => {
  const failed = ['profile.response.total', 'create.keeps-field', 'update.keeps-other-records'].map((rule) =>
    sampleCase({
      ...bareCase(`${rule}:locker`, 'fail', 'locker'),
      rule,
      message: `${rule} failed`,
      expected: '1',
      found: '2',
      level: rule.startsWith('profile') ? 'assumed' : 'stated',
    }),
  );
  expect(causesOf(failed).map(({ first }) => first.rule)).toEqual(failed.map(({ rule }) => rule).reverse());
});

test('a sentence is cut at its end', () => {
  const sides = { expected: 'types.currency number', found: 'types.currency string' };
  const start = 'locker.name: a retrieve shows another value; expected types.currency number';
  expect(sentence(sides, 110)).toBe(`${start}, found types.currency string`);
  expect(sentence(sides, 97)).toBe(`${start}, found types.currency…`);
});

test('an operation that rejects a valid value is named with the field', () => {
  const exchange = sampleExchange();
  const refusal = {
    ...bareCase('operations.create-required:warehouse', 'fail'),
    message: 'a valid value is refused for warehouse.name: "a long name"; pass one with --pin',
    expected: 'a 2xx status',
    found: 'status 400: {}',
    exchanges: [{ ...exchange, response: { ...exchange.response, status: 400 } }],
  };
  const [cause] = causesOf([refusal]);
  expect(cause && sentenceOf(cause)).toBe(
    'POST /api/model/warehouse returns 400 Bad Request for a valid warehouse.name; expected a 2xx status',
  );
});

test('a text that is cut at one length is one cause, whatever rules and fields show it', () => {
  const cut = (id: string, changes: Partial<CaseResult> = {}) =>
    sampleCase({
      id,
      rule: id.split(':')[0] ?? '',
      model: 'locker',
      expected: '"a name of a locker"',
      found: '"a name of"',
      ...changes,
    });
  const cases = [
    cut('create.keeps-field:locker.name'),
    cut('update.changes-field:locker.name'),
    cut('update.changes-field:brand.name', { model: 'brand' }),
    cut('advice.text-kept:locker.name', { level: 'advice' }),
    cut('update.changes-field:share.name', { model: 'share', found: '"a name"' }),
    cut('create.keeps-field:deposit.name', { model: 'deposit', outcome: 'flaky' }),
  ];
  expect(causesOf(cases).map((cause) => [sentenceOf(cause), cause.cases.length, cause.standing])).toEqual([
    ['locker.name is cut at 9 characters, like 1 other field', 3, 'fail'],
    ['share.name is cut at 6 characters', 1, 'fail'],
    ['deposit.name is cut at 9 characters', 1, 'flaky'],
    ['locker.name is cut at 9 characters', 1, 'advice'],
  ]);
});

test('advice about one change of all texts is one cause', () => {
  const trimmed = (model: string, changes: Partial<CaseResult> = {}) =>
    sampleCase({
      id: `advice.text-kept:${model}.name`,
      rule: 'advice.text-kept',
      level: 'advice',
      model,
      expected: '" a name "',
      found: '"a name"',
      ...changes,
    });
  const stated = {
    id: 'create.keeps-field:share.name',
    rule: 'create.keeps-field',
    level: 'stated',
  } as const;
  const cases = [trimmed('locker'), trimmed('brand'), trimmed('share'), trimmed('share', stated)];
  expect(causesOf(cases).map((cause) => [sentenceOf(cause), cause.cases.length, cause.standing])).toEqual([
    ['share.name loses spaces at its ends', 1, 'fail'],
    ['locker.name loses spaces at its ends, like 2 other fields', 3, 'advice'],
  ]);
});
