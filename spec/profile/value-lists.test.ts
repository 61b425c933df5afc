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
    ['{ work: [es] }', 'the key is "work"; expected works. Did you mean works?'],
    ['{ works: [es], all: true }', 'the key is "all"; expected works'],
    ['{}', 'the key is "nothing"; expected works'],
    ['{ works: [] }', 'values of customer.language are empty'],
  ])('are refused as %s', (text, expected) => {
    expect(complaint(`values: { customer.language: ${text} }`)).toContain(expected);
  });
});

describe('a profile is refused, with file and line,', () => {
  test.each<[string, string, string]>([
    [
      'for values that are no lists',
      'values: [es]',
      'values is ["es"]; expected lists of values by model.field',
    ],
    [
      'for values of an unknown field',
      'values: { customer.langage: [es] }',
      'Did you mean customer.language?',
    ],
    [
      'for values of a field below a field',
      'values: { customer.language.x: [es] }',
      'a field of values is "customer.language.x"',
    ],
    [
      'for values of a field that is no select',
      'values: { customer.name: [es] }',
      'a field of values is "customer.name"',
    ],
    [
      'for values that the catalogue states',
      'values: { crmContact.language: [fr] }',
      'values of crmContact.language are stated by the catalogue',
    ],
    [
      'for no values',
      'values: { customer.language: [] }',
      'values of customer.language are empty; expected at least one',
    ],
    [
      'for a value twice',
      'values: { customer.language: [es, es] }',
      'values of customer.language name a value twice',
    ],
    [
      'for mixed values',
      'values: { customer.language: [es, 1] }',
      'values of customer.language are ["es",1]; expected numbers, or texts',
    ],
    ['for values that are no scalars', 'values: { customer.language: [[es]] }', 'expected numbers, or texts'],
    ['for values that are no numbers', 'values: { customer.language: [.nan] }', 'expected numbers, or texts'],
    [
      'for an unknown model of fkModel',
      'values: { fkModel: [custmer] }',
      'values of fkModel is "custmer"; expected one of',
    ],
    [
      'for an unknown model of fkModel, with the likely one',
      'values: { fkModel: [custmer] }',
      'Did you mean customer?',
    ],
    [
      'for a model of fkModel twice',
      'values: { fkModel: [customer, customer] }',
      'values of fkModel name a value twice',
    ],
    ['for values of the prototype', 'values: { __proto__: [es] }', 'a field of values is "__proto__"'],
  ])('%s', (_name, text, expected) => {
    expect(complaint(text)).toContain(expected);
  });
});

test('a catalogue without a select field is said to have none', () => {
  expect(() => createProfile({ values: { 'a.b': ['x'] } }, NOTHING)).toThrow(
    /^profile:1: values names a\.b; the catalogue has no select field$/,
  );
});
