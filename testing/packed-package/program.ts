/** A program that uses the installed package. A test compiles and runs it in a separate project. */
export const PROGRAM = `
import {
  createMock, createTarget, describeContract, exportContract, generateDocument, learnProfile, loadContract, runSuite,
} from 'record-model-contract';
import { type CatalogueNames, createMock as again } from 'record-model-contract/mock';
import { connectMock } from 'record-model-contract/mock/client';
import { type FieldName, type ModelName, models } from 'record-model-contract/meta';
import type { Brand, paths } from 'record-model-contract/types';
import document from 'record-model-contract/openapi.json' with { type: 'json' };
import older from 'record-model-contract/openapi-3.0.json' with { type: 'json' };
import brand from 'record-model-contract/schemas/brand.create.json' with { type: 'json' };
import { readFileSync } from 'node:fs';

const contract = loadContract();
const path: keyof paths = '/api/model/brand';
const name: Brand['name'] = 'a';
const mock = await createMock({ requestLog: 0 });
const { url } = await mock.listen();
// Each fact has its literal type.
const named: ModelName = 'brand';
const limit: FieldName<'voucher'> = 'unitPrice';
const kinds = models.voucherTransaction.fields.type.values;
const third: 'Manual' = kinds[2].label;
const values: readonly (1 | 2 | 3 | 4)[] = kinds.map(({ value }) => value);
const flags: readonly [true, false] = [models.brand.fields.name.required, models.brand.fields.name.readonly];
// @ts-expect-error: The field is name.
models.brand.fields.nam;
const facts = describeContract(contract).models[named]?.fields.map((field) => field.name);
const target = createTarget({ baseUrl: url });
const made: string = (await mock.records('brand').create({ name })).name;
const ana = await mock.records('customer').create({ name: 'Ana' });
const vouchers = await mock.records('voucher').createMany(2, { customer: ana });
const owners: readonly (number | null | undefined)[] = vouchers.map(({ customer }) => customer);
const brands = (await mock.records('brand').list()).records;
// Of records without a type every name would be one.
const hasColor: 'color' extends keyof (typeof brands)[number] ? true : false = false;
// The compiler reports misspelled names. Another catalogue has other names.
const never = async () => {
  // @ts-expect-error: The operation is createBrand.
  await mock.count({ operation: 'createBrnd' });
  // @ts-expect-error: The field is name.
  await mock.records('customer').create({ nam: 'Ana' });
  // @ts-expect-error: A name is no record.
  await mock.records('customer').create({ name: ana });
  // @ts-expect-error: The model is brand.
  await mock.session('a').waitFor({ model: 'brnd' });
  // @ts-expect-error: A subscriptionTask can't be updated.
  await mock.fault({ status: 500, match: { operation: 'updateSubscriptionTask' } });
  // @ts-expect-error: The model is brand.
  await connectMock(url).session('a').requests({ model: 'brnd' });
  await mock.count<CatalogueNames>({ model: 'member', operation: 'createMember' });
};
await mock.count({ model: 'brand', operation: 'create' });
await mock.reset();
const learned = await learnProfile({ ...contract, target, write: true });
const selection = { models: ['brand'] };
const yaml = readFileSync(new URL(import.meta.resolve('record-model-contract/openapi.yaml')), 'utf8');
for await (const event of runSuite({ ...contract, target, profileName: 'default', selection }))
  if (event.type === 'end')
    console.log(JSON.stringify({
      counts: event.results.counts, learned: learned.settings.size, same: again === createMock && typeof never === 'function',
      openapi: document.openapi, older: older.openapi, id: brand.$id, yaml: yaml.includes(path),
      types: (await exportContract('types', contract, { selection })).includes('interface Brand'),
      meta: [third, values.length, ...flags, limit, facts?.at(-1)],
      title: made && owners.length === 2 && generateDocument(contract).info.title,
    }));
await target.close();
await mock.close();
`;
