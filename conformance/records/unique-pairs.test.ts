import { expect, test } from 'vitest';
import { complaints, learnAndCheck, useForeignService } from '../../testing/use-foreign-service.ts';

const { serve } = useForeignService();

test.each(['partial', 'full'])(
  'a service in which no two records link to the same two passes, with %s updates',
  async (update) => {
    const url = await serve('unique=pairs of links', `update=${update}`);
    const models = ['customerToTag', 'relationship', 'voucherProduct', 'productSplit', 'customerGroupItem'];
    const results = await learnAndCheck(url, { models });
    expect(complaints(results)).toEqual([]);
    expect(results.counts.pass).toBeGreaterThan(150);
  },
);
