import { describe, expect, test } from 'vitest';
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

describe('an operation', () => {
  const create = (change: Partial<CaseResult> = {}) =>
    resultOf('operations.create:brand', { operation: 'create', ...change });

  test.each([
    ['passes', create()],
    ['fails', create({ outcome: 'fail', message: 'a 500' })],
  ])('is judged when the case about it %s', (_, result) => {
    expect(item('operations', 'create brand', result)).toEqual({ name: 'create brand', exercised: true });
  });

  test.each([
    ['was blocked', create({ outcome: 'blocked', message: 'refused' }), 'refused'],
    ['was skipped', create({ outcome: 'skip', message: 'read-only' }), 'read-only'],
    [
      'was of another rule',
      resultOf('operations.create-required:brand', { operation: 'create' }),
      'no case ran',
    ],
    ['was of another model', resultOf('operations.create:share', { operation: 'create' }), 'no case ran'],
  ])('is not when the case %s, and says why', (_, result, why) => {
    expect(item('operations', 'create brand', result)).toEqual({
      name: 'create brand',
      exercised: false,
      why,
    });
  });
});

describe('a field', () => {
  const shown = (change: Partial<CaseResult> = {}) => resultOf('fields.shown:brand.name', change);

  test.each([
    ['passes', shown()],
    ['fails', shown({ outcome: 'fail', message: 'absent' })],
  ])('is judged when the case that it is shown %s', (_, result) => {
    expect(item('fields', 'brand.name', result)).toEqual({ name: 'brand.name', exercised: true });
    expect(item('fields', 'brand.id', result)).toMatchObject({ exercised: false, why: 'no case ran' });
  });

  test('is not when no response shows it, or another rule judges it', () => {
    const skipped = shown({ outcome: 'skip', message: 'no response shows it' });
    expect(item('fields', 'brand.name', skipped, resultOf('required.present:brand.name'))).toEqual({
      name: 'brand.name',
      exercised: false,
      why: 'no response shows it',
    });
  });
});

describe('a value', () => {
  const accepted = (value: string, change: Partial<CaseResult> = {}) =>
    resultOf(`values.accepted:stockOrder.status=${value}`, change);

  test('is judged when it was accepted or refused, and no other is with it', () => {
    expect(item('values', 'stockOrder.status=2', accepted('2'))).toMatchObject({ exercised: true });
    expect(item('values', 'stockOrder.status=2', accepted('1'))).toMatchObject({
      exercised: false,
      why: 'no case ran',
    });
    const refused = accepted('2', { outcome: 'fail', message: 'refused' });
    expect(item('values', 'stockOrder.status=2', refused)).toMatchObject({ exercised: true });
  });

  test('of a readonly field can not be sent, and says so', () => {
    expect(item('values', 'stockTransaction.type=0')).toMatchObject({
      exercised: false,
      why: 'stockTransaction.type is readonly',
    });
  });
});
