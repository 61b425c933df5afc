import { describe, expect, it } from 'vitest';
import type { ContractDocument } from '../../generator/generate.ts';
import { loadContract } from '../../spec/contract.ts';
import { CONSUMERS, profilesForConsumers, runConsumer } from './consumers.ts';

/** Lines in their parent, and a model that is only read; `npm run consumers` takes all. */
const FEW = ['brand', 'stockOrder', 'stockOrderLine', 'subscriptionTask'];
const whole = loadContract();
const models = new Map([...whole.catalogue.models].filter(([name]) => FEW.includes(name)));
const contract = { ...whole, catalogue: { ...whole.catalogue, models } };
const profiles = profilesForConsumers(whole);

describe.each(Object.entries(CONSUMERS))('%s between a client and the mock', (_, start) => {
  it.each(profiles.map((profile, index) => ({ profile, index })))(
    'reports nothing over the life of records sent back whole, under profile $index',
    { timeout: 60_000 },
    async ({ profile }) => {
      const { faults, sent } = await runConsumer(start, { ...contract, profile });
      expect(faults).toEqual([]);
      expect(sent).toBeGreaterThan(15);
    },
  );

  it('reports nothing with the document in OpenAPI 3.0', { timeout: 60_000 }, async () => {
    const { faults, sent } = await runConsumer(start, contract, { openapi: '3.0' });
    expect(faults).toEqual([]);
    expect(sent).toBeGreaterThan(15);
  });

  it('reports a request and an answer that break the document', { timeout: 60_000 }, async () => {
    const change = ({ components }: ContractDocument) => {
      const { Brand, StockOrderUpdate } = components.schemas as Record<string, { [key: string]: unknown }>;
      Object.assign(Brand ?? {}, { required: ['neverShown'] });
      Object.assign(StockOrderUpdate ?? {}, { propertyNames: { enum: ['comments'] } });
    };
    const { faults } = await runConsumer(start, contract, { change });
    expect(faults).toContainEqual(expect.stringMatching(/^createBrand: 500 /));
    expect(faults).toContainEqual(expect.stringMatching(/^updateStockOrder: 4\d\d /));
  });
});
