import { expect, test } from 'vitest';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { complaints, learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();

test.each([
  ['consumerHomeItem', []],
  ['helpArticle', ['linksLead=to records']],
])('an empty update may be refused if no field of %s has a known form', async (model, words) => {
  const dialect = readOptions(['shows=links as objects', 'noChange=refused', ...words]);
  const { url } = closing(await startPlain({ dialect }));
  const results = await learnAndCheck(url, { models: [model] });
  expect(complaints(results)).toEqual([]);
});
