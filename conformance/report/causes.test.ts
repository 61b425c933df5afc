import { expect, test } from 'vitest';
import { resultOf } from '../../testing/checks.ts';
import { sampleExchange } from '../../testing/sample-results.ts';
import type { CaseResult } from '../results/results.ts';
import { causesOf, sentenceOf } from './summary.ts';

const failed = (id: string, change: Partial<CaseResult> = {}) =>
  resultOf(id, { outcome: 'fail', message: 'no', ...change });

const LOST = { expected: '"a name"', found: 'null' };
const OTHER = { expected: 'types.currency number', found: 'types.currency string' };
const START = 'locker.name: no; expected types.currency number';
const { request, response } = sampleExchange();
const REFUSED: Partial<CaseResult> = {
  message: 'a valid value is refused for warehouse.name: "a long name"; pass one with --pin',
  expected: 'a 2xx status',
  found: 'status 400: {}',
  exchanges: [{ request, response: { ...response, status: 400 } }],
};

test.each<[id: string, told: string, change: Partial<CaseResult>, most?: number]>([
  // Characters, not code units.
  [
    'a.b:locker.name',
    'locker.name is cut at 3 characters',
    { expected: '"a 😀 in a name"', found: '"a 😀"' },
  ],
  ['create.keeps-field:locker.name', 'locker.name is lost after a create', LOST],
  ['update.changes-field:locker.name', 'locker.name is lost after an update', LOST],
  ['update.keeps-other-fields:locker.name', 'locker.name is lost after an update of other fields', LOST],
  ['a.b:locker.name', `${START}, found types.currency string`, OTHER, 80],
  ['a.b:locker.name', `${START}, found types.currency…`, OTHER, 69],
  [
    'operations.create-required:warehouse',
    'POST /api/model/warehouse returns 400 Bad Request for a valid warehouse.name; expected a 2xx status',
    REFUSED,
  ],
])('the sentence about a failed %s is: %s', (id, told, change, most) => {
  const [cause] = causesOf([failed(id, change)]);
  expect(cause && sentenceOf(cause, most)).toBe(told);
});

const [BRAND, OTHER_RULE] = ['a.x:brand', 'b.x:brand'] as const;
const SETTING = { level: 'assumed', setting: 'delete.effect' } as const;
const ADVICE = { level: 'advice' } as const;
const CUT = { expected: '"a name of a locker"', found: '"a name of"' };
const TRIMMED = { expected: '" a name "', found: '"a name"' };
type Group = readonly [standing: string, about: string | undefined, cases: number, sentence: string];

const GROUPED: Readonly<Record<string, readonly [CaseResult[], Group[]]>> = {
  'one rule are grouped by their messages without names and numbers': [
    [
      failed('a.x:brand', { message: 'record 12 of brand is gone' }),
      failed('a.x:stock', { message: 'record 7 of stock is gone' }),
      failed('a.x:share', { message: 'record 7 of share is twice there' }),
    ],
    [
      ['fail', 'a.x', 2, 'record 12 of brand is gone'],
      ['fail', 'a.x', 1, 'share: record 7 of share is twice there'],
    ],
  ],
  'two rules are separate': [
    [failed(BRAND), failed(OTHER_RULE)],
    [
      ['fail', 'a.x', 1, 'brand: no'],
      ['fail', 'b.x', 1, 'brand: no'],
    ],
  ],
  'two rules that are blocked by one reason are grouped': [
    [failed(BRAND, { outcome: 'blocked' }), failed(OTHER_RULE, { outcome: 'blocked' })],
    [['blocked', undefined, 2, 'brand: no']],
  ],
  'a failure, advice, and an excused failure are separate': [
    [failed(BRAND), failed(BRAND, { excused: 'known' }), failed(BRAND, ADVICE)],
    [
      ['fail', 'a.x', 1, 'brand: no'],
      ['advice', 'a.x', 1, 'brand: no'],
      ['excused', 'a.x', 1, 'brand: no'],
    ],
  ],
  'one setting are grouped, after stated rules': [
    [
      failed(BRAND),
      failed('profile.delete:brand', SETTING),
      failed('profile.deleted:share', SETTING),
      resultOf('c.x:brand'),
      failed(OTHER_RULE, ADVICE),
    ],
    [
      ['fail', 'a.x', 1, 'brand: no'],
      ['fail', 'delete.effect (setting)', 2, 'no'],
      ['advice', 'b.x', 1, 'brand: no'],
    ],
  ],
  'harm to other records come first, then values, then settings': [
    [
      failed('profile.response.total:locker', { level: 'assumed' }),
      failed('create.keeps-field:locker'),
      failed('update.keeps-other-records:locker'),
    ],
    [
      ['fail', 'update.keeps-other-records', 1, 'locker: no'],
      ['fail', 'create.keeps-field', 1, 'locker: no'],
      ['fail', 'profile.response.total', 1, 'locker: no'],
    ],
  ],
  'strings that are cut at one length are grouped across rules and fields': [
    [
      failed('create.keeps-field:locker.name', CUT),
      failed('update.changes-field:locker.name', CUT),
      failed('update.changes-field:brand.name', CUT),
      failed('advice.text-kept:locker.name', { ...CUT, ...ADVICE }),
      failed('update.changes-field:share.name', { ...CUT, found: '"a name"' }),
      failed('create.keeps-field:deposit.name', { ...CUT, outcome: 'flaky' }),
    ],
    [
      ['fail', 'create.keeps-field', 3, 'locker.name is cut at 9 characters, like 1 other field'],
      ['fail', 'update.changes-field', 1, 'share.name is cut at 6 characters'],
      ['flaky', 'create.keeps-field', 1, 'deposit.name is cut at 9 characters'],
      ['advice', 'advice.text-kept', 1, 'locker.name is cut at 9 characters'],
    ],
  ],
  'advice about one change of all strings are grouped': [
    [
      ...['locker', 'brand', 'share'].map((model) =>
        failed(`advice.text-kept:${model}.name`, { ...TRIMMED, ...ADVICE }),
      ),
      failed('create.keeps-field:share.name', TRIMMED),
    ],
    [
      ['fail', 'create.keeps-field', 1, 'share.name loses spaces at its ends'],
      ['advice', 'advice.text-kept', 3, 'locker.name loses spaces at its ends, like 2 other fields'],
    ],
  ],
};

test.each(Object.entries(GROUPED))('cases of %s', (_, [cases, groups]) => {
  const causes = causesOf(cases);
  expect(causes.map((cause) => [cause.standing, cause.about, cause.cases.length, sentenceOf(cause)])).toEqual(
    groups,
  );
});
