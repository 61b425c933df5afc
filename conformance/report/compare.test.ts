import { expect, test } from 'vitest';
import { resultOf } from '../../testing/checks.ts';
import { hostileResults, sampleResults } from '../../testing/sample-results.ts';
import type { CaseResult, Outcome, Results } from '../results/results.ts';
import { changesLine, compareResults } from './compare.ts';
import { renderComparisonMarkdown } from './markdown.ts';
import { renderComparison } from './terminal.ts';

function runOf(outcomes: Readonly<Record<string, Outcome>>, changes: Partial<CaseResult> = {}): Results {
  const cases = Object.entries(outcomes).map(([id, outcome]) => resultOf(id, { outcome, ...changes }));
  return sampleResults({ cases, staleBaseline: [] });
}

function compared(before: Results, now: Results) {
  return compareResults({ file: 'old.json', results: before }, now);
}

/** The number of cases by change. */
function changes(before: Results, now: Results): Readonly<Record<string, number>> {
  return Object.fromEntries(compared(before, now).groups.map(({ cases, change }) => [change, cases]));
}

const ID = 'create.keeps-field:brand';

test.each<[Outcome | undefined, Outcome | undefined, object]>([
  ['pass', 'fail', { new: 1 }],
  ['pass', 'blocked', { new: 1 }],
  ['fail', 'fail', { 'still failing': 1 }],
  ['fail', 'blocked', { 'still failing': 1 }],
  ['blocked', 'fail', { 'no longer blocked': 1 }],
  ['fail', 'pass', { fixed: 1 }],
  ['fail', undefined, { 'no longer tested': 1 }],
  ['pass', undefined, { 'no longer tested': 1 }],
  ['pass', 'pass', {}],
])('a case with %s before and %s now is %j', (was, is, expected) => {
  const one = (outcome: Outcome | undefined) => runOf(outcome === undefined ? {} : { [ID]: outcome });
  expect(changes(one(was), one(is))).toEqual(expected);
});

test('a case that the baseline excuses is not a new failure, and is counted', () => {
  const { groups, remarks } = compared(
    runOf({ [ID]: 'pass' }),
    runOf({ [ID]: 'fail' }, { excused: 'known until 2030-01-01: ours' }),
  );
  expect(groups).toEqual([]);
  expect(remarks).toEqual(['1 new failure excused by the baseline']);
});

test('cases that are no longer tested are grouped by reason, with the number that failed before', () => {
  const before = runOf({
    'a.b:brand': 'fail',
    'a.c:brand': 'pass',
    'a.b:share': 'pass',
    'a.b:locker': 'fail',
  });
  const now = { ...runOf({ 'a.b:locker': 'flaky' }), notBuilt: ['brand'] };
  expect(compared(before, now).groups[0]?.first.map(({ cases, sentence }) => [sentence, cases])).toEqual([
    ['the model is not built; 1 of them failed before', 2],
    ['failed, then passed in a retry; 1 of them failed before', 1],
    ['not selected, or not a case of this profile', 1],
  ]);
  expect(compared(before, { ...now, planned: 9 }).groups[0]?.first.at(-1)?.sentence).toBe(
    'the run ended early',
  );
});

test('models that only one run has do not affect the number of conforming models', () => {
  const before = runOf({ 'a.b:brand': 'fail', 'a.b:share': 'pass' });
  const now = runOf({ 'a.b:brand': 'pass', 'a.b:locker': 'pass' });
  expect(compared(before, now).conforming).toEqual({ before: 0, now: 1 });
  expect(compared(before, runOf({ 'a.b:locker': 'pass' })).conforming).toBeUndefined();
});

test('the comparison names differences that do not come from the service, such as another base URL', () => {
  const before = sampleResults({ target: 'http://127.0.0.1:1', readOnly: false, planned: 100 });
  const { remarks } = compared(before, sampleResults({ profile: { name: 'x', differs: [] } }));
  expect(remarks).toEqual([
    'base URL: http://127.0.0.1:1 before, http://127.0.0.1:4010 now',
    'settings of the profile: delete.effect remove before, defaults now',
    'requests sent: all before, only GET now',
    'the earlier run ended early after 8 of 100 cases',
  ]);
});

test('a hostile file can neither write control characters to the terminal nor inject Markdown', () => {
  const hostile = hostileResults();
  const comparison = compareResults({ file: 'a\u001b[2J|<b>.json', results: hostile }, sampleResults());
  const lines = renderComparison(comparison, hostile, false);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal must not get
  expect(lines).not.toMatch(/[\u0000-\u0008\u001b]/);
  expect(renderComparisonMarkdown(comparison, hostile)).not.toMatch(/<script|<b>/);
  expect(changesLine(comparison)).toMatch(/^\d+ new causes? /);
});
