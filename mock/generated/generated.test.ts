import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import { loadContract } from '../../spec/contract.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { demo } from '../../testing/demo.ts';
import { generateRecords } from '../../testing/generated-records.ts';
import { serveMock } from '../../testing/mocks/control.ts';
import { FEW_MODELS } from '../../testing/mocks/mocks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { createMock } from '../mock.ts';
import { createValueValidators } from '../operations/body.ts';
import type { Wanted } from './generated.ts';
import { SPANISH } from './people.ts';

const contract = loadContract();
const count = 30;

type Records = Record<string, Record<string, unknown>[]>;

async function stateOf(seed: number, profile: Record<string, unknown> = {}): Promise<Records> {
  const mock = await createMock({ ...contract, fixtures: demo, records: count, seed, profile });
  expect(mock.warnings).toEqual([]);
  return (await mock.state()) as Records;
}

describe('generated records', () => {
  test('are the same for the same seed, differ for another, and follow existing records', async () => {
    const [one, again, other] = [await stateOf(42), await stateOf(42), await stateOf(43)];
    expect(JSON.stringify(one)).toBe(JSON.stringify(again));
    expect(one.customer?.at(-1)).not.toEqual(other.customer?.at(-1));
    const alone = await createMock({ ...contract, fixtures: demo });
    for (const [model, records] of Object.entries(await alone.state())) {
      expect(one[model]?.slice(0, records.length)).toEqual(records);
      expect(one[model]?.length).toBeGreaterThanOrEqual(records.length + count);
    }
  });

  test('are consistent with each other', async () => {
    const {
      customer = [],
      lockerCustomer = [],
      shareTransfer = [],
      voucher = [],
      voucherTransaction = [],
    } = await stateOf(7);
    for (const { businessName, firstName, isCompany, lastName, name } of customer.slice(16))
      expect(name).toBe(isCompany === true ? (businessName ?? firstName) : `${firstName} ${lastName}`);
    const people = new Map(customer.map(({ id, name }) => [id, name]));
    const owners = new Map(voucher.map((one) => [one.id, one.customer]));
    for (const { balanceAfter, customerName, voucher: of } of voucherTransaction.slice(-count)) {
      expect(customerName).toBe(people.get(owners.get(of)));
      expect(balanceAfter).toBeGreaterThanOrEqual(0);
    }
    for (const { buyer, seller } of shareTransfer) expect(buyer).not.toBe(seller);
    const rented = lockerCustomer.filter(({ active }) => active).map(({ locker }) => locker);
    expect(new Set(rented).size).toBe(rented.length);
  });

  test('include missing records that they link to', async () => {
    const mock = await createMock({ ...contract, records: { stockDeliveryLine: 5 } });
    expect(mock.warnings).toEqual([]);
    const state = (await mock.state()) as Records;
    expect(Object.keys(state).toSorted()).toEqual(
      ['stockDelivery', 'stockDeliveryLine', 'stockOrder', 'stockOrderLine', 'supplier'].filter(
        (name) => state[name],
      ),
    );
    expect(state.stockDeliveryLine).toHaveLength(5);
    const single = { relationship: 1, shareTransfer: 1, voucherBeneficiary: 1 };
    expect((await createMock({ ...contract, records: single })).warnings).toEqual([]);
  });

  test('link to records without an ID, whose IDs are the same with and without generated records', async () => {
    const people = ['a', 'b', 'c'].map((name) => ({ name, isCompany: false }));
    const fixtures = { customer: [...people, { id: 9, name: 'd', isCompany: false }] };
    const options = { ...contract, fixtures, lenient: true };
    const alone = await createMock(options);
    const mock = await createMock({ ...options, records: { relationship: 20, customerToTag: 9 } });
    expect(mock.warnings).toEqual([]);
    const { customer = [], relationship = [] } = (await mock.state()) as Records;
    expect(relationship.filter((one) => one.customer === one.customer2)).toEqual([]);
    expect(customer).toEqual(((await alone.state()) as Records).customer);
    const more = await createMock({ ...options, records: { customer: 2 } });
    const ids = ((await more.state()) as Records).customer?.map(({ id, name }) => [id, name]);
    expect(ids?.slice(0, 4)).toEqual(customer.map(({ id, name }) => [id, name]));
  });

  test.each<[Record<string, unknown>, string]>([
    [{}, 'limit=20'],
    [
      { 'limits.text': 12, 'response.unset': 'absent', 'list.paging': { style: 'offset', size: 'n' } },
      'n=20',
    ],
    [{ 'types.lines': 'ids', 'delete.effect': 'remove', 'list.paging': 'none' }, ''],
  ])('conform to %j, and fill more than one page', async (profile, query) => {
    await using started = await serveMock({ profile, records: { customer: 40, stockOrder: 30 } });
    for (const model of ['customer', 'stockOrder']) {
      const { body, headers, status } = await started.ask('GET', `/api/model/${model}?${query}`);
      expect([status, Number(headers['x-total-count']) >= 30]).toEqual([200, true]);
      if (query !== '') expect([body.length, Number(headers['x-total-count']) > 20]).toEqual([20, true]);
    }
  });
});

