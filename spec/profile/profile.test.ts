import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { UsageError } from '../files/usage-error.ts';
import {
  applies,
  changeProfile,
  completeList,
  createProfile,
  DEFAULT_PROFILE,
  describeProfile,
  loadProfile,
  type Profile,
  profileName,
  SETTINGS,
  whyFormless,
  whyUnknown,
  workingValues,
} from './profile.ts';

const catalogue = loadCatalogue();
let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'profile-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function load(text: string): Profile {
  const file = join(directory, 'p.yaml');
  writeFileSync(file, text);
  return loadProfile(file, catalogue);
}

function complaint(text: string): string {
  try {
    load(text);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no complaint';
}

const changes = (profile: Profile) =>
  Object.fromEntries(
    SETTINGS.filter(({ name }) => profile[name] !== DEFAULT_PROFILE[name]).map(({ name }) => [
      name,
      profile[name],
    ]),
  );

/** Settings that a variant needs beside itself. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'response.total': { 'response.records': '/items' },
  'response.totalPointer': { 'response.records': '/items' },
  'list.maxSize': { 'list.defaultSize': 10 },
};

describe('the default profile', () => {
  test('is what an empty file gives', () => {
    expect(load('')).toEqual(DEFAULT_PROFILE);
    expect(load('{}')).toEqual(DEFAULT_PROFILE);
    expect(createProfile({}, catalogue)).toEqual(DEFAULT_PROFILE);
  });

  test('says for every setting what it means and which section leaves it open', () => {
    for (const setting of SETTINGS) {
      expect(setting.about).toMatch(/\.$/);
      expect(setting.section).toMatch(/^[1-9]/);
      expect(setting.variants[0]).toEqual(setting.default);
      expect(setting.variants.length).toBeGreaterThan(0);
      for (const [name, values] of setting.when) {
        const other = SETTINGS.find((candidate) => candidate.name === name);
        for (const value of values) expect(other?.variants).toContain(value);
      }
    }
  });
});

describe('a profile', () => {
  test('may be written nested, dotted, and both', () => {
    const wanted = { 'delete.effect': 'remove', 'delete.answer': 'none', 'list.paging': 'page' };
    for (const text of [
      'delete: { effect: remove, answer: none }\nlist: { paging: page }',
      'delete.effect: remove\ndelete.answer: none\nlist.paging: page',
      'delete: { effect: remove }\ndelete.answer: none\nlist:\n  paging: page',
      '{"delete":{"effect":"remove","answer":"none"},"list.paging":"page"}',
    ])
      expect(changes(load(text))).toEqual(wanted);
  });

  test('takes null for the option null of response.unset, and for nothing else', () => {
    expect(load('response.unset: null')['response.unset']).toBe('null');
    expect(load('response: { unset: }')['response.unset']).toBe('null');
    expect(load('response.unset: "null"')['response.unset']).toBe('null');
    expect(complaint('request.update: null')).toContain('request.update is null; expected partial or full');
  });

  test('is frozen', () => {
    expect(Object.isFrozen(load('request.update: full'))).toBe(true);
    expect(Object.isFrozen(DEFAULT_PROFILE)).toBe(true);
  });

  const variants = SETTINGS.flatMap((setting) => setting.variants.map((value) => [setting, value] as const));

  test.each(
    variants.map(([setting, value]) => [`${setting.name} ${JSON.stringify(value)}`, setting, value] as const),
  )('takes %s', (_name, setting, value) => {
    const settings = {
      ...Object.fromEntries(setting.when.map(([name, values]) => [name, values[0]])),
      ...BESIDE[setting.name],
      [setting.name]: value,
    };
    const profile = createProfile(settings, catalogue);
    expect(profile[setting.name]).toEqual(value);
    expect(applies(setting, profile)).toBe(true);
  });
});

describe('a setting that nobody found out', () => {
  test.each(SETTINGS.map(({ name }) => [name]))('%s may be unknown: its default is supposed', (name) => {
    const profile = load(`${name}: unknown`);
    expect(profile[name]).toEqual(DEFAULT_PROFILE[name]);
    expect(profile.unknown).toEqual({ [name]: { why: 'is unknown in p.yaml', fits: false } });
    expect(whyUnknown(profile, name)).toBe(`${name} is unknown in p.yaml; --profile may give it`);
    expect(whyUnknown(DEFAULT_PROFILE, name)).toBeUndefined();
  });

  test('may have a value that fits', () => {
    const profile = load('types: { date: { unknown: iso }, time: { unknown: minutes } }');
    expect(changes(profile)).toEqual({ 'types.time': 'minutes' });
    expect(profile.unknown['types.time']).toEqual({ why: 'is unknown in p.yaml', fits: true });
    expect(load('values: { unknown: { customer.language: [es] } }').values).toEqual({
      'customer.language': ['es'],
    });
  });

  test.each([
    ['types.time: { unknown: hours }', 'p.yaml:1: types.time is "hours"; expected seconds or minutes'],
    ['types.time: { unknown: minutes, x: 1 }', 'p.yaml:1: a key beside unknown is "x"; expected nothing'],
    ['types: unknown', 'found "unknown"; expected a mapping'],
    ['types.time: unkown', 'types.time is "unkown"; expected seconds or minutes'],
  ])('is refused as %s', (text, expected) => {
    expect(complaint(text)).toContain(expected);
  });

  test('gives way to a size that is known', () => {
    expect(changes(load('list: { defaultSize: unknown, maxSize: 50 }'))).toEqual({
      'list.defaultSize': 50,
      'list.maxSize': 50,
    });
    expect(load('list: { defaultSize: 900, maxSize: unknown }')['list.maxSize']).toBe(900);
    expect(complaint('list: { defaultSize: { unknown: 60 }, maxSize: 50 }')).toContain('expected at most');
  });

  test('stays unknown when others change, until it is answered', () => {
    const profile = load('errors.form: unknown');
    const changed = changeProfile(profile, { 'types.time': 'minutes' }, catalogue);
    expect(changed.unknown).toEqual(profile.unknown);
    expect(changeProfile(changed, { 'errors.form': 'simple' }, catalogue).unknown).toEqual({});
  });

  test('leaves values without a form where it is that of a type', () => {
    const field = catalogue.models.get('lockerCustomer')?.fields.find(({ type }) => type === 'date');
    if (!field) throw new Error('there is no date');
    const why = (text: string) => whyFormless(field, { profile: load(text) });
    expect(why('types.date: unknown')).toBe('types.date is unknown in p.yaml; --profile may give it');
    expect(why('types.date: { unknown: iso }')).toBeUndefined();
    expect(why('types.lines: unknown')).toBeUndefined();
  });
});

describe('the names of list parameters', () => {
  test.each(['limit', '$limit', '$skip', 'per_page', 'page[number]', 'page[size]', 'filter.page'])(
    'may be %s',
    (name) => {
      expect(load(`list.sizeParameter: "${name}"`)['list.sizeParameter']).toBe(name);
    },
  );

  test.each(['a b', 'a&b', 'a=b', '[x]', 'a[b', 'a[]', 'a[b][c]', '1', 'a[b]c', `a${'b'.repeat(48)}`])(
    'may not be %s',
    (name) => {
      expect(complaint(`list.sizeParameter: "${name}"`)).toContain('expected a name of letters, digits');
    },
  );
});

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
  const stock = 'stockOrder.status';
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
      'for a created that says no',
      'status.created: 400',
      'status.created is 400; expected a whole number from 200 to 299',
    ],
    [
      'for an invalid that says yes',
      'status.invalid: 200',
      'status.invalid is 200; expected a whole number from 400 to 499',
    ],
    [
      'for an invalid that speaks of who asks',
      'status.invalid: 401',
      'status.invalid is 401, which speaks of who asks, or how often; expected another status',
    ],
    [
      'for an invalid that says that there is no such method',
      'status.invalid: 501',
      'status.invalid is 501; expected a whole number from 400 to 499',
    ],
    ['for an invalid that says that something broke', 'status.invalid: 500', 'status.invalid is 500'],
    [
      'for a status that is a text',
      'status.deleted: "204"',
      'status.deleted is "204"; expected a whole number',
    ],
    [
      'for a created without a body',
      'status.created: 204',
      'status.created is 204, which has no body; expected a status with one',
    ],
    ['for an updated without a body', 'status: { updated: 205 }', 'status.updated is 205, which has no body'],
    [
      'for a size of none',
      'list.defaultSize: 0',
      'list.defaultSize is 0; expected a whole number from 1 to 100000',
    ],
    [
      'for a size that is no whole number',
      'list.maxSize: 1.5',
      'list.maxSize is 1.5; expected a whole number',
    ],
    ['for a size that never ends', 'list.maxSize: .inf', 'expected a whole number'],
    [
      'for a size above the greatest',
      'list: { defaultSize: 20, maxSize: 10 }',
      'list.defaultSize is 20; expected at most list.maxSize, 10',
    ],
    [
      'for a greatest size below the default',
      'list.maxSize: 10',
      'list.defaultSize is 100; expected at most list.maxSize, 10',
    ],
    [
      'for a limit of another word',
      'limits.text: unlimited',
      'limits.text is "unlimited"; expected none or a whole number from 1 to 1000000',
    ],
    ['for a limit of none at all', 'limits.rate: 0', 'limits.rate is 0; expected none or a whole number'],
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
    [
      'for other transitions',
      'transitions: none',
      'transitions is "none"; expected any, or for a status field the values',
    ],
    [
      'for transitions of an unknown field',
      'transitions: { stockOrder.sttus: {} }',
      'Did you mean stockOrder.status?',
    ],
    [
      'for transitions of a field below a field',
      `transitions: { ${stock}.x: { 0: [1] } }`,
      `a field of transitions is "${stock}.x"`,
    ],
    [
      'for transitions of a field that is no select',
      'transitions: { warehouse.name: {} }',
      'a field of transitions is "warehouse.name"',
    ],
    [
      'for transitions without a value list',
      'transitions: { customer.language: {} }',
      'transitions names customer.language, which has no value list',
    ],
    [
      'for transitions from an unknown state',
      `transitions:\n  ${stock}: { 9: [1] }`,
      `p.yaml:2: a state of ${stock} is 9; expected 0, 1, 2 or 3`,
    ],
    [
      'for transitions to an unknown state',
      `transitions: { ${stock}: { 0: [4] } }`,
      `a state of ${stock} is 4; expected 0, 1, 2 or 3`,
    ],
    ['for transitions to no list', `transitions: { ${stock}: { 0: 1 } }`, 'found 1; expected a list'],
    [
      'for transitions of the prototype',
      'transitions: { __proto__: { 0: [1] } }',
      'a field of transitions is "__proto__"',
    ],
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
    expect(() => loadProfile(join(directory, 'nowhere.yaml'), catalogue)).toThrow(/can't be read \(ENOENT\)/);
  });

  test('by its name, when it is an object', () => {
    expect(() => createProfile({ 'delete.effect': 'soft' }, catalogue, 'learned')).toThrow(
      /^learned:1: delete\.effect/,
    );
    expect(() => createProfile({ 'delete.effect': 'soft' }, catalogue)).toThrow(/^profile:1: /);
  });
});

describe('a name that means two things at once is refused', () => {
  test.each<[string, string]>([
    [
      'list: { offsetParameter: limit }',
      'list.offsetParameter and list.sizeParameter are both the query parameter "limit"',
    ],
    [
      'list: { paging: page, pageParameter: n, sizeParameter: n }',
      'list.pageParameter and list.sizeParameter are both',
    ],
    [
      'list: { sortParameter: offset }',
      'list.offsetParameter and list.sortParameter are both the query parameter "offset"',
    ],
    [
      'list: { sortParameter: limit }',
      'list.sizeParameter and list.sortParameter are both the query parameter "limit"',
    ],
    [
      'version: { in: query, name: sort }',
      'list.sortParameter and version.name are both the query parameter "sort"',
    ],
    [
      'version: { in: query, name: limit }',
      'list.sizeParameter and version.name are both the query parameter "limit"',
    ],
    [
      '{ version: { in: header, name: x-api-key }, auth.scheme: apiKey }',
      'auth.header and version.name are both the header "x-api-key"',
    ],
    [
      'version: { in: header, name: Authorization }',
      'version.name is "Authorization", a header with a meaning of its own',
    ],
    ['version: { in: header, name: accept }', 'version.name is "accept", a header'],
    ['auth: { scheme: apiKey, header: Content-Type }', 'auth.header is "Content-Type", a header'],
    ['auth: { scheme: apiKey, header: HOST }', 'auth.header is "HOST", a header'],
    ['response.totalHeader: Content-Length', 'response.totalHeader is "Content-Length", a header'],
    ...['Access-Control-Allow-Origin', 'Allow', 'Vary', 'ETag', 'Proxy-Authenticate', 'sl-violations'].map(
      (name): [string, string] => [
        `response.totalHeader: ${name}`,
        `response.totalHeader is "${name}", a header with a meaning of its own; expected another name`,
      ],
    ),
    ...[
      'Range',
      'If-None-Match',
      'Proxy-Authorization',
      'User-Agent',
      'Sec-Fetch-Mode',
      'Via',
      'Referer',
      'Cache-Control',
      'FORWARDED',
      'access-control-request-method',
      'Content-Language',
      'Max-Forwards',
    ].map((name): [string, string] => [
      `version: { in: header, name: ${name} }`,
      `version.name is "${name}", a header with a meaning of its own; expected another name`,
    ]),
  ])('%s', (text, expected) => {
    expect(complaint(text)).toContain(expected);
    expect(complaint(text)).toContain('expected');
  });

  test.each([
    ['the offset of paging by page', 'list: { paging: page, offsetParameter: limit }'],
    ['the page of paging by offset', 'list: { pageParameter: limit }'],
    ['parameters of no paging', 'list: { paging: none, offsetParameter: sort, sizeParameter: sort }'],
    ['the sort of no sorting', 'list: { sort: none, sortParameter: limit }'],
    ['the version in a header', 'version: { in: header, name: sort }'],
    ['the version nowhere', 'version.name: sort'],
    [
      'the version in the query, and a header',
      '{ version: { in: query, name: X-API-Key }, auth.scheme: apiKey }',
    ],
    ['the header of another scheme', 'auth: { scheme: bearer, header: Authorization }'],
    ['a header of a service itself', 'version: { in: header, name: Accept-Version }'],
    ['a header that begins like one', 'response.totalHeader: Second-Count'],
    ['parameters in another case', 'list: { offsetParameter: Limit }'],
    ['the total elsewhere', 'response: { total: none, totalHeader: Content-Length }'],
  ])('but not %s, which means nothing then', (_name, text) => {
    expect(complaint(text)).toBe('no complaint');
  });
});

describe('what a profile says of itself', () => {
  test('is nothing when it is the default', () => {
    expect(describeProfile(DEFAULT_PROFILE)).toEqual([]);
    expect(describeProfile(load('delete.effect: mark'))).toEqual([]);
  });

  test('are its differences from the default, in the order of the settings', () => {
    const profile = load(
      'values: { customer.language: [es] }\nresponse.record: /data\ndelete.readable: false\nstatus.created: 200',
    );
    expect(describeProfile(profile)).toEqual([
      'response.record /data',
      'status.created 200',
      'delete.readable false',
      'values {"customer.language":["es"]}',
    ]);
  });

  test('shows an empty pointer as one', () => {
    const profile = load('response: { total: pointer, totalPointer: /n, records: /items }');
    expect(describeProfile(profile)).toContain('response.totalPointer /n');
    const fields = { ...profile, 'response.totalPointer': '' };
    expect(describeProfile(fields)).toContain('response.totalPointer ""');
  });

  test('leaves out settings that mean nothing beside the others', () => {
    expect(describeProfile(load('delete: { effect: remove, readable: false }'))).toEqual([
      'delete.effect remove',
    ]);
    expect(describeProfile(load('list: { pageParameter: p }'))).toEqual([]);
    expect(describeProfile(load('list: { paging: page, pageParameter: p }'))).toEqual([
      'list.paging page',
      'list.pageParameter p',
    ]);
  });

  test('is called by its file', () => {
    expect(profileName(undefined)).toBe('default');
    expect(profileName(join(directory, 'p.yaml'))).toBe('p.yaml');
  });
});
