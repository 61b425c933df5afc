import { expect, it } from 'vitest';
import { envelope, filterFields, sortFields } from './binding.ts';
import { loadCatalogue, type Model } from './catalogue/catalogue.ts';
import { createProfile, DEFAULT_PROFILE } from './profile/profile.ts';

const catalogue = loadCatalogue();
const named = (name: string) => catalogue.models.get(name) as Model;

it('lists can be filtered and sorted only by fields with a single value', () => {
  const voucher = filterFields(named('voucher'), DEFAULT_PROFILE).map((field) => field.name);
  expect(voucher).toContain('customer');
  expect(voucher).not.toContain('daysOfWeek');
  expect(sortFields(named('stockOrder'), DEFAULT_PROFILE).map((field) => field.name)).not.toContain('lines');
  expect(filterFields(named('helpArticle'), DEFAULT_PROFILE).map((field) => field.name)).not.toContain(
    'tags',
  );
});

it("lists can't be filtered by a select field that is an object", () => {
  const profile = createProfile({ 'types.select': 'object' }, catalogue);
  expect(filterFields(named('locker'), profile).map((field) => field.name)).not.toContain('status');
  expect(sortFields(named('locker'), profile).map((field) => field.name)).toContain('status');
});

it('a query parameter of paging takes precedence over a field with the same name', () => {
  const profile = createProfile({ 'list.paging': { style: 'offset', size: 'amount' } }, catalogue);
  expect(filterFields(named('stockTransaction'), profile).map((field) => field.name)).not.toContain('amount');
});

it('an envelope has its content at each pointer, and is the content at the empty pointer', () => {
  expect(envelope([['', [1]]])).toEqual([1]);
  expect(
    envelope([
      ['/result/records', []],
      ['/result/meta/total', 0],
    ]),
  ).toEqual({ result: { records: [], meta: { total: 0 } } });
});
