import { expect, test } from 'vitest';
import { check } from '../testing/checks.ts';
import type { Defect } from '../testing/services/defects/defect.ts';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();

test('if every second commit is lost after the response, the run takes no list for a late one', async () => {
  let creates = 0;
  const after: Defect['after'] = ({ id, model, on, tables }) => {
    if (on !== 'create' || model.name !== 'customerTag' || id === undefined) return;
    if (++creates % 2 === 0) setImmediate(() => tables.remove(model.name, id));
  };
  const dialect = readOptions(['sort=field']);
  const plan = { models: ['customerTag'], looks: [0, 50, 100] };
  const healthy = await check(closing(await startPlain({ dialect })).url, plan);
  const defect = { name: 'create-is-not-committed', rules: [], models: ['customerTag'], after };
  const results = await check(closing(await startPlain({ dialect, defect })).url, plan);
  expect([healthy.counts.fail, results.counts.fail > 0, results.oddities ?? []]).toEqual([0, true, []]);
  // The run looks for each lost record again, but doesn't read the list again and again.
  expect(results.requests).toBeLessThan(5 * healthy.requests);
});