test('images of demo records load from the origin of the mock, or its default origin', async () => {
  const origin = 'http://127.0.0.1:4999';
  await using started = await serveMock({ fixtures: 'demo', origin });
  const state = await started.mock.state();
  const images = [...contract.catalogue.models.values()].flatMap((model) => {
    const names = model.fields.filter(({ type }) => type === 'image').map(({ name }) => name);
    return (state[model.name] ?? []).flatMap((record) => names.flatMap((name) => record[name] ?? []));
  });
  expect(images).toContain(`${origin}/__mock/images/lucia-fernandez.svg`);
  expect(images.filter((image) => !String(image).startsWith(`${origin}/__mock/images/`))).toEqual([]);
  for (const image of images) {
    const picture = await started.ask<string>('GET', new URL(String(image)).pathname);
    expect([image, picture.status]).toEqual([image, 200]);
  }
  const { body } = await started.ask<string>('GET', '/__mock/images/lucia-fernandez.svg');
  expect(body).toContain('>LF</text>');
  const other = await createMock({ ...contract, fixtures: 'demo' });
  const [lucia] = (await other.state(['customer'])).customer ?? [];
  expect(lucia?.avatar).toBe('http://127.0.0.1:4010/__mock/images/lucia-fernandez.svg');
});

test('images of generated records load in each session, even if the control API is off', async () => {
  await using started = await serveMock({ records: { customer: 5 }, control: false });
  const { customer = [] } = await started.mock.state(['customer']);
  const avatar = String(customer.find(({ avatar }) => String(avatar).includes('/__mock/images/'))?.avatar);
  const { pathname } = new URL(avatar);
  for (const path of [pathname, `/__mock/sessions/a${pathname}`]) {
    const picture = await started.ask<string>('GET', path, undefined, { origin: 'http://localhost:5173' });
    expect(picture).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/svg+xml', 'access-control-allow-origin': 'http://localhost:5173' },
      body: expect.stringMatching(/^<svg xmlns/),
    });
  }
  expect((await started.ask('HEAD', pathname)).status).toBe(200);
  for (const path of ['/__mock/images/%3Cscript%3E.svg', '/__mock/images/a.png', '/__mock/images/'])
    expect((await started.ask('GET', path)).status).toBe(404);
});

const models = [...contract.catalogue.models.values()];
const base = { origin: 'http://127.0.0.1:4010', seed: 5 };
const validate = createValueValidators(DEFAULT_PROFILE);

