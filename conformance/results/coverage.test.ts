import { expect, test } from 'vitest';
import { loadRequirements, type Requirement } from '../../spec/requirements.ts';
import { catalogue, resultOf } from '../../testing/checks.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import { judgeRequirements, measureCoverage } from './compose-results.ts';
import type { CaseResult, CoverageItem, CoverageResult } from './results.ts';

function item(part: keyof CoverageResult, name: string, ...cases: CaseResult[]): CoverageItem | undefined {
  return measureCoverage(catalogue, cases)[part].find((one) => one.name === name);
}

test('each operation, field, and value of the catalogue has a coverage row, not exercised without cases', () => {
  const { fields, operations, values } = measureCoverage(catalogue, []);
  expect([operations.length, fields.length]).toEqual([SOURCE.totals.operations, SOURCE.totals.fields]);
  expect(new Set([...operations, ...fields, ...values].map(({ name }) => name)).size).toBe(
    operations.length + fields.length + values.length,
  );
  expect(new Set(values.map(({ name }) => name.split('=')[0])).size).toBe(SOURCE.totals.valueLists);
  expect([...operations, ...fields].every(({ exercised, why }) => !exercised && why === 'no case ran')).toBe(
    true,
  );
});

test('coverage counts only selected models', () => {
  const { fields, operations, values } = measureCoverage(catalogue, [], new Set(['locker']));
  const names = [
    ...operations.map(({ name }) => name.split(' ')[1]),
    ...fields.map(({ name }) => name.split('.')[0]),
  ];
  expect(new Set(names)).toEqual(new Set(['locker']));
  expect(values.every(({ name }) => name.startsWith('locker.'))).toBe(true);
});

const skipped = { outcome: 'skip', message: 'read-only' } as const;

test.each<[keyof CoverageResult, string, CaseResult[], string?]>([
  ['operations', 'create brand', [resultOf('operations.create:brand')]],
  ['operations', 'create brand', [resultOf('operations.create:brand', { outcome: 'fail' })]],
  ['operations', 'create brand', [resultOf('operations.create:brand', skipped)], 'read-only'],
  ['operations', 'create brand', [resultOf('operations.create-required:brand')], 'no case ran'],
  ['operations', 'create brand', [resultOf('operations.create:share')], 'no case ran'],
  ['fields', 'brand.name', [resultOf('fields.shown:brand.name', { outcome: 'fail' })]],
  ['fields', 'brand.id', [resultOf('fields.shown:brand.name')], 'no case ran'],
  [
    'fields',
    'brand.name',
    [resultOf('fields.shown:brand.name', skipped), resultOf('required.present:brand.name')],
    'read-only',
  ],
  ['values', 'stockOrder.status=2', [resultOf('values.accepted:stockOrder.status=2', { outcome: 'fail' })]],
  ['values', 'stockOrder.status=2', [resultOf('values.accepted:stockOrder.status=1')], 'no case ran'],
  ['values', 'stockTransaction.type=0', [], 'stockTransaction.type is readonly'],
])('%s: %s is covered only if the case about it passes or fails (%#)', (part, name, cases, why) => {
  const operation = 'create';
  const row = item(
    part,
    name,
    ...cases.map((one) => ({ ...one, ...(part === 'operations' ? { operation } : {}) }) as CaseResult),
  );
  expect(row).toEqual({ name, exercised: why === undefined, ...(why === undefined ? {} : { why }) });
});

const ROW: Requirement = { id: 'r', section: '4', says: 'Something.', rules: ['one', 'two'] };
const UNTESTABLE: Requirement = { ...ROW, rules: [], untestable: 'No request shows it.' };
const PASS = {};
const WRONG = { outcome: 'fail', message: 'wrong' } as const;
const EXCUSED = { outcome: 'fail', excused: 'known' } as const;
const BLOCKED = { outcome: 'blocked', message: 'no brand' } as const;
const ADVICE = { level: 'advice' } as const;
const ASSUMED = { level: 'assumed', ...WRONG } as const;
type Cases = readonly Partial<CaseResult>[];

test.each<[string, Cases, state: string, why?: string, requirement?: Requirement]>([
  ['one case passes and the others are skipped', [PASS, { outcome: 'skip' }], 'held'],
  ['all failures are excused', [PASS, EXCUSED], 'broken', 'excused: known'],
  ['one of two failures is excused', [EXCUSED, WRONG], 'broken'],
  ['advice fails', [PASS, { ...WRONG, ...ADVICE }], 'held'],
  ['one case is blocked and another passes', [PASS, BLOCKED], 'not tested', 'no brand'],
  ['only advice passes and a rule is skipped', [ADVICE, skipped], 'not tested', 'read-only'],
  ['the only rule is assumed and fails', [ASSUMED], 'not tested', 'wrong'],
  ['all rules are advice and pass', [ADVICE], 'held'],
  ['no case ran', [], 'not tested', 'no case ran'],
  ['no rule can test it', [PASS], 'not tested', 'No request shows it.', UNTESTABLE],
])('the state of a statement if %s', (_, changes, state, why, requirement = ROW) => {
  const cases = changes.map((change, at) => resultOf(`${ROW.rules[at]}:a`, change));
  const row = { id: 'r', section: '4', says: 'Something.', state };
  const [judged] = judgeRequirements([requirement], [...cases, resultOf('three:a')]);
  expect(judged).toEqual(why === undefined ? row : { ...row, why });
});

test('each statement of the source has a row, in order, and an untested one has a reason', () => {
  const requirements = loadRequirements();
  const rows = judgeRequirements(requirements.values(), []);
  expect(rows.map(({ id }) => id)).toEqual([...requirements.keys()]);
  for (const { state, why } of rows) expect([state, why?.length]).toEqual(['not tested', expect.any(Number)]);
});
