import { describe, expect, test } from 'vitest';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { createProfile, loadProfile } from './profile.ts';

const catalogue = loadCatalogue();
const { complaint, path } = useProfileFile();

const NOT_A_POINTER =
  ' must be a JSON pointer such as /data, or "", or one with the name of the model: {models}, {model}, {model_names}, {model_name}, {model-names}, {model-name}, {Models}, {Model}, but is';
const OVERLAP = '") overlap. Use separate places, such as /total and /items.';

describe('a profile is refused, with file and line,', () => {
  test.each<[string, string]>([
    ['delte: { effect: remove }', 'p.yaml:1: Unknown setting "delte". Did you mean "delete"?'],
    ['delete:\n  efect: remove', 'p.yaml:2: Unknown setting "delete.efect". Did you mean "delete.effect"?'],
    ['delete.efect: remove', 'Unknown setting "delete.efect". Did you mean "delete.effect"?'],
    [
      'delete.effect: { mark: true }',
      'Unknown value {"mark":true} for delete.effect. Use "mark", "mark-listed", "mark-only-listed", or "remove".',
    ],
    ['delete: remove', 'p.yaml:1: Expected a mapping, but found "remove".'],
    ['- delete', 'p.yaml:1: Expected a mapping, but found a list.'],
    [
      'delete.effect: mark\ndelete: { effect: remove }',
      'p.yaml:2: delete.effect is given twice. Remove one of them.',
    ],
    [
      '\ndelete.effect: soft',
      'p.yaml:2: Unknown value "soft" for delete.effect. Use "mark", "mark-listed", "mark-only-listed", or "remove".',
    ],
    ['types.duration: iso8061', 'Unknown value "iso8061" for types.duration. Did you mean "iso8601"?'],
    [
      'delete: { readable: false }',
      'delete.readable is part of another setting. Use delete.effect: mark-only-listed, or remove if lists omit the record too.',
    ],
    ['delete.listed: true', 'delete.listed is part of another setting. Use delete.effect: mark-listed.'],
    ['response.record: data', `response.record${NOT_A_POINTER} "data".`],
    ['response.record: /data/', `response.record${NOT_A_POINTER} "/data/".`],
    ['response.record: /__proto__', `response.record${NOT_A_POINTER} "/__proto__".`],
    ['response.records: /{modelS}', `response.records${NOT_A_POINTER} "/{modelS}".`],
    ['response.record: /{model}{model}', `response.record${NOT_A_POINTER} "/`],
    ['response: { total: /brands, records: "/{models}" }', OVERLAP],
    [`response.record: ${'/a'.repeat(9)}`, `response.record${NOT_A_POINTER} "/`],
    ['response.records: [data]', `response.records${NOT_A_POINTER} ["data"].`],
    [
      'list.sort: field order by',
      'list.sort must be none, field PARAMETER, fields PARAMETER, but is "field order by".',
    ],
    [
      'auth: "header X-Key\\r\\nHost"',
      'auth must be none, bearer, basic, header NAME, but is "header X-Key\\r\\nHost".',
    ],
    ['version: header', 'version must be none, header NAME, query NAME, but is "header".'],
    [
      `version: header ${'a'.repeat(65)}`,
      'version must be none, header NAME, query NAME, but is "header aaaa',
    ],
    ['auth.scheme: bearer', 'auth.scheme is part of another setting. Use auth: bearer.'],
    [
      'response: { totalHeader: X-Total }',
      'response.totalHeader is part of another setting. Use response.total: header X-Total-Count.',
    ],
    [
      'response.total: /total',
      'response.total ("/total") and response.records ("") overlap. Use separate places, such as /total and /items.',
    ],
    ['response: { total: /a/total, records: /a }', OVERLAP],
    ['response: { total: /total, records: /total/a }', OVERLAP],
    ['response: { total: /total, records: /total }', OVERLAP],
    [
      '__proto__: { polluted: true }',
      'Unknown setting "__proto__". Use one of 12 names, such as "errors", "version", "response", "status", or "delete".',
    ],
    [
      'constructor: {}',
      'Unknown setting "constructor". Use one of 12 names, such as "status", "errors", "list", "auth", or "version".',
    ],
    [
      'delete: { constructor: {} }',
      'Unknown setting "delete.constructor". Use "delete.effect" or "delete.answer".',
    ],
    ['limits.text: &x [*x]', 'p.yaml:1: The alias *x contains itself. Remove it.'],
    ['status.created: 400', 'status.created must be a whole number from 200 to 299, but is 400.'],
    ['status.invalid: 200', 'status.invalid must be a whole number from 400 to 499, but is 200.'],
    [
      'status.invalid: 401',
      `status.invalid can't be 401 because 401, 403, and 429 describe the client, not the request. Use another status from 400 to 499.`,
    ],
    ['status.invalid: 501', 'status.invalid must be a whole number from 400 to 499, but is 501.'],
    ['status.invalid: 500', 'status.invalid must be a whole number from 400 to 499, but is 500.'],
    ['status.deleted: "204"', 'status.deleted must be a whole number from 200 to 299, but is "204".'],
    [
      'status.created: 204',
      `status.created can't be 204 because that status has no body, and section 4 returns the record. Use another status from 200 to 299.`,
    ],
    [
      'status: { updated: 205 }',
      `status.updated can't be 205 because that status has no body, and section 4 returns the record. Use another status from 200 to 299.`,
    ],
    [
      'list.paging: { style: page, default: 0 }',
      'default of list.paging must be unknown, or a whole number from 1 to 100000, but is 0.',
    ],
    [
      'list.paging: { style: page, max: 1.5 }',
      'max of list.paging must be unknown, or a whole number from 1 to 100000, but is 1.5.',
    ],
    [
      'list.paging: { style: page, default: 20, max: 10 }',
      'default of list.paging must be at most max (10), but is 20.',
    ],
    ['list.paging: { style: page, sise: n }', 'Unknown part "sise" of list.paging. Did you mean "size"?'],
    ['list.paging: { size: n }', 'Unknown value undefined for style of list.paging. Use'],
    ['list.paging: pages', 'Unknown value "pages" for list.paging. Did you mean "page"?'],
    [
      'list.maxSize: 10',
      'list.maxSize is part of another setting. Use list.paging: { style: offset, max: 500 }.',
    ],
    [
      'list: { pageParameter: p }',
      'list.pageParameter is part of another setting. Use list.paging: { style: page, from: page }.',
    ],
    [
      'limits.text: unlimited',
      'limits.text must be none, or a whole number from 1 to 1000000, but is "unlimited".',
    ],
    ['limits.rate: 0', 'limits.rate must be none, or a whole number from 1 to 1000000, but is 0.'],
  ])('for %j', (text, expected) => {
    expect(complaint(text)).toContain(expected);
  });

  test('when it is not there', () => {
    expect(() => loadProfile(path('nowhere.yaml'), catalogue)).toThrow(
      /nowhere\.yaml can't be read because there is no such file or directory\. Name a YAML file\./,
    );
  });

  test('by its name, when it is an object', () => {
    expect(() => createProfile({ 'delete.effect': 'soft' }, catalogue, 'learned')).toThrow(
      /^learned:1: Unknown value "soft" for delete\.effect\. Use "mark", "mark-listed", "mark-only-listed", or "remove"\./,
    );
    expect(() => createProfile({ 'delete.effect': 'soft' }, catalogue)).toThrow(/^profile:1: /);
  });
});
