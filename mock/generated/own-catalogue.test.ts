import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { few, references } from '../../testing/mocks/mocks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { createMock } from '../mock.ts';
import { SPANISH } from './people.ts';

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

test('records of some models of the kit are generated without the models that they link to', async () => {
  await using mock = await createMock({ catalogue: few, references, records: 30 });
  expect((await mock.state(['subscriptionCustomer'])).subscriptionCustomer).toHaveLength(30);
});

test('records of another catalogue have its fields, and texts that say nothing of another API', async () => {
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
