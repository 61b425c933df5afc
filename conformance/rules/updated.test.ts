import { expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { DEFECTS } from '../../testing/services/defects/defects.ts';
import { readOptions } from '../../testing/services/plain/options.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { useForeignService } from '../../testing/use-foreign-service.ts';

const { closing } = useForeignService();

/** The advice about `updated` on a service that shows records in some way. */
async function adviceOn(shown?: (row: Readonly<Record<string, unknown>>) => Record<string, unknown>) {
  const defect = shown && { name: 'updated', rules: [], models: ['brand'], shown };
  const { url } = closing(await startPlain({ dialect: readOptions([]), ...(defect ? { defect } : {}) }));
  const results = await check(url, {
    models: ['brand'],
    rules: ['advice.updated-rises', 'advice.updated-kept'],
  });
  return results.cases.flatMap(({ message, outcome }) => (outcome === 'fail' ? [message] : []));
}

test('a service that changes updated with each update, and only then, gets no advice', async () => {
  expect(await adviceOn()).toEqual([]);
});

test('an update that does not change updated is advice', async () => {
  expect(await adviceOn((row) => ({ ...row, updated: row.created }))).toEqual([
    'an update does not change updated',
  ]);
});

test('a retrieve that changes updated is advice', async () => {
  let now = Date.now();
  const shown = (row: Readonly<Record<string, unknown>>) => ({
    ...row,
    updated: new Date(++now).toISOString(),
  });
  expect(await adviceOn(shown)).toEqual(['a retrieve changes updated']);
});

test('a list that shows when a record was created as its last update fails', async () => {
  const defect = DEFECTS.find(({ name }) => name === 'list-shows-old-update');
  if (!defect) return expect.unreachable();
  const { url } = closing(await startPlain({ dialect: readOptions([]), defect }));
  const results = await check(url, { models: ['brand'], rules: ['list.agrees'] });
  expect(against(results)).toMatchObject([{ id: 'list.agrees:brand', outcome: 'fail' }]);
});
