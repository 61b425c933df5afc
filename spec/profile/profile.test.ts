import { describe, expect, test } from 'vitest';
import { changes, useProfileFile } from '../../testing/input-files/profile-file.ts';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import {
  changeProfile,
  completeList,
  createProfile,
  DEFAULT_PROFILE,
  describeProfile,
  pagesOf,
  profileAt,
  SETTINGS,
  under,
  whyFormless,
  whyUnknown,
  workingValues,
} from './profile.ts';

const catalogue = loadCatalogue();

const { complaint, load } = useProfileFile();

/** Other settings that a variant needs. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'response.total': { 'response.records': '/items' },
};

test('an empty file gives the default profile', () => {
  expect(load('')).toEqual(DEFAULT_PROFILE);
  expect(load('{}')).toEqual(DEFAULT_PROFILE);
  expect(createProfile({}, catalogue)).toEqual(DEFAULT_PROFILE);
});

test('each setting has a description, a section of the source, and a default', () => {
  for (const setting of SETTINGS) {
    expect(setting.about).toMatch(/\.$/);
    expect(setting.section).toMatch(/^[1-9]/);
    expect(setting.variants[0]).toEqual(setting.default);
    expect(setting.variants.length).toBeGreaterThan(0);
  }
});

describe('a profile', () => {
  test('can have nested and dotted keys', () => {
    const wanted = { 'delete.effect': 'remove', 'delete.answer': 'none', 'list.filter': 'none' };
    for (const text of [
      'delete: { effect: remove, answer: none }\nlist: { filter: none }',
      'delete.effect: remove\ndelete.answer: none\nlist.filter: none',
      'delete: { effect: remove }\ndelete.answer: none\nlist:\n  filter: none',
      '{"delete":{"effect":"remove","answer":"none"},"list.filter":"none"}',
    ])
      expect(changes(load(text))).toEqual(wanted);
  });

  test('accepts null for the option null of response.unset, and for no other option', () => {
    expect(load('response.unset: null')['response.unset']).toBe('null');
    expect(load('response: { unset: }')['response.unset']).toBe('null');
    expect(load('response.unset: "null"')['response.unset']).toBe('null');
    expect(complaint('request.update: null')).toContain(
      'Unknown value null for request.update. Use "partial", "merge", or "full".',
    );
  });

  test('can give only the style of paging, and adapts the sizes to each other', () => {
    const usual = { size: 'limit', from: 'page', default: 100, max: 500 };
    expect(load('list.paging: page')['list.paging']).toEqual({ style: 'page', ...usual });
    expect(load('list.paging: { style: page, max: 50 }')['list.paging']).toEqual({
      style: 'page',
      ...usual,
      default: 50,
      max: 50,
    });
    expect(load('list.paging: { style: page, default: 900 }')['list.paging']).toMatchObject({ max: 900 });
    const open = load('list.paging: { style: page, default: unknown, max: 50 }');
    expect(open['list.paging']).toMatchObject({ default: 'unknown', max: 50 });
    expect(pagesOf(open)).toMatchObject({ default: 50, max: 50 });
  });

  const variants = SETTINGS.flatMap(({ name, variants }) => variants.map((value) => [name, value] as const));

  test.each(variants)('accepts %s %j', (name, value) => {
    const profile = createProfile({ ...BESIDE[name], [name]: value }, catalogue);
    expect(profile[name]).toEqual(value);
  });
});

describe('an exception', () => {
  const profile = createProfile(
    {
      'types.bool': 'bool',
      'delete.effect': 'unknown',
      except: {
        customer: { status: { created: 200 }, 'delete.effect': 'mark-listed', 'types.date': 'midnight' },
        'customer.disabled': { 'types.bool': 'int' },
        'customer.birthdate': { 'types.date': 'iso' },
      },
    },
    catalogue,
  );

  test('of a model applies to the model and its fields', () => {
    expect(profileAt(profile, 'customer')).toMatchObject({
      'status.created': 200,
      'delete.effect': 'mark-listed',
    });
    expect(profileAt(profile, 'customer.name')['status.created']).toBe(200);
    expect(profileAt(profile, 'brand')).toBe(profile);
  });

  test('of a field takes precedence over that of its model', () => {
    expect(profileAt(profile, 'customer.disabled')['types.bool']).toBe('int');
    expect(profileAt(profile, 'customer.isCompany')['types.bool']).toBe('bool');
    expect(profileAt(profile, 'customer.birthdate')['types.date']).toBe('iso');
  });

  test('is known, even if the setting is unknown elsewhere', () => {
    expect(profileAt(profile, 'customer').unknown).toEqual({});
    expect(profileAt(profile, 'brand').unknown).toHaveProperty('delete.effect');
  });

  test('does not apply to another model', () => {
    expect(profileAt(profileAt(profile, 'customer'), 'brand')).toBe(profile);
  });

  test('ends when the setting is changed at all places', () => {
    expect(profileAt(under(profile, { 'types.bool': 'bool' }), 'customer.disabled')['types.bool']).toBe(
      'bool',
    );
    const changed = changeProfile(profile, { 'status.created': 202 }, catalogue);
    expect(profileAt(changed, 'customer')).toMatchObject({
      'status.created': 202,
      'delete.effect': 'mark-listed',
    });
  });
});

test.each([
  ['{ custmer: { status.created: 200 } }', 'p.yaml:1: Unknown model "custmer" in except. Did you mean'],
  ['{ customer.disable: { types.bool: int } }', 'Unknown field "customer.disable" in except. Did you mean'],
  ['{ customer: { status.created: 204 } }', "status.created can't be 204 because that status has no body"],
  [
    '{ customer: { status.created: unknown } }',
    "status.created can't be unknown or sent in except. Remove it.",
  ],
  ['{ customer: { auth: bearer } }', "auth can't be in except because it concerns the whole service."],
  ['{ customer.disabled: { status.created: 200 } }', "status.created can't differ for a field. Name the"],
  ['{ customer.disabled: { types.date: iso } }', "types.date can't differ for customer.disabled because"],
  ['{ customer: { except: { brand: {} } } }', "except can't be nested. Remove it."],
])('the exception %s is rejected', (except, message) => {
  expect(complaint(`except: ${except}`)).toContain(message);
});

describe('an unknown setting', () => {
  test.each(SETTINGS.map(({ name }) => [name]))('%s uses its default', (name) => {
    const profile = load(`${name}: unknown`);
    expect(profile[name]).toEqual(DEFAULT_PROFILE[name]);
    expect(profile.unknown).toEqual({ [name]: { why: 'is unknown in p.yaml', fits: false } });
    expect(whyUnknown(profile, name)).toBe(
      `${name} is unknown in p.yaml; you can set it in the --profile file`,
    );
    expect(whyUnknown(DEFAULT_PROFILE, name)).toBeUndefined();
  });

  test('can have a value that fits', () => {
    const profile = load('types: { date: { unknown: iso }, time: { unknown: minutes } }');
    expect(changes(profile)).toEqual({ 'types.time': 'minutes' });
    expect(profile.unknown['types.time']).toEqual({ why: 'is unknown in p.yaml', fits: true });
    expect(load('values: { unknown: { customer.language: [es] } }').values).toEqual({
      'customer.language': ['es'],
    });
  });

  test('can have a value that requests accept', () => {
    const profile = load('types.currency: { sent: minor }');
    const taken = { why: 'is unknown in p.yaml', fits: false, isTaken: true };
    expect(profile).toMatchObject({ 'types.currency': 'minor', unknown: { 'types.currency': taken } });
  });

  test.each([
    ['types.time: { unknown: hours }', 'p.yaml:1: Unknown value "hours" for types.time. Use "seconds" or'],
    ['types.time: { unknown: minutes, x: 1 }', 'p.yaml:1: unknown must be the only key here. Remove x.'],
    ['types.time: unkown', 'Unknown value "unkown" for types.time. Use "seconds" or "minutes".'],
  ])('is rejected as %s', (text, expected) => {
    expect(complaint(text)).toContain(expected);
  });

  test('stays unknown when others change, until it gets a value', () => {
    const profile = load('errors.form: unknown');
    const changed = changeProfile(profile, { 'types.time': 'minutes' }, catalogue);
    expect(changed.unknown).toEqual(profile.unknown);
    expect(changeProfile(changed, { 'errors.form': 'simple' }, catalogue).unknown).toEqual({});
  });

  test('of a type leaves fields of this type without a form', () => {
    const field = catalogue.models.get('lockerCustomer')?.fields.find(({ type }) => type === 'date');
    if (!field) throw new Error('there is no date');
    const why = (text: string) => whyFormless(field, { profile: load(text) });
    expect(why('types.date: unknown')).toBe(
      'types.date is unknown in p.yaml; you can set it in the --profile file',
    );
    expect(why('types.date: { unknown: iso }')).toBeUndefined();
    expect(why('types.lines: unknown')).toBeUndefined();
  });
});

test.each([
  ['', []],
  ['delete.effect: mark', []],
  [
    'values: { customer.language: [es] }\nresponse.record: /data\nstatus.created: 200',
    ['response.record /data', 'status.created 200', 'values {"customer.language":["es"]}'],
  ],
  ['list.paging: { style: page, from: p }', ['list.paging page (limit, p, default 100, max 500)']],
])('the differences of %j from the default are %j', (text, differences) => {
  expect(describeProfile(load(text))).toEqual(differences);
});

const NOT_A_POINTER =
  ' must be a JSON pointer such as /data, or "", or one with the name of the model: {models}, {model}, {model_names}, {model_name}, {model-names}, {model-name}, {Models}, {Model}, but is';
const OVERLAP = '") overlap. Use separate places, such as /total and /items.';

const REFUSED: Readonly<Record<string, string>> = {
  'delte: { effect: remove }': 'p.yaml:1: Unknown setting "delte". Did you mean "delete"?',
  'delete.effect: { mark: true }': 'Unknown value {"mark":true} for delete.effect. Use "mark",',
  'delete: remove': 'p.yaml:1: Expected a mapping for delete, but found "remove".',
  'delete.effect: mark\ndelete: { effect: remove }': 'p.yaml:2: delete.effect is given twice. Remove',
  '\ndelete.effect: soft':
    'p.yaml:2: Unknown value "soft" for delete.effect. Use "mark", "mark-listed", "mark-only-listed", or "remove".',
  'response.record: data': `response.record${NOT_A_POINTER} "data".`,
  'response.record: /__proto__': `response.record${NOT_A_POINTER} "/__proto__".`,
  'response: { total: /brands, records: "/{models}" }': OVERLAP,
  'response.records: /{modelS}': `response.records${NOT_A_POINTER} "/{modelS}".`,
  'auth: "header X-Key\\r\\nHost"': 'auth must be none, bearer, basic, header NAME, but is "header X-Key',
  'response.total: /total': 'response.total ("/total") and response.records ("") overlap. Use separate',
  'response: { total: /a/total, records: /a }': OVERLAP,
  'status.invalid: 401':
    'status.invalid must be a whole number from 400 to 499, except 401, 403, and 429, which describe the client, but is 401.',
  'status.created: 204': "status.created can't be 204 because that status has no body, and section 4",
  'status.deleted: "204"': 'status.deleted must be a whole number from 200 to 299, but is "204".',
  'list.paging: { style: page, default: 0 }': 'default of list.paging must be unknown, or a whole',
  'list.paging: { style: page, sise: n }': 'Unknown key "sise" in list.paging. Did you mean "size"?',
  'list.paging: { size: n }': 'style is missing in list.paging. Add',
  'limits.rate: 0': 'limits.rate must be none, or a whole number from 1 to 1000000, but is 0.',
  'transitions: none':
    'transitions must be any, or a mapping from status fields to the moves of each value, but is "none".',
  'transitions: { stockOrder.sttus: {} }': 'Unknown select field "stockOrder.sttus" in transitions. Did you',
  'transitions: { warehouse.name: {} }':
    'Unknown select field "warehouse.name" in transitions. Use one of 14 names, such as "customer.gender", "customer.language", "locker.status", "voucherType.kind", or "crmContact.gender".',
  'transitions: { customer.language: {} }': `transitions can't name customer.language because that field has no value list. Use a field with states, such as a status.`,
  'transitions:\n  stockOrder.status: { 9: [1] }': 'p.yaml:2: Unknown state 9 for stockOrder.status.',
  'transitions: { stockOrder.status: { 0: 1 } }':
    'stockOrder.status of transitions must be a list of different values, but is 1.',
  'values: [es]': 'values must be a mapping from model.field, or fkModel, to lists of values, but is ["es"].',
  'values: { customer.langage: [es] }': 'Unknown select field "customer.langage" in values. Did you mean',
  'values: { crmContact.language: [fr] }': `values can't name crmContact.language because the catalogue lists its values. Remove this entry.`,
  'values: { customer.language: [] }':
    'customer.language of values must be a list of at least one value, and of',
  'values: { customer.language: [es, es] }': 'and of each value once, but is ["es","es"].',
  'values: { customer.language: [es, 1] }': 'must be all numbers or all strings, but is ["es",1].',
  'values: { customer.language: [.nan] }':
    'customer.language of values must be a number or a string, but is NaN.',
  'values: { fkModel: [custmer] }': 'Unknown model "custmer" in values for fkModel. Did you mean "customer"?',
};

test.each(Object.entries(REFUSED))('a profile is rejected, with file and line, for %j', (text, expected) => {
  expect(complaint(text)).toContain(expected);
});

test('a profile is rejected, with file and line, with up to 20 errors, and the number of others', () => {
  expect(complaint('delete: { efect: mark }\nstatus: { created: 404 }\n')).toMatch(
    /p\.yaml:1: Unknown setting "delete\.efect".*\n.*p\.yaml:2: status\.created must be .* but is 404\.$/,
  );
  const many = Array.from({ length: 25 }, (_, at) => `x${at}: 1\n`).join('');
  expect(complaint(many)).toMatch(/x19"[^\n]*\nThere are 5 more mistakes\.$/);
});

test('a profile is rejected, with its name and line, even if it is an object', () => {
  expect(() => createProfile({ 'delete.effect': 'soft' }, catalogue, 'learned')).toThrow(
    /^learned:1: Unknown value "soft" for delete\.effect\. /,
  );
  expect(() => createProfile({ 'delete.effect': 'soft' }, catalogue)).toThrow(/^profile:1: /);
});

describe('the names of list parameters', () => {
  test.each(['$limit', 'per_page', 'page[number]', 'filter.page'])('can be %s', (name) => {
    const paging = load(`list.paging: { style: page, size: "${name}" }`)['list.paging'];
    expect(paging).toMatchObject({ size: name });
  });

  test.each(['a b', 'a&b', '[x]', 'a[b][c]', '1', `a${'b'.repeat(48)}`])("can't be %s", (name) => {
    expect(complaint(`list.paging: { style: page, size: "${name}" }`)).toContain(
      'size of list.paging must be a name of letters, digits, - . _ $, and at most one part in brackets at the end, but is "',
    );
  });
});

test.each<[string, string]>([
  ['list.sort: field offset', 'from of list.paging and list.sort use the same query parameter "offset".'],
  ['version: query sort', 'list.sort and version use the same query parameter "sort". Use different names.'],
  ['{ version: header x-api-key, auth: header X-API-Key }', 'auth and version use the same header'],
  ['version: header Authorization', `version can't be "Authorization" because that header is reserved.`],
  ['auth: header HOST', `auth can't be "HOST" because that header is reserved. Use another name.`],
  ...['Access-Control-Allow-Origin', 'Vary', 'sl-violations'].map((name): [string, string] => [
    `response.total: header ${name}`,
    `response.total can't be "${name}" because that header is reserved. Use another name.`,
  ]),
  ...['Range', 'If-None-Match', 'Proxy-Authorization'].map((name): [string, string] => [
    `version: header ${name}`,
    `version can't be "${name}" because that header is reserved. Use another name.`,
  ]),
])('an ambiguous name is rejected: %s', (text, expected) => {
  expect(complaint(text)).toContain(expected);
});

test.each([
  ['the version in a header', 'version: header sort'],
  ['the version in the query, and a header', '{ version: query X-API-Key, auth: header X-API-Key }'],
  ['the header of another scheme', 'auth: header Authorization'],
  ['a header of a service itself', 'version: header Accept-Version'],
  ['parameters in another case', 'list.paging: { style: offset, from: Limit }'],
])('an ambiguous name is accepted if only one meaning applies: %s', (_name, text) => {
  expect(complaint(text)).toBe('no complaint');
});

test('working values are distinguished from a complete list', () => {
  const { values } = load('values: { customer.language: { works: [es, ca] }, fkModel: [customer] }');
  expect(completeList(values, 'customer.language')).toBeUndefined();
  expect(workingValues(values, 'customer.language')).toEqual(['es', 'ca']);
  expect(completeList(values, 'fkModel')).toEqual(['customer']);
  expect(workingValues(values, 'fkModel')).toEqual(['customer']);
  expect(workingValues(values, 'constructor')).toBeUndefined();
});

test.each([
  ['{ work: [es] }', 'Unknown key "work". Did you mean "works"?'],
  ['{}', 'works is missing in customer.language of values. Add a list.'],
  ['{ works: [] }', 'works of values must be a list of at least one value, and of each value once,'],
])('working values are rejected as %s', (text, expected) => {
  expect(complaint(`values: { customer.language: ${text} }`)).toContain(expected);
});
