import { expect, test } from 'vitest';
import type { At, Defect } from '../testing/services/defects/defect.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();

/** Loses some of the records that it has answered a create of: the commit fails after the response. */
function losing(isLost: (count: number) => boolean): Defect {
  let count = 0;
  return {
    name: 'create-is-not-committed',
    rules: ['operations.retrieve'],
    models: ['customerTag'],
    after: ({ id, model, on, tables }: At) => {
      if (on !== 'create' || model.name !== 'customerTag' || id === undefined) return;
      if (isLost(++count)) setImmediate(() => tables.remove(model.name, id));
    },
  };
}

test.each([2])('where one commit of %i is lost, the run takes no list for a late one', async (each) => {
  const options = { models: ['customerTag'], looks: [0, 300, 1000] };
  const healthy = await learnAndCheck(closing(await startPlain()).url, options);
  const { url } = closing(await startPlain({ defect: losing((count) => count % each === 0) }));
  const results = await learnAndCheck(url, options);
  expect(results.counts.fail).toBeGreaterThan(0);
  expect(results.oddities ?? []).toEqual([]);
  // The run looks for each lost record again, but doesn't read the list again and again.
  expect(results.requests).toBeLessThan(5 * healthy.requests);
});
