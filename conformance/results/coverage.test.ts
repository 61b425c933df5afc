import { expect, test } from 'vitest';
import { catalogue, resultOf } from '../../testing/checks.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import { measureCoverage } from './compose-results.ts';
import type { CaseResult, CoverageItem, CoverageResult } from './results.ts';

function item(part: keyof CoverageResult, name: string, ...cases: CaseResult[]): CoverageItem | undefined {
  return measureCoverage(catalogue, cases)[part].find((one) => one.name === name);
}

test('everything in the catalogue has its row, and without cases none is exercised', () => {
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

test('only selected models count', () => {
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
