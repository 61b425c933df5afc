import { expect, test } from 'vitest';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { catalogue, pinsOf } from '../../../testing/checks.ts';
import { createFieldPolicy } from './values.ts';

const TAG = 'k4w9';
const fieldOf = (key: string) => {
  const [model = '', name] = key.split('.');
  const field = catalogue.models.get(model)?.fields.find((one) => one.name === name);
  if (!field) throw new Error(key);
  return field;
};
const open = (key: string, value: Value) => createFieldPolicy({ tag: TAG, pins: pinsOf({ [key]: value }) });

test('two of three texts hold the tag of the run, and all tell the run', () => {
  const policy = open('customer.alias', 'Pinned');
  const name = fieldOf('brand.name');
  const texts = [3000, 3001, 3002].map((number) => policy.sample(name, number, DEFAULT_PROFILE));
  expect(texts.map((text) => String(text).includes(TAG))).toEqual([true, true, false]);
  expect(texts.map((text) => policy.isOwn(name.key, text))).toEqual([true, true, true]);
});

test('a number tells the run where it is one of its samples', () => {
  const policy = open('brand.name', 'Pinned');
  const balance = fieldOf('deposit.balance');
  const value = policy.sample(balance, 123_456, DEFAULT_PROFILE);
  expect([value, 5000].map((one) => policy.isOwn(balance.key, one))).toEqual([true, false]);
});

test('neither a pinned value nor one that others send as well tells the run', () => {
  const policy = open('deposit.balance', 5000);
  policy.sample(fieldOf('deposit.balance'), 123_456, DEFAULT_PROFILE);
  policy.sample(fieldOf('brand.name'), 3000, DEFAULT_PROFILE);
  expect(policy.isOwn('deposit.balance', 5000)).toBe(false);
  expect(policy.isOwn('brand.name', 'A name of theirs')).toBe(false);
});
