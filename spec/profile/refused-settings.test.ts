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
    ['response.record: data', `response.record${NOT_A_POINTER} "data".`],
    ['response.record: /__proto__', `response.record${NOT_A_POINTER} "/__proto__".`],
    ['response.records: /{modelS}', `response.records${NOT_A_POINTER} "/{modelS}".`],
    ['response: { total: /brands, records: "/{models}" }', OVERLAP],
    [
      'list.sort: field order by',
      'list.sort must be none, field PARAMETER, fields PARAMETER, but is "field order by".',
    ],
    [
      'auth: "header X-Key\\r\\nHost"',
      'auth must be none, bearer, basic, header NAME, but is "header X-Key\\r\\nHost".',
    ],
    ['auth.scheme: bearer', 'auth.scheme is part of another setting. Use auth: bearer.'],
    [
      'response.total: /total',
      'response.total ("/total") and response.records ("") overlap. Use separate places, such as /total and /items.',
    ],
    ['response: { total: /a/total, records: /a }', OVERLAP],
    [
      '__proto__: { polluted: true }',
      'Unknown setting "__proto__". Use one of 12 names, such as "errors", "version", "response", "status", or "delete".',
    ],
    ['limits.text: &x [*x]', 'p.yaml:1: The alias *x contains itself. Remove it.'],
    ['status.created: 400', 'status.created must be a whole number from 200 to 299, but is 400.'],
    [
      'status.invalid: 401',
      `status.invalid can't be 401 because 401, 403, and 429 describe the client, not the request. Use another status from 400 to 499.`,
    ],
    ['status.deleted: "204"', 'status.deleted must be a whole number from 200 to 299, but is "204".'],
    [
      'status.created: 204',
      `status.created can't be 204 because that status has no body, and section 4 returns the record. Use another status from 200 to 299.`,
    ],
    [
      'list.paging: { style: page, default: 0 }',
      'default of list.paging must be unknown, or a whole number from 1 to 100000, but is 0.',
    ],
    [
      'list.paging: { style: page, default: 20, max: 10 }',
      'default of list.paging must be at most max (10), but is 20.',
    ],
    ['list.paging: { style: page, sise: n }', 'Unknown part "sise" of list.paging. Did you mean "size"?'],
    ['list.paging: { size: n }', 'Unknown value undefined for style of list.paging. Use'],
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
