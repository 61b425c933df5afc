import { describe, expect, test } from 'vitest';
import { changes, useProfileFile } from '../../testing/input-files/profile-file.ts';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import {
  changeProfile,
  createProfile,
  DEFAULT_PROFILE,
  describeProfile,
  pagesOf,
  profileAt,
  profileName,
  SETTINGS,
  under,
  whyFormless,
  whyUnknown,
} from './profile.ts';

const catalogue = loadCatalogue();

const { complaint, load, path } = useProfileFile();

/** Other settings that a variant needs. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'response.total': { 'response.records': '/items' },
};

test('the default profile is what an empty file gives', () => {
  expect(load('')).toEqual(DEFAULT_PROFILE);
  expect(load('{}')).toEqual(DEFAULT_PROFILE);
  expect(createProfile({}, catalogue)).toEqual(DEFAULT_PROFILE);
});

test('the default profile says for every setting what it means and which section leaves it open', () => {
  for (const setting of SETTINGS) {
    expect(setting.about).toMatch(/\.$/);
    expect(setting.section).toMatch(/^[1-9]/);
    expect(setting.variants[0]).toEqual(setting.default);
    expect(setting.variants.length).toBeGreaterThan(0);
  }
});

describe('a profile', () => {
  test('may be written nested, dotted, and both', () => {
    const wanted = { 'delete.effect': 'remove', 'delete.answer': 'none', 'list.filter': 'none' };
    for (const text of [
      'delete: { effect: remove, answer: none }\nlist: { filter: none }',
      'delete.effect: remove\ndelete.answer: none\nlist.filter: none',
      'delete: { effect: remove }\ndelete.answer: none\nlist:\n  filter: none',
      '{"delete":{"effect":"remove","answer":"none"},"list.filter":"none"}',
    ])
      expect(changes(load(text))).toEqual(wanted);
  });

  test('takes null for the option null of response.unset, and for nothing else', () => {
    expect(load('response.unset: null')['response.unset']).toBe('null');
    expect(load('response: { unset: }')['response.unset']).toBe('null');
    expect(load('response.unset: "null"')['response.unset']).toBe('null');
    expect(complaint('request.update: null')).toContain(
      'Unknown value null for request.update. Use "partial", "merge", or "full".',
    );
  });

  test('may name the style of paging only, and sizes adapt to each other', () => {
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

  test.each(variants)('takes %s %j', (name, value) => {
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

  test('of a model holds for the model and its fields', () => {
    expect(profileAt(profile, 'customer')).toMatchObject({
      'status.created': 200,
      'delete.effect': 'mark-listed',
    });
    expect(profileAt(profile, 'customer.name')['status.created']).toBe(200);
    expect(profileAt(profile, 'brand')).toBe(profile);
  });

  test('of a field precedes that of its model', () => {
    expect(profileAt(profile, 'customer.disabled')['types.bool']).toBe('int');
    expect(profileAt(profile, 'customer.isCompany')['types.bool']).toBe('bool');
    expect(profileAt(profile, 'customer.birthdate')['types.date']).toBe('iso');
  });

  test('is known, also if the setting is unknown elsewhere', () => {
    expect(profileAt(profile, 'customer').unknown).toEqual({});
    expect(profileAt(profile, 'brand').unknown).toHaveProperty('delete.effect');
  });

  test('does not hold for another model, also from the profile of the first', () => {
    expect(profileAt(profileAt(profile, 'customer'), 'brand')).toBe(profile);
  });

  test('ends when the setting is changed at all places', () => {
    expect(profileAt(under(profile, 'types.bool', 'bool'), 'customer.disabled')['types.bool']).toBe('bool');
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
])('except: %s is refused', (except, message) => {
  expect(complaint(`except: ${except}`)).toContain(message);
});

describe('a setting that nobody found out', () => {
  test.each(SETTINGS.map(({ name }) => [name]))('%s may be unknown: its default is supposed', (name) => {
    const profile = load(`${name}: unknown`);
    expect(profile[name]).toEqual(DEFAULT_PROFILE[name]);
    expect(profile.unknown).toEqual({ [name]: { why: 'is unknown in p.yaml', fits: false } });
    expect(whyUnknown(profile, name)).toBe(
      `${name} is unknown in p.yaml; you can set it in the --profile file`,
    );
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

  test('may have a value that requests accept', () => {
    const profile = load('types.currency: { sent: minor }');
    const taken = { why: 'is unknown in p.yaml', fits: false, isTaken: true };
    expect(profile).toMatchObject({ 'types.currency': 'minor', unknown: { 'types.currency': taken } });
  });

  test.each([
    ['types.time: { unknown: hours }', 'p.yaml:1: Unknown value "hours" for types.time. Use "seconds" or'],
    ['types.time: { unknown: minutes, x: 1 }', 'p.yaml:1: unknown must be the only key here. Remove x.'],
    ['types.time: unkown', 'Unknown value "unkown" for types.time. Use "seconds" or "minutes".'],
  ])('is refused as %s', (text, expected) => {
    expect(complaint(text)).toContain(expected);
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
    expect(why('types.date: unknown')).toBe(
      'types.date is unknown in p.yaml; you can set it in the --profile file',
    );
    expect(why('types.date: { unknown: iso }')).toBeUndefined();
    expect(why('types.lines: unknown')).toBeUndefined();
  });
});

describe('what a profile says of itself', () => {
  test('is nothing when it is the default', () => {
    expect(describeProfile(DEFAULT_PROFILE)).toEqual([]);
    expect(describeProfile(load('delete.effect: mark'))).toEqual([]);
  });

  test('are its differences from the default, in the order of the settings', () => {
    const profile = load(
      'values: { customer.language: [es] }\nresponse.record: /data\ndelete.effect: mark-listed\nstatus.created: 200',
    );
    expect(describeProfile(profile)).toEqual([
      'response.record /data',
      'status.created 200',
      'delete.effect mark-listed',
      'values {"customer.language":["es"]}',
    ]);
  });

  test('shows all parts of a setting', () => {
    expect(describeProfile(load('list.paging: { style: page, from: p }'))).toEqual([
      'list.paging page (limit, p, default 100, max 500)',
    ]);
  });

  test('is called by its file', () => {
    expect(profileName(undefined)).toBe('default');
    expect(profileName(path('p.yaml'))).toBe('p.yaml');
  });
});
