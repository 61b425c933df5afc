import { expect, test } from 'vitest';
import { createProfile, DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import { catalogue, contract, pinsOf } from '../../../testing/checks.ts';
import { complaintOf } from '../../../testing/input-files/complaint.ts';
import { useDirectory } from '../../../testing/temporary-directory.ts';
import { pinsIn, pinsInFlags, readPins } from './pins.ts';
import { createFieldPolicy } from './values.ts';

const directory = useDirectory();
const load = (text: string) => readPins(pinsIn(directory.write('p.yaml', text)), contract);
const fieldOf = (key: string) => {
  const found = [...catalogue.models.values()].flatMap(({ fields }) => fields).find((one) => one.key === key);
  if (!found) throw new Error(key);
  return found;
};
const chosen = (key: string, written: unknown, tag = 'ab', count = 6) => {
  const policy = createFieldPolicy({ pins: pinsOf({ [key]: written }), tag });
  const pin = policy.pinOf(fieldOf(key));
  if (!pin) throw new Error(`no pin for ${key}`);
  return Array.from({ length: count }, (_, at) =>
    policy.pinnedValue(pin, fieldOf(key), 1000 + at, DEFAULT_PROFILE),
  );
};

test.each<[key: string, written: unknown, values: readonly unknown[]]>([
  ['brand.name', 'Altura', ['Altura']],
  ['stockInvoice.currency', ['EUR', 'USD'], ['EUR', 'USD']],
  ['customer.country', { from: 3, to: 5 }, [3, 4, 5]],
  ['deposit.balance', { from: 0.5, to: 0.55 }, [0.5, 0.51, 0.52, 0.53, 0.54, 0.55]],
  ['customer.tags', [7, 8], [[7, 8]]],
  ['shareTransfer.date', { from: '2026-12-30', to: '2026-12-31' }, ['2026-12-30', '2026-12-31']],
  ['share.number', { pattern: 'Z?' }, ['ZM', 'ZN', 'ZO', 'ZP', 'ZQ', 'ZR']],
])('the pin %s: %j allows only its values, and the suite sends all of them', (key, written, values) => {
  const sent = chosen(key, written, 'ab', values.length).map((value) => JSON.stringify(value));
  expect(new Set(sent)).toEqual(new Set(values.map((value) => JSON.stringify(value))));
});

test('unique values differ in a run and between runs, and a pin with too few values is an error', () => {
  const pin = { pattern: '######', unique: true };
  const [one, other] = [chosen('share.number', pin, 'ab', 500), chosen('share.number', pin, 'zz', 500)];
  expect(new Set(one).size).toBe(500);
  expect(one.filter((value) => other.includes(value))).toEqual([]);
  for (const text of chosen('brand.name', { unique: true })) expect(text).toContain('ab-');
  expect(() => chosen('share.number', { pattern: '#', unique: true }, 'ab', 11)).toThrow(
    'the run has used all 10 values that the pin of share.number allows; allow more values, or select fewer models',
  );
});

test('a pin with a star applies to the field in each model, unless a model or a flag overrides it', () => {
  const flags = pinsInFlags(['deposit.balance={from: 1, to: 2}', '*.price=3']);
  const file = pinsIn(
    directory.write('p.yaml', '"*.price": 1\nshareTransfer.price: 2\ndeposit.balance: 9\n'),
  );
  const pins = readPins([...file, ...flags], contract);
  const words = ['subscriptionAddon.price', 'shareTransfer.price', 'deposit.balance'];
  expect(words.map((key) => pins.get(key)?.words)).toEqual(['3', '2', '1 to 2']);
});

test.each([
  ['"*.currncy": EUR', 'p.yaml:1: Unknown field "*.currncy". Did you mean "*.currency"?'],
  ['brand.nam: x', 'p.yaml:1: Unknown field "brand.nam". Did you mean "brand.name"?'],
  ['brand.id: 1', 'p.yaml:1: brand.id is readonly, so no client can send it. Remove the pin.'],
  ['__proto__: 1', 'p.yaml:1: Unknown field "__proto__".'],
  ['share.number: 1234', 'p.yaml:1: share.number has an invalid value: 1234 '],
  ['customer.taxDocumentType: 99', 'p.yaml:1: customer.taxDocumentType has an invalid value: '],
  ['deposit.balance: { fom: 1 }', 'p.yaml:1: Unknown key "fom". Did you mean "from"?'],
  ['deposit.balance: { from: 9, to: 1 }', 'p.yaml:1: deposit.balance has a range whose start is above'],
  ['deposit.balance: { pattern: "##" }', "p.yaml:1: deposit.balance takes currency values, so it can't"],
  ['customer.isCompany: { unique: true }', "p.yaml:1: customer.isCompany can't be unique. Only"],
  ['voucher.endDate: { after: strtDate }', 'p.yaml:1: Unknown field "strtDate" in the pin of'],
  ['customer.email: { after: email2 }', 'p.yaml:1: customer.email takes email values, which have no order.'],
  [
    'customer.email: { sameAs: email2 }\ncustomer.email2: { sameAs: email }',
    'p.yaml:2: customer.email2 depends on itself. Remove one of the pins.',
  ],
])('an invalid pin is reported with file and line: %s', (text, message) => {
  expect(complaintOf(() => load(text))).toContain(message);
});

test('an invalid pin is reported with file and line, even if only the profile excludes its value', () => {
  const profile = createProfile({ 'limits.text': 3 }, catalogue);
  const entries = pinsIn(directory.write('p.yaml', 'share.number: "####"'));
  expect(() => readPins(entries, { ...contract, profile })).toThrow(
    'p.yaml:1: share.number has an invalid value',
  );
});
