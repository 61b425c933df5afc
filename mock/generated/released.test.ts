import { expect, test } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { demo } from '../../testing/demo.ts';
import { generateForData } from '../../testing/generated-records.ts';
import { createValueValidators } from '../operations/validators.ts';
import { generateRecords, type Wanted } from './generated.ts';

const contract = loadContract();
const models = [...contract.catalogue.models.values()];
const base = { existing: demo, origin: 'http://127.0.0.1:4010', seed: 5 };

test.each<[Wanted]>([
  ...models.map(({ name }): [Wanted] => [{ [name]: 25 }]),
  [{ customer: 30, voucherTransaction: 20, stockOrder: 9, stockDeliveryLine: 12 }],
  [{ lockerCustomer: 30, locker: 5, stockInvoiceLine: 7, subscriptionAddon: 20 }],
  [15],
])('records of %j are the same if those that nothing needs are released', async (wanted) => {
  const { made } = await generateForData(wanted, base);
  expect(made).toEqual(await generateRecords(wanted, contract, base));
});

test('the records of nearly all models are released if they alone are asked for', async () => {
  const kept = [];
  for (const { name } of models)
    if (!(await generateForData({ [name]: 2 }, base)).released.has(name)) kept.push(name);
  expect(kept).toEqual(['lockerCustomer', 'productSplit', ...LINES].toSorted());
});

/** Their totals are in their parents. */
const LINES = ['stockInvoiceLine', 'stockOrderLine'];

test.each([1, 2])('each generated value has the form of its field, with the seed %i', async (seed) => {
  const made = await generateRecords(200, contract, { ...base, seed });
  const validate = createValueValidators(DEFAULT_PROFILE);
  const wrong = models.flatMap((model) =>
    (made.get(model.name) ?? []).flatMap((record) =>
      model.fields.flatMap((field) => {
        const value = record[field.name] ?? null;
        return value === null ? [] : validate(field, value).map(({ message }) => `${field.key} ${message}`);
      }),
    ),
  );
  expect(wrong).toEqual([]);
});
