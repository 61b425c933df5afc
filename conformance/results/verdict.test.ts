import { expect, test } from 'vitest';
import { resultOf } from '../../testing/checks.ts';
import { bareResults, sampleResults } from '../../testing/sample-results.ts';
import { type CaseResult, exitCode, headline, type Results, remarksOn, verdictOf } from './results.ts';

const pass = resultOf('operations.create:warehouse');
const failed = resultOf('fields.type:brand.name', { outcome: 'fail' });
const flaky = resultOf('list.shows-record:brand', { outcome: 'flaky', retried: 'not reproduced' });

/** A run of such cases that nothing else stands against. */
function run(cases: readonly CaseResult[], changes: Partial<Results> = {}): Results {
  const { counts: _, ...bare } = bareResults();
  return sampleResults({ ...bare, planned: cases.length, ...changes, cases });
}

const item = (name: string, exercised: boolean) => ({ name, exercised });
const coverage = {
  operations: [item('list brand', true), item('create brand', false)],
  fields: [item('brand.id', true), item('brand.name', true), item('brand.created', true)],
  values: [item('locker.status=0', false)],
};

const ours = { ...pass, outcome: 'error' } as const;
const lost = 'nothing listens there';

test.each<[what: string, code: number, verdict: string, results: Results]>([
  ['a run in which all cases passed', 0, 'conformant', run([pass])],
  ['a read-only run', 0, 'reads conformant', run([pass], { readOnly: true })],
  ['a known failure', 0, 'conformant', run([{ ...failed, excused: 'known' }])],
  ['advice', 0, 'conformant', run([{ ...failed, level: 'advice' }])],
  ['advice that is flaky', 0, 'conformant', run([{ ...flaky, level: 'advice' }])],
  ['sufficient coverage', 0, 'conformant', run([pass], { coverage, minCoverage: 50 })],
  ['a flaky case', 4, 'inconclusive', run([pass, flaky])],
  ['a run that reached its time limit', 4, 'inconclusive', run([pass], { planned: 9, ended: 'out of time' })],
  ['a lost target', 3, 'inconclusive', run([pass], { lost })],
  ['an error of the suite', 3, 'inconclusive', run([pass, ours])],
  ['a failure', 1, 'not conformant', run([failed])],
  ['a blocked case', 1, 'not conformant', run([{ ...failed, outcome: 'blocked' }])],
  ['a stale baseline', 1, 'not conformant', run([pass], { staleBaseline: ['a.b:c'] })],
  ['insufficient coverage', 1, 'not conformant', run([pass], { coverage, minCoverage: 51 })],
  ['a failure before the target was lost', 1, 'not conformant', run([failed], { lost })],
  ['a failure, an error, and a flaky case', 1, 'not conformant', run([failed, ours, flaky])],
  ['an interruption', 130, 'inconclusive', run([pass], { planned: 9, ended: 'interrupted' })],
  ['an interruption after a failure', 130, 'not conformant', run([failed], { ended: 'interrupted' })],
])('the exit code of %s is %i', (_, code, verdict, results) => {
  expect([exitCode(results), verdictOf(results)]).toEqual([code, verdict]);
});

const skipped = resultOf('fields.type:subscriptionTask.name', { outcome: 'skip' });

test('the headline states the number of known failures of a conformant service', () => {
  const known = { ...failed, excused: 'known' };
  expect(headline(run([pass, known]))).toBe('CONFORMANT WITH 1 KNOWN FAILURE');
  expect(headline(run([known, { ...flaky, excused: 'known' }]))).toBe('CONFORMANT WITH 2 KNOWN FAILURES');
});

test('the headline of a read-only run states how many operations and fields were seen', () => {
  expect(headline(run([pass], { coverage, readOnly: true }))).toBe(
    'READS CONFORMANT (1 of 2 operations and 3 of 3 fields seen)',
  );
});

test('the headline counts a model only if one of its cases passed', () => {
  expect(headline(run([pass, skipped], { notBuilt: ['share'] }))).toMatch(/^1 MODEL CONFORMANT, 1 not built/);
});

test('the headline names the models without any seen record', () => {
  expect(headline(run([pass, skipped]))).toBe('CONFORMANT, subscriptionTask not seen (no records)');
  const many = ['a', 'b', 'c', 'd', 'e'].map((model) => ({ ...skipped, model }));
  expect(headline(run([pass, ...many]))).toBe('CONFORMANT, a, b, c and 2 more not seen (no records)');
  expect(headline(run([{ ...skipped, outcome: 'blocked' }]))).toBe('NOT CONFORMANT, 0 of 1 models conform');
});

test('remarks state why a run does not pass, apart from its cases', () => {
  const results = run([pass, flaky], { planned: 9, ended: 'out of time', coverage, minCoverage: 90 });
  expect(remarksOn(results)).toEqual([
    'coverage of operations is 50 % (1 of 2); the minimum is 90 %',
    'ended early after 2 of 9 cases: the time limit (--max-time) was reached',
    '1 of 2 cases failed and then passed when tried again',
  ]);
  expect(remarksOn(run([pass]))).toEqual([]);
});
