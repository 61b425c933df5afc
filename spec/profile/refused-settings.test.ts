import { describe, expect, test } from 'vitest';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { createProfile, loadProfile } from './profile.ts';

const catalogue = loadCatalogue();
const { complaint, path } = useProfileFile();

describe('a profile is refused, with file and line,', () => {
  test.each<[string, string, string]>([
    [
      'for an unknown group',
      'delte: { effect: remove }',
      'p.yaml:1: the setting is "delte"; expected request, response, status',
    ],
    ['for an unknown group, with the likely one', 'delte: {}', 'Did you mean delete?'],
    [
      'for an unknown setting',
      'delete:\n  efect: remove',
      'p.yaml:2: the setting is "delete.efect"; expected delete.effect, delete.answer',
    ],
    [
      'for an unknown setting, with the likely one',
      'delete: { efect: remove }',
      'Did you mean delete.effect?',
    ],
    ['for an unknown dotted setting', 'delete.efect: remove', 'the setting is "delete.efect"'],
    [
      'for a setting below a setting',
      'delete.effect: { mark: true }',
      'delete.effect is {"mark":true}; expected mark or remove',
    ],
    ['for a group that is no mapping', 'delete: remove', 'p.yaml:1: found "remove"; expected a mapping'],
    ['for a list', '- delete', 'p.yaml:1: found a list; expected a mapping'],
    [
      'for a setting in both notations',
      'delete.effect: mark\ndelete: { effect: remove }',
      'p.yaml:2: delete.effect stands twice; expected it once',
    ],
    [
      'for a wrong option',
      '\ndelete.effect: soft',
      'p.yaml:2: delete.effect is "soft"; expected mark or remove',
    ],
    ['for an option misspelled', 'types.duration: iso8061', 'Did you mean iso8601?'],
    [
      'for a text in place of a truth value',
      'delete.readable: "false"',
      'delete.readable is "false"; expected true or false',
    ],
    [
      'for a pointer without a slash',
      'response.record: data',
      'response.record is "data"; expected a JSON pointer such as /data, or ""',
    ],
    ['for a pointer that ends with a slash', 'response.record: /data/', 'response.record is "/data/"'],
    [
      'for a pointer to the prototype',
      'response.record: /__proto__',
      'response.record is "/__proto__"; expected a JSON pointer',
    ],
    [
      'for a name of the model in no form',
      'response.records: /{modelS}',
      'expected a JSON pointer such as /data, or "", or one with the name of the model: {models}, {model}, {model_names}',
    ],
    ['for the name of the model twice', 'response.record: /{model}{model}', 'expected a JSON pointer'],
    [
      'for a total where the records of a model are',
      'response: { total: pointer, records: "/{models}", totalPointer: /brands }',
      'expected places beside each other',
    ],
    ['for a pointer beyond all measure', `response.record: ${'/a'.repeat(9)}`, 'expected a JSON pointer'],
    [
      'for a pointer that is no text',
      'response.records: [data]',
      'response.records is ["data"]; expected a JSON pointer',
    ],
    [
      'for a name with a blank',
      'list.sortParameter: order by',
      'list.sortParameter is "order by"; expected a name of letters',
    ],
    [
      'for a name that breaks a header',
      'auth.header: "X-Key\\r\\nHost"',
      'auth.header is "X-Key\\r\\nHost"; expected a name',
    ],
    ['for an empty name', 'version.name: ""', 'version.name is ""; expected a name'],
    ['for a name beyond all measure', `version.name: ${'a'.repeat(65)}`, 'expected a name'],
    [
      'for a total in a body that is the list',
      'response.total: pointer',
      'response.totalPointer is "/total" and response.records ""; expected places beside each other',
    ],
    [
      'for a total within the list',
      'response: { total: pointer, records: /a, totalPointer: /a/total }',
      'expected places beside each other',
    ],
    [
      'for a list within the total',
      'response: { total: pointer, records: /total/a }',
      'expected places beside each other',
    ],
    [
      'for a total that is the list',
      'response: { total: pointer, records: /total }',
      'expected places beside each other',
    ],
    ['for a setting of the prototype', '__proto__: { polluted: true }', 'the setting is "__proto__"'],
    ['for a setting like a member of every object', 'constructor: {}', 'the setting is "constructor"'],
    [
      'for a group like a member of every object',
      'delete: { constructor: {} }',
      'the setting is "delete.constructor"',
    ],
    ['for a value without end', 'limits.text: &x [*x]', 'p.yaml:1: *x stands inside itself'],
  ])('%s', (_name, text, expected) => {
    expect(complaint(text)).toContain(expected);
  });

  test('when it is not there', () => {
    expect(() => loadProfile(path('nowhere.yaml'), catalogue)).toThrow(/can't be read \(ENOENT\)/);
  });

  test('by its name, when it is an object', () => {
    expect(() => createProfile({ 'delete.effect': 'soft' }, catalogue, 'learned')).toThrow(
      /^learned:1: delete\.effect/,
    );
    expect(() => createProfile({ 'delete.effect': 'soft' }, catalogue)).toThrow(/^profile:1: /);
  });
});
