import { expect, test } from 'vitest';
import { against } from '../../testing/checks.ts';
import { DEFECTS } from '../../testing/services/defects/defects.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { learnAndCheck, useForeignService } from '../../testing/use-foreign-service.ts';

const { closing } = useForeignService();

test('a DELETE without an id that deletes all is the one breach that is told', async () => {
  const defect = DEFECTS.find(({ name }) => name === 'delete-on-all-wipes');
  const service = closing(await startPlain(defect ? { defect } : {}));
  const results = await learnAndCheck(service.url, { models: ['helpArticle'] });
  expect(against(results).map(({ id }) => id)).toEqual(['absent.delete-all:helpArticle']);
});
