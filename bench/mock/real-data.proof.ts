import { expect, test } from 'vitest';
import { CITIES } from '../../mock/generated/people.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { loadContract } from '../../spec/contract.ts';
import { demo } from '../../testing/demo.ts';
import { generateRecords } from '../../testing/generated-records.ts';

const repeated = (values: readonly unknown[]) =>
  values.filter((value, index) => values.indexOf(value) !== index);

const contract = loadContract();
const made = generateRecords(300, contract, { seed: 42, existing: demo, origin: 'http://127.0.0.1:4010' });
const models = [...contract.catalogue.models.values()];
const recordsOf = (model: string): readonly Readonly<Record<string, unknown>>[] => made.get(model) ?? [];
const allRecords = models.flatMap((model) => recordsOf(model.name).map((record) => ({ model, record })));
const fields = models.flatMap((model) => model.fields.filter(({ common }) => !common));
/** Returns the values of a field, of the records that have one. */
const valuesOf = ({ key, name }: Field) =>
  recordsOf(key.split('.')[0] ?? '').flatMap((record) => (record[name] === undefined ? [] : [record[name]]));

test('city, province, and postal code of a generated record match', () => {
  const provinces = new Map(
    CITIES.map(({ province, zip }) => [String(zip).padStart(5, '0').slice(0, 2), province]),
  );
  const cities = new Map(CITIES.map(({ city, province }) => [city, province]));
  const wrong = allRecords.filter(({ record: { canton, city, province, region, zipCode } }) => {
    const named = [provinces.get(String(zipCode ?? '').slice(0, 2)), cities.get(String(city)), province];
    const known = named.filter((one) => one !== undefined);
    const isRegion =
      region === undefined || zipCode === undefined || Number(String(zipCode).slice(0, 2)) === region;
    return new Set(known).size > 1 || !isRegion || (zipCode !== undefined && canton !== undefined);
  });
  expect(wrong).toEqual([]);
  expect(new Set(recordsOf('customer').map(({ province }) => province)).size).toBeGreaterThan(20);
});

test('the image of a generated record has the initials of its name', () => {
  const initial = (text: string) => text.normalize('NFD').charAt(0).toLowerCase();
  const images = fields.filter(({ type }) => type === 'image');
  const drawn = images.flatMap(({ key, name }) =>
    recordsOf(key.split('.')[0] ?? '').flatMap((record) =>
      record[name] ? { ...record, url: record[name] } : [],
    ),
  );
  expect(drawn.length).toBeGreaterThan(200);
  for (const { lastName, name, url } of drawn as Readonly<Record<string, unknown>>[]) {
    const words = String(name)
      .split(' ')
      .filter((word) => /^\p{Lu}/u.test(word));
    const wanted = [words[0], ...(lastName ? [lastName] : [])].map((word) => initial(String(word)));
    const shown = String(url).split('/').at(-1)?.split(/[-.]/) ?? [];
    expect([url, shown.slice(0, wanted.length).map(initial)]).toEqual([url, wanted]);
  }
});

test('codes, cards, numbers, and addresses are unique among generated records', () => {
  const own = fields.filter(
    ({ name, type }) =>
      /^(memberCode|centerCard|taxNumber|nationalId|account|onlineName|email2?|web|sale|number)$/.test(
        name,
      ) ||
      type === 'image' ||
      type === 'email',
  );
  for (const field of own) {
    if (field.key === 'stockInvoice.taxNumber') continue;
    expect([field.key, repeated(valuesOf(field))]).toEqual([field.key, []]);
  }
  for (const { alias, centerCard, firstName, memberCode } of recordsOf('customer')) {
    expect(alias).not.toBe(firstName);
    if (memberCode !== undefined) expect(String(memberCode).slice(2)).not.toBe(String(centerCard).slice(2));
  }
  // All names differ, except those of people.
  for (const { fields: own, name } of models)
    if (own.some((field) => field.name === 'name') && !/^(customer|crmContact)$/.test(name))
      expect([name, repeated(recordsOf(name).map((record) => record.name))]).toEqual([name, []]);
});

test('dates and numbers of a generated record are in order', () => {
  const pairs = [
    ['created', 'updated'],
    ['start', 'end'],
    ['startDate', 'endDate'],
    ['startTime', 'endTime'],
    ['minAge', 'maxAge'],
    ['date', 'estimatedDeliveryDate'],
    ['date', 'deliveryDate'],
  ] as const;
  const isAfter = (one: unknown, other: unknown) =>
    typeof one === 'number' ? one > Number(other) : String(one) > String(other);
  const wrong = allRecords.flatMap(({ model, record }) => {
    const apart = pairs.filter(
      ([first, second]) =>
        record[first] !== undefined && record[second] !== undefined && isAfter(record[first], record[second]),
    );
    const hour = Number(String(record.created).slice(11, 13));
    const age = Number(String(record.created).slice(0, 4)) - Number(String(record.birthdate).slice(0, 4));
    const isLikely = hour >= 7 && hour < 22 && (record.birthdate === undefined || (age >= 18 && age <= 81));
    return isLikely && apart.length === 0 ? [] : [{ model: model.name, record }];
  });
  expect(wrong).toEqual([]);
});

