import { expect, test } from 'vitest';
import { generateDocument } from '../../generator/generate.ts';
import { loadContract } from '../../spec/contract.ts';
import { demo as records } from '../demo.ts';
import { proxyByPrism } from './prism-proxy.ts';

// Lines in their parent, and a model that is only read. `npm run consumers` tries them all.
const FEW = ['brand', 'stockOrder', 'stockOrderLine', 'subscriptionTask'];
const contract = loadContract();
const models = [...contract.catalogue.models.values()].filter(({ name }) => FEW.includes(name));

test('prism proxy --errors reports only requests and responses that violate the document', async () => {
  const document = generateDocument(contract, { records, selection: { models: FEW } });
  const trial = { contract, models, openapi: '3.1', document, records } as const;
  const sound = await proxyByPrism(trial);
  expect(sound.faults).toEqual([]);
  expect(sound.count).toBeGreaterThan(15);

  const { Brand, StockOrderUpdate } = document.components.schemas as Record<string, object>;
  Object.assign(Brand ?? {}, { required: ['neverShown'] });
  Object.assign(StockOrderUpdate ?? {}, { propertyNames: { enum: ['comments'] } });
  const { faults } = await proxyByPrism(trial);
  expect(faults).toContainEqual(expect.stringMatching(/^createBrand: 500 /));
  expect(faults).toContainEqual(expect.stringMatching(/^updateStockOrder: 4\d\d /));
});
