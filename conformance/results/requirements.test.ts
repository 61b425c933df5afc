import { expect, test } from 'vitest';
import { loadRequirements, type Requirement } from '../../spec/requirements.ts';
import { resultOf } from '../../testing/checks.ts';
import { judgeRequirements } from './compose-results.ts';
import type { CaseResult } from './results.ts';

const ROW: Requirement = { id: 'r', section: '4', says: 'Something.', rules: ['one', 'two'] };
const UNTESTABLE: Requirement = { ...ROW, rules: [], untestable: 'No request shows it.' };

test.each<[string, Requirement, CaseResult[], string, string?]>([
  [
    'a case passes and the rest were skipped',
    ROW,
    [resultOf('one:a'), resultOf('two:a', { outcome: 'skip' })],
    'held',
  ],
  [
    'all that fails is excused',
    ROW,
    [resultOf('one:a'), resultOf('two:a', { outcome: 'fail', excused: 'known' })],
    'broken',
    'excused: known',
  ],
  [
    'one of the failures is excused',
    ROW,
    [
      resultOf('one:a', { outcome: 'fail', excused: 'known' }),
      resultOf('two:a', { outcome: 'fail', message: 'wrong' }),
    ],
    'broken',
  ],
  ['advice fails', ROW, [resultOf('one:a'), resultOf('two:a', { outcome: 'fail', level: 'advice' })], 'held'],
  [
    'a case is blocked beside one that passes',
    ROW,
    [resultOf('one:a'), resultOf('two:a', { outcome: 'blocked', message: 'no brand' })],
    'not tested',
    'no brand',
  ],
  [
    'only advice passes beside a rule that was skipped',
    ROW,
    [
      resultOf('one:a', { level: 'advice' }),
      resultOf('two:a', { outcome: 'skip', message: 'does not apply' }),
    ],
    'not tested',
    'does not apply',
  ],
  [
    'an assumption is all there is, and breaks',
    ROW,
    [resultOf('one:a', { level: 'assumed', outcome: 'fail', message: 'it speaks otherwise' })],
    'not tested',
    'it speaks otherwise',
  ],
  ['all rules are advice, and pass', ROW, [resultOf('one:a', { level: 'advice' })], 'held'],
  ['no case ran', ROW, [resultOf('three:a')], 'not tested', 'no case ran'],
  ['no rule can test it', UNTESTABLE, [resultOf('one:a')], 'not tested', 'No request shows it.'],
])('a statement of which %s', (_, requirement, cases, state, why) => {
  const row = { id: 'r', section: '4', says: 'Something.', state };
  expect(judgeRequirements([requirement], cases)).toEqual([why === undefined ? row : { ...row, why }]);
});

test('every statement of the source has a row, in order; what was not tested says why', () => {
  const requirements = loadRequirements();
  const rows = judgeRequirements(requirements.values(), []);
  expect(rows.map(({ id }) => id)).toEqual([...requirements.keys()]);
  for (const { state, why } of rows) expect([state, why?.length]).toEqual(['not tested', expect.any(Number)]);
});
