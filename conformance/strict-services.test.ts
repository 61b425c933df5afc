import { expect, test } from 'vitest';
import { against, check } from '../testing/checks.ts';
import { checkMock, startMockService } from '../testing/mock-service.ts';
import type { Row } from '../testing/services/records/tables.ts';
import { createAt } from '../testing/services/service.ts';
import { useForeignService } from '../testing/use-foreign-service.ts';

const { closing, start } = useForeignService();

type IsWrong = (record: Row, before?: Row) => boolean;

/** Returns a date, a time, or a number as a number. */
const key = (value: unknown) => Number(String(value ?? 0).replaceAll(/[^\d]/g, ''));
const RANGES = [
  ['startDate', 'endDate'],
  ['start', 'end'],
  ['startTime', 'endTime'],
  ['minAge', 'maxAge'],
  ['date', 'deliveryDate'],
] as const;
const LINKS = ['customer', 'customer1', 'customer2', 'seller', 'buyer', 'beneficiary'];

test.each<[string, string[], IsWrong, settings?: object]>([
  [
    'the end of a range before its start',
    ['voucher', 'voucherPrice', 'customerToTag', 'stockOrder'],
    (record) =>
      RANGES.some(([from, to]) => (record[to] ?? null) !== null && key(record[to]) < key(record[from])),
  ],
  [
    'an amount and a price whose product does not fit into a money column',
    ['stockInvoiceLine', 'stockOrderLine', 'stockTransaction'],
    ({ amount, grossUnitCost, price, units }) =>
      Number(units ?? amount) * Number(price ?? grossUnitCost) >= 10_000_000,
  ],
  [
    'the same ID in two links of one record to one model',
    ['shareTransfer', 'relationship', 'voucherBeneficiary'],
    (record) => {
      const ids = LINKS.map((name) => record[name] ?? null).filter((id) => id !== null);
      return new Set(ids).size < ids.length;
    },
  ],
  ...[0, 3].map((last): [string, string[], IsWrong, object] => [
    `an update of a record in the last state ${last}`,
    ['stockOrder'],
    (_, before) => before?.status === last,
    { transitions: { 'stockOrder.status': { [last]: [] } } },
  ]),
])('the suite never sends %s', async (_, models, isWrong, settings = {}) => {
  const { url } = await start({
    refuses: ({ before, model, sent }) =>
      models.includes(model.name) && isWrong({ ...before, ...sent }, before),
  });
  const rules = ['operations', 'create', 'update', 'required', 'readonly', 'values', 'fields'];
  const failed = against(await check(url, { models, settings: { ...settings }, rules }));
  expect(failed.map(({ id, message }) => `${id} ${message}`)).toEqual([]);
});

test.each([
  ['ignores a new product', (product: unknown) => product, 'fail'],
  ['refuses an unknown product', (product: unknown) => (product === 101 ? product : undefined), 'skip'],
] as const)(
  'for a service with one product that %s, the update of the product is judged',
  async (what, stored, outcome) => {
    const service = await startMockService({}, (answer) => (request, sent) => {
      const { product, ...others } = JSON.parse(sent || '{}');
      const isUpdate = request.method === 'POST' && /voucherType\/\d/.test(request.url ?? '');
      if (!isUpdate || product === undefined) return answer(request, sent);
      if (stored(product) === undefined) return Promise.resolve({ status: 422, body: {} });
      return answer(request, JSON.stringify(what.startsWith('ignores') ? others : { ...others, product }));
    });
    await createAt(closing(service).url, 'voucherType', { name: 'A', kind: 1, product: 101 });
    const plan = { models: ['voucherType'], rules: ['update.changes-field'] };
    const results = await check(service.url, plan);
    expect(results.cases.filter((one) => one.outcome !== 'pass')).toMatchObject([
      { id: 'update.changes-field:voucherType.product', outcome },
    ]);
  },
);

test('if a rejection names four optional fields, the suite omits them', async () => {
  const accepted = { region: 19, country: 199, company: 3, nationality: 199 };
  const plan = { models: ['customer'], rules: ['operations', 'create'] };
  const results = await checkMock(plan, (answer) => (request, sent) => {
    const values = JSON.parse(sent || '{}');
    const wrong = Object.entries(accepted).filter(([name, most]) => Number(values[name] ?? 0) > most);
    if (wrong.length === 0) return answer(request, sent);
    const errors = Object.fromEntries(wrong.map(([name]) => [name, ['does not exist']]));
    return Promise.resolve({ status: 400, body: { errors } });
  });
  expect(against(results)).toEqual([]);
});

test('a response to a create can omit a default flag that a concurrent create took over', async () => {
  let creates = 0;
  const rules = ['create', 'advice.id-not-reused', 'advice.create-at-once'];
  const results = await checkMock({ models: ['supplier'], rules }, (answer) => async (request, sent) => {
    const reply = await answer(request, sent);
    const isCreate = request.method === 'POST' && request.url?.endsWith('/supplier');
    if (!isCreate || !JSON.parse(sent || '{}').main) return reply;
    const number = ++creates;
    await new Promise((resolve) => setTimeout(resolve, 20));
    return creates === number ? reply : { ...reply, body: { ...Object(reply.body), main: false } };
  });
  expect(against(results)).toEqual([]);
});

test('an update of the tags of a customer can replace its customerToTag records', async () => {
  const { url } = closing(
    await startMockService({}, (answer) => async (request, sent) => {
      const reply = await answer(request, sent);
      const [, id] = /customer\/(\d+)$/.exec(request.url ?? '') ?? [];
      if (request.method !== 'POST' || !id || !('tags' in JSON.parse(sent || '{}'))) return reply;
      const found = await fetch(`${url}/api/model/customerToTag?customer=${id}`);
      const links = (await found.json()) as { id: number }[];
      for (const link of links)
        await fetch(`${url}/api/model/customerToTag/${link.id}`, { method: 'DELETE' });
      return reply;
    }),
  );
  const models = ['customerToTag', 'customer', 'customerTag'];
  const rules = ['operations', 'update.changes-field', 'update.keeps-other-records'];
  expect(against(await check(url, { models, rules }))).toEqual([]);
});

test('a service that accepts no date in an optional field fails', async () => {
  const { url } = await start({
    refuses: ({ model, on, sent = {} }) =>
      on === 'create' && model.name === 'deposit' && (sent.endDate ?? null) !== null,
  });
  const [first, ...others] = against(await check(url, { models: ['deposit'], rules: ['operations'] }));
  expect(first?.message).toMatch(/^a valid value is refused for deposit\.endDate: /);
  expect(others).toEqual([]);
});
