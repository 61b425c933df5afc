import { expect, test } from 'vitest';
import { complaints, learnAndCheck, useForeignService } from '../../testing/use-foreign-service.ts';

const { serve } = useForeignService();

test('a service in which no two records link to the same two passes', async () => {
  const url = await serve('unique=pairs of links');
  const models = ['customerToTag', 'relationship', 'voucherProduct', 'productSplit'];
  const results = await learnAndCheck(url, { models });
  expect(complaints(results)).toEqual([]);
  expect(results.counts.pass).toBeGreaterThan(150);
});
