import { expect, test } from 'vitest';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { complaints, learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();

test.each([
  ['consumerHomeItem', ['shows=links as objects']],
  ['helpArticle', ['shows=links as objects', 'linksLead=to records']],
  // No tag exists that an article can have.
  ['helpArticle', ['linksLead=to records, and inside', 'begins=empty']],
])('an empty update may be refused if no field of %s can be sent, %j', async (model, words) => {
  const { url } = closing(await startPlain({ dialect: readOptions(['noChange=refused', ...words]) }));
  const results = await learnAndCheck(url, { models: [model] });
  expect(complaints(results)).toEqual([]);
});
