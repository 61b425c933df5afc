import { describe, expect, it } from 'vitest';
import { generateDocument } from '../../generator/generate.ts';
import { loadContract } from '../../spec/contract.ts';
import { demo as records } from '../demo.ts';
import { standBetween } from './between.ts';
import { startExpressValidator } from './express-validator.ts';
import { startPrismProxy } from './prism-proxy.ts';

// Lines in their parent, and a model that is only read. `npm run consumers` tries them all.
const FEW = ['brand', 'stockOrder', 'stockOrderLine', 'subscriptionTask'];
const contract = loadContract();
const models = [...contract.catalogue.models.values()].filter(({ name }) => FEW.includes(name));

describe.each(
  Object.entries({
    'express-openapi-validator': startExpressValidator,
    'prism proxy --errors': startPrismProxy,
  }),
)('%s between a client and the mock', (_, start) => {
  it('reports a request and an answer that break the document, and nothing else', {
    timeout: 60_000,
  }, async () => {
    const document = generateDocument(contract, { records, selection: { models: FEW } });
    const trial = { contract, models, openapi: '3.1', document, records } as const;
    const sound = await standBetween(start, trial);
    expect(sound.faults).toEqual([]);
    expect(sound.count).toBeGreaterThan(15);

    const { Brand, StockOrderUpdate } = document.components.schemas as Record<string, object>;
    Object.assign(Brand ?? {}, { required: ['neverShown'] });
    Object.assign(StockOrderUpdate ?? {}, { propertyNames: { enum: ['comments'] } });
    const { faults } = await standBetween(start, trial);
    expect(faults).toContainEqual(expect.stringMatching(/^createBrand: 500 /));
    expect(faults).toContainEqual(expect.stringMatching(/^updateStockOrder: 4\d\d /));
  });
});