test('each generated record is updated after the records it links to are created', () => {
  const wrong = allRecords.flatMap(({ model, record }) =>
    model.fields.flatMap(({ key, name }) => {
      const reference = contract.references.get(key);
      // An invoice comes after its deliveries, whose lines name it then.
      if (!reference || 'outside' in reference || key === 'stockDeliveryLine.stockInvoice') return [];
      const targets = [...recordsOf(reference.to), ...(demo.get(reference.to) ?? [])];
      return [record[name] ?? []].flat().flatMap((id) => {
        const target = targets.find((one) => one.id === id);
        return String(target?.created) <= String(record.updated) ? [] : `${key} ${id} of ${record.id}`;
      });
    }),
  );
  expect(wrong).toEqual([]);
});

test('generated strings vary, and none is a placeholder', () => {
  const texts = fields.filter(({ type }) =>
    ['string', 'text', 'markdown', 'email', 'url', 'image'].includes(type),
  );
  for (const field of texts) {
    const values = valuesOf(field).map(String);
    // The club has one currency, and two languages.
    if (values.length < 20 || /^(currency|language)$/.test(field.name)) continue;
    const most = Math.max(...[...Map.groupBy(values, (value) => value).values()].map(({ length }) => length));
    const isVaried = new Set(values).size > 2 && most < values.length * 0.7;
    expect([field.key, isVaried]).toEqual([field.key, true]);
    for (const value of values) expect(value).not.toMatch(/lorem|undefined|NaN|\{|^[A-Z0-9]{6}$/);
  }
  const sentences = fields.filter(({ type }) => type === 'text' || type === 'markdown');
  const uses = new Map<string, Set<string>>();
  for (const field of sentences)
    for (const value of valuesOf(field))
      uses.set(String(value), (uses.get(String(value)) ?? new Set()).add(field.name));
  expect([...uses].filter(([, names]) => names.size > 1)).toEqual([]);
});

test('each field has generated values, except readonly fields and lines', () => {
  const empty = fields.filter(
    (field) => valuesOf(field).length === 0 && !field.readonly && field.type !== 'lines',
  );
  expect(empty.map(({ key }) => key)).toEqual([]);
});

const ofProducts = models.flatMap((model) => {
  const link = model.fields.find(({ key }) => {
    const reference = contract.references.get(key);
    return reference !== undefined && 'outside' in reference && reference.outside === 'product';
  });
  return link ? recordsOf(model.name).map((record) => ({ model, record, product: record[link.name] })) : [];
});

test('each product has one price, cost, SKU, tax rate, and supplier in all generated records', () => {
  const same = [
    /^(grossUnitCost|priceBeforeTaxes|averageUnitCost)$/,
    ...[/^(grossUnitPrice|price)$/, /^sku$/, /^supplierName$/, /^(taxRate)$/],
  ];
  const seen = new Map<string, Set<unknown>>();
  for (const { model, product, record } of ofProducts)
    for (const [index, names] of same.entries())
      for (const [name, value] of Object.entries(record)) {
        // The price of an invoice of a supplier is the cost with taxes.
        if (
          !names.test(name) ||
          value === undefined ||
          product === undefined ||
          (model.name === 'stockInvoiceLine' && name === 'price')
        )
          continue;
        const key = `${product} ${index}`;
        seen.set(key, (seen.get(key) ?? new Set()).add(value));
      }
  expect([...seen].filter(([, values]) => values.size > 1)).toEqual([]);
  expect(seen.size).toBeGreaterThan(200);
});

test('each subscription and voucher type has one price in all generated records', () => {
  for (const [model, price] of [
    ['subscriptionCustomer', 'price'],
    ['voucher', 'unitPrice'],
  ] as const) {
    const byType = Map.groupBy(recordsOf(model), ({ type }) => type);
    for (const [type, records] of byType) {
      const prices = new Set(records.flatMap((record) => record[price] ?? []));
      expect([model, type, prices.size <= 1]).toEqual([model, type, true]);
    }
  }
  for (const { amount, price, type } of recordsOf('voucherPrice')) {
    const voucher = recordsOf('voucher').find((one) => one.type === type);
    if (voucher) expect(Number(price) / Number(amount)).toBeCloseTo(Number(voucher.unitPrice));
  }
});
