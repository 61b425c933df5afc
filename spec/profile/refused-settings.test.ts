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
      'p.yaml:1: Unknown setting "delte". Did you mean "delete"?',
    ],
    [
      'for an unknown group, with the likely one',
      'delte: {}',
      'Unknown setting "delte". Did you mean "delete"?',
    ],
    [
      'for an unknown setting',
      'delete:\n  efect: remove',
      'p.yaml:2: Unknown setting "delete.efect". Did you mean "delete.effect"?',
    ],
    [
      'for an unknown setting, with the likely one',
      'delete: { efect: remove }',
      'Unknown setting "delete.efect". Did you mean "delete.effect"?',
    ],
    [
      'for an unknown dotted setting',
      'delete.efect: remove',
      'Unknown setting "delete.efect". Did you mean "delete.effect"?',
    ],
    [
      'for a setting below a setting',
      'delete.effect: { mark: true }',
      'Unknown value {"mark":true} for delete.effect. Use "mark" or "remove".',
    ],
    ['for a group that is no mapping', 'delete: remove', 'p.yaml:1: Expected a mapping, but found "remove".'],
    ['for a list', '- delete', 'p.yaml:1: Expected a mapping, but found a list.'],
    [
      'for a setting in both notations',
      'delete.effect: mark\ndelete: { effect: remove }',
      'p.yaml:2: delete.effect is given twice. Remove one of them.',
    ],
    [
      'for a wrong option',
      '\ndelete.effect: soft',
      'p.yaml:2: Unknown value "soft" for delete.effect. Use "mark" or "remove".',
    ],
    [
      'for an option misspelled',
      'types.duration: iso8061',
      'Unknown value "iso8061" for types.duration. Did you mean "iso8601"?',
    ],
    [
      'for a text in place of a truth value',
      'delete.readable: "false"',
      'Unknown value "false" for delete.readable. Did you mean false?',
    ],
    [
      'for a pointer without a slash',
      'response.record: data',
      'response.record must be a JSON pointer such as /data, or "", or one with the name of the model: {models}, {model}, {model_names}, {model_name}, {model-names}, {model-name}, {Models}, {Model}, but is "data".',
    ],
    [
      'for a pointer that ends with a slash',
      'response.record: /data/',
      'response.record must be a JSON pointer such as /data, or "", or one with the name of the model: {models}, {model}, {model_names}, {model_name}, {model-names}, {model-name}, {Models}, {Model}, but is "/data/".',
    ],
    [
      'for a pointer to the prototype',
      'response.record: /__proto__',
      'response.record must be a JSON pointer such as /data, or "", or one with the name of the model: {models}, {model}, {model_names}, {model_name}, {model-names}, {model-name}, {Models}, {Model}, but is "/__proto__".',
    ],
    [
      'for a name of the model in no form',
      'response.records: /{modelS}',
      'response.records must be a JSON pointer such as /data, or "", or one with the name of the model: {models}, {model}, {model_names}, {model_name}, {model-names}, {model-name}, {Models}, {Model}, but is "/{modelS}".',
    ],
    [
      'for the name of the model twice',
      'response.record: /{model}{model}',
      'response.record must be a JSON pointer such as /data, or "", or one with the name of the model: {models}, {model}, {model_names}, {model_name}, {model-names}, {model-name}, {Models}, {Model}, but is "/',
    ],
    [
      'for a total where the records of a model are',
      'response: { total: pointer, records: "/{models}", totalPointer: /brands }',
      '") overlap. Use separate places, such as /total and /items.',
    ],
    [
      'for a pointer beyond all measure',
      `response.record: ${'/a'.repeat(9)}`,
      'response.record must be a JSON pointer such as /data, or "", or one with the name of the model: {models}, {model}, {model_names}, {model_name}, {model-names}, {model-name}, {Models}, {Model}, but is "/',
    ],
    [
      'for a pointer that is no text',
      'response.records: [data]',
      'response.records must be a JSON pointer such as /data, or "", or one with the name of the model: {models}, {model}, {model_names}, {model_name}, {model-names}, {model-name}, {Models}, {Model}, but is ["data"].',
    ],
    [
      'for a name with a blank',
      'list.sortParameter: order by',
      'list.sortParameter must be a name of letters, digits, - . _ $, and at most one part in brackets at the end, but is "order by".',
    ],
    [
      'for a name that breaks a header',
      'auth.header: "X-Key\\r\\nHost"',
      'auth.header must be a name of letters, digits, -, and _, but is "X-Key\\r\\nHost".',
    ],
    [
      'for an empty name',
      'version.name: ""',
      'version.name must be a name of letters, digits, -, and _, but is "".',
    ],
    [
      'for a name beyond all measure',
      `version.name: ${'a'.repeat(65)}`,
      'version.name must be a name of letters, digits, -, and _, but is "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".',
    ],
    [
      'for a total in a body that is the list',
      'response.total: pointer',
      'response.totalPointer ("/total") and response.records ("") overlap. Use separate places, such as /total and /items.',
    ],
    [
      'for a total within the list',
      'response: { total: pointer, records: /a, totalPointer: /a/total }',
      '") overlap. Use separate places, such as /total and /items.',
    ],
    [
      'for a list within the total',
      'response: { total: pointer, records: /total/a }',
      '") overlap. Use separate places, such as /total and /items.',
    ],
    [
      'for a total that is the list',
      'response: { total: pointer, records: /total }',
      '") overlap. Use separate places, such as /total and /items.',
    ],
    [
      'for a setting of the prototype',
      '__proto__: { polluted: true }',
      'Unknown setting "__proto__". Use one of 12 names, such as "errors", "version", "response", "status", or "delete".',
    ],
    [
      'for a setting like a member of every object',
      'constructor: {}',
      'Unknown setting "constructor". Use one of 12 names, such as "status", "errors", "list", "auth", or "version".',
    ],
    [
      'for a group like a member of every object',
      'delete: { constructor: {} }',
      'Unknown setting "delete.constructor". Use "delete.effect", "delete.answer", "delete.readable", or "delete.listed".',
    ],
    ['for a value without end', 'limits.text: &x [*x]', 'p.yaml:1: The alias *x contains itself. Remove it.'],
  ])('%s', (_name, text, expected) => {
    expect(complaint(text)).toContain(expected);
  });

  test('when it is not there', () => {
    expect(() => loadProfile(path('nowhere.yaml'), catalogue)).toThrow(
      /nowhere\.yaml can't be read because there is no such file or directory\. Name a YAML file\./,
    );
  });

  test('by its name, when it is an object', () => {
    expect(() => createProfile({ 'delete.effect': 'soft' }, catalogue, 'learned')).toThrow(
      /^learned:1: Unknown value "soft" for delete\.effect\. Use "mark" or "remove"\./,
    );
    expect(() => createProfile({ 'delete.effect': 'soft' }, catalogue)).toThrow(/^profile:1: /);
  });
});