describe.each<[string, Fixtures]>([
  ['in addition to the demo records', demo],
  ['in an empty mock', new Map()],
])('generated records %s', (_, existing) => {
  test.each<[Wanted]>([
    ...models.map(({ name }): [Wanted] => [{ [name]: 1 }]),
    [{ customer: 30, voucherTransaction: 20, stockOrder: 9, stockDeliveryLine: 12 }],
    [{ stockOrder: 3, stockOrderLine: 40, stockInvoice: 40, stockInvoiceLine: 3 }],
    [{ customer: 0, relationship: 5, stockOrder: 0, stockOrderLine: 5 }],
    [200],
  ])('of %j have the requested number, and follow the contract', (wanted) => {
    const made = generateRecords(wanted, contract, { ...base, existing });
    for (const [name, count] of Object.entries(typeof wanted === 'number' ? {} : wanted))
      if (count > 0) expect([name, made.get(name)?.length]).toEqual([name, count]);
    const idsOf = (name: string) =>
      [...(existing.get(name) ?? []), ...(made.get(name) ?? [])].map(({ id }) => id);
    const ids = new Map(models.map(({ name }) => [name, new Set(idsOf(name))]));
    const wrong: string[] = [];
    for (const { fields, name } of models) {
      if (new Set(idsOf(name)).size < idsOf(name).length) wrong.push(`${name} has an ID twice`);
      for (const record of made.get(name) ?? [])
        for (const field of fields) {
          const value = record[field.name] ?? null;
          if (value === null) {
            if (field.required && !field.readonly && !field.lines) wrong.push(`${field.key} is required`);
            continue;
          }
          for (const { message } of validate(field, value)) wrong.push(`${field.key} ${message}: ${value}`);
          const reference = contract.references.get(field.key);
          if (reference && 'to' in reference)
            for (const id of [value].flat())
              if (!ids.get(reference.to)?.has(id)) wrong.push(`${field.key} ${id} leads to no record`);
        }
    }
    expect(wrong).toEqual([]);
  });
});

const directory = useDirectory();

const COMMON = `title: Own
version: '2026-01-01'
base: /api
common:
  id: int ro
  madeOn: datetime ro
  author: string ro
  changedOn: datetime ro
  gone: bool ro
  tenant: string req
roles: { created: madeOn, createdBy: author, updated: changedOn, deleted: gone }
`;
const AREA = `area: Club
models:
  customer:
    name: string req
    email: email req
    phone: string req
    description: text req
    city: string req
    currency: string req
    created: string
    start: date req
  brand:
    name: string req
    customer: int req
  voucher:
    balance: int req
    startTime: time req
`;
const REFERENCES = 'inside:\n  brand.customer: { to: customer, why: the name }\n';

test('records of a part of the catalogue are generated without the models that they link to', async () => {
  await using mock = await createMock({ ...FEW_MODELS, records: 30 });
  expect((await mock.state(['subscriptionCustomer'])).subscriptionCustomer).toHaveLength(30);
});

test('records of another catalogue have its fields, and no values of the included API', async () => {
  mkdirSync(directory.path('own'));
  directory.write('own/common.yaml', COMMON);
  directory.write('own/club.yaml', AREA);
  directory.write('references.yaml', REFERENCES);
  const catalogue = directory.path('own');
  const fixtures = { customer: [{ id: 1, name: 'a', gone: true }], brand: [] };
  await using mock = await createMock({ catalogue, fixtures, lenient: true, records: 20 });
  expect(mock.warnings).toEqual([]);
  const { brand = [], customer = [], voucher = [] } = await mock.state();
  expect([brand.length, customer.length, voucher.length]).toEqual([20, 21, 20]);
  for (const record of customer.slice(1)) {
    expect(Object.keys(record).filter((name) => name !== 'created')).toEqual([
      'id',
      'madeOn',
      'author',
      'changedOn',
      ...(record.gone === undefined ? [] : ['gone']),
      'tenant',
      ...['name', 'email', 'phone', 'description', 'city', 'currency', 'start'],
    ]);
    expect(String(record.madeOn) < '2026-01-01').toBe(true);
    expect(record.name).toBe(`name ${record.id}`);
    expect(record.email).toBe(`email-${record.id}@example.com`);
  }
  const text = JSON.stringify(await mock.state());
  const parts = Object.values(SPANISH.names)
    .flat()
    .flatMap((column) => column.split('|'));
  const words = [...Object.values(SPANISH.texts).flat(), ...parts.filter((part) => part.length > 6)];
  for (const word of [...words, 'Calle', 'EUR', '+34']) expect(text).not.toContain(word);
  // A deleted record is no target of a link.
  for (const { customer: id } of brand) expect(id).toBeGreaterThan(1);
  // The values of a voucher in another API don't follow the rules of this one.
  for (const { startTime } of voucher) expect(startTime).toMatch(/^00:\d\d:00$/);
  const [made] = (await mock.records('customer').list()).records;
  await mock.records('customer').delete(Number(made?.id));
  await expect(mock.records('customer').delete(Number(made?.id))).rejects.toThrow('There is no customer');
});
