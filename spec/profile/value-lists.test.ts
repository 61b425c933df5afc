import { describe, expect, test } from 'vitest';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { completeList, createProfile, workingValues } from './profile.ts';

const { complaint, load } = useProfileFile();

const NOTHING: Catalogue = { title: 'T', version: '1', base: '/api', areas: [], models: new Map() };

describe('values that work', () => {
  test('are told apart from the complete list', () => {
    const { values } = load('values: { customer.language: { works: [es, ca] }, fkModel: [customer] }');
    expect(completeList(values, 'customer.language')).toBeUndefined();
    expect(workingValues(values, 'customer.language')).toEqual(['es', 'ca']);
    expect(completeList(values, 'fkModel')).toEqual(['customer']);
    expect(workingValues(values, 'fkModel')).toEqual(['customer']);
    expect(workingValues(values, 'constructor')).toBeUndefined();
  });

  test.each([
    ['{ work: [es] }', 'Unknown key "work". Did you mean "works"?'],
    ['{}', 'The mapping is empty. Add the key works.'],
    ['{ works: [] }', 'values for customer.language must have at least one value.'],
  ])('are refused as %s', (text, expected) => {
    expect(complaint(`values: { customer.language: ${text} }`)).toContain(expected);
  });
});

describe('a profile is refused, with file and line,', () => {
  test.each<[string, string]>([
    [
      'values: [es]',
      'values must be a mapping from model.field, or fkModel, to lists of values, but is ["es"].',
    ],
    [
      'values: { customer.langage: [es] }',
      'Unknown field "customer.langage" in values. Did you mean "customer.language"?',
    ],
    [
      'values: { customer.name: [es] }',
      'Unknown field "customer.name" in values. Use one of 14 names, such as "customer.gender", "customer.language", "locker.status", "customer.taxDocumentType", or "stockOrder.status".',
    ],
    [
      'values: { crmContact.language: [fr] }',
      `values can't name crmContact.language because the catalogue lists its values. Remove this entry.`,
    ],
    ['values: { customer.language: [] }', 'values for customer.language must have at least one value.'],
    [
      'values: { customer.language: [es, es] }',
      'values for customer.language lists a value twice. List each value once.',
    ],
    [
      'values: { customer.language: [es, 1] }',
      'values for customer.language must be all numbers or all strings, but is ["es",1].',
    ],
    [
      'values: { customer.language: [.nan] }',
      'values for customer.language must be all numbers or all strings, but is [',
    ],
    [
      'values: { fkModel: [custmer] }',
      'Unknown model "custmer" in values for fkModel. Did you mean "customer"?',
    ],
    [
      'values: { __proto__: [es] }',
      'Unknown field "__proto__" in values. Use one of 14 names, such as "locker.status", "customer.gender", "crmContact.gender", "stockOrder.status", or "voucherType.kind".',
    ],
  ])('for %j', (text, expected) => {
    expect(complaint(text)).toContain(expected);
  });
});

test('a catalogue without a select field is said to have none', () => {
  expect(() => createProfile({ values: { 'a.b': ['x'] } }, NOTHING)).toThrow(
    /^profile:1: values can't name a\.b because the catalogue has no select field\. Remove this entry\.$/,
  );
});
