import { expect, test } from 'vitest';
import { complaints, learnAndCheck, useForeignService } from '../../testing/use-foreign-service.ts';

const { serve } = useForeignService();

test('money that is taken in whole numbers and shown with decimals is nothing to judge', async () => {
  const url = await serve('currency=cents', 'shows=decimals as texts');
  const results = await learnAndCheck(url, { models: ['deposit'] });
  expect(complaints(results)).toEqual([]);
  const balance = results.cases.filter(({ id }) => id === 'create.keeps-field:deposit.balance');
  expect(balance).toMatchObject([
    { outcome: 'skip', message: expect.stringMatching(/types.currency could not/) },
  ]);
});
