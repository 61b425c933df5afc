import { beforeAll, expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { type Defect, without } from '../../testing/services/defects/defect.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { learnTerms, useForeignService } from '../../testing/use-foreign-service.ts';

const { closing } = useForeignService();

const NULLED = [
  'crmContact.gender',
  'customer.isAgency',
  'customer.tags',
  'supplier.region',
  'voucher.daysOfWeek',
  'voucherProduct.ratio',
  'warehouse.comments',
];
const models = [...new Set(NULLED.map((key) => key.split('.')[0] ?? ''))];
let terms: Awaited<ReturnType<typeof learnTerms>>;

beforeAll(async () => {
  const service = await startPlain();
  terms = await learnTerms(service.url, { models });
  await service.close();
});

/** Checks a service in which an update with null, or an empty list, has another effect on some fields. */
async function failures(effects: Readonly<Record<string, object>>, isEmpty: (value: unknown) => boolean) {
  const values: Defect['values'] = (sent, { model, on }) => {
    let stored = sent;
    for (const [key, effect] of Object.entries(effects)) {
      const [name, field = ''] = key.split('.');
      if (name === model.name && on === 'update' && Object.hasOwn(sent, field) && isEmpty(sent[field]))
        stored = { ...without(stored, field), ...effect };
    }
    return stored;
  };
  const defect = { name: 'update to nothing', rules: [], models: [], values };
  const { url } = closing(await startPlain({ defect }));
  return against(await check(url, { ...terms, models, rules: ['update'] })).map(
    ({ id, message }) => `${id} ${message}`,
  );
}

const isNull = (value: unknown) => value === null;
const ignored = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, {}]));
const reported = (keys: readonly string[], value: string) =>
  keys.map((key) => `update.changes-field:${key} an update to ${value} keeps the value`);

test('an update to null that is ignored fails in fields of each kind', async () => {
  const found = await failures(ignored(NULLED), isNull);
  expect(found.toSorted()).toEqual(reported(NULLED, 'null').map((line) => expect.stringContaining(line)));
});

test('an update to an empty list that is ignored fails', async () => {
  const lists = ['customer.tags', 'voucher.daysOfWeek'];
  const found = await failures(ignored(lists), (value) => Array.isArray(value) && value.length === 0);
  expect(found.toSorted()).toEqual(reported(lists, '[]').map((line) => expect.stringContaining(line)));
});

test('a default instead of null passes', async () => {
  const defaults = {
    'voucherProduct.ratio': { ratio: 1 },
    'crmContact.gender': { gender: 1 },
    'customer.isAgency': { isAgency: false },
    'warehouse.comments': { comments: 'none' },
  };
  expect(await failures(defaults, isNull)).toEqual([]);
});
