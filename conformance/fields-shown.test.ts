import { expect, test } from 'vitest';
import { against } from '../testing/checks.ts';
import type { Defect } from '../testing/services/defects/defect.ts';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();

const COMMON = ['id', 'created', 'createUser', 'updated', 'updateUser', 'deleted'];

/** The cases that fail if a service omits some fields of a model. */
async function failures(model: string, omitted: readonly string[], words: readonly string[] = []) {
  const shown: Defect['shown'] = (row, at) =>
    at.model.name === model
      ? Object.fromEntries(Object.entries(row).filter(([name]) => !omitted.includes(name)))
      : row;
  const defect = { name: 'omits', rules: [], models: [model], shown };
  const service = closing(await startPlain({ dialect: readOptions(words), defect }));
  const results = await learnAndCheck(service.url, { models: [model, 'customerGroup'], rules: ['fields'] });
  return { failed: against(results).map(({ id }) => id), results };
}

test('records without any common field fail for each of them', async () => {
  const { failed } = await failures('multipackItem', COMMON.slice(1));
  expect(failed.filter((id) => id.startsWith('fields.shown'))).toEqual(
    COMMON.slice(1).map((name) => `fields.shown:multipackItem.${name}`),
  );
});

test('a service that omits unset fields still shows created and deleted', async () => {
  const { failed } = await failures('brand', ['created', 'deleted'], ['unset=absent']);
  expect(failed).toEqual(['fields.shown:brand.created', 'fields.shown:brand.deleted']);
});

test('a field that no response shows is neither judged nor covered, and the results name it', async () => {
  const { failed, results } = await failures('brand', ['createUser'], ['unset=absent']);
  expect(failed).toEqual([]);
  const row = results.cases.find(({ id }) => id === 'fields.shown:brand.createUser');
  expect(row).toMatchObject({ outcome: 'skip', unjudged: true });
  expect(results.coverage.fields.find(({ name }) => name === 'brand.createUser')?.exercised).toBe(false);
});
