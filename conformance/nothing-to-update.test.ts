import { expect, test } from 'vitest';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { complaints, learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();

test('an empty update may be refused if no field of the model has a known form', async () => {
  const dialect = readOptions(['shows=links as objects', 'noChange=refused']);
  const { url } = closing(await startPlain({ dialect }));
  const results = await learnAndCheck(url, { models: ['consumerHomeItem'] });
  expect(complaints(results)).toEqual([]);
});
