import { describe, expect, test } from 'vitest';
import { against } from '../testing/checks.ts';
import { DEFECTS } from '../testing/services/defects/defects.ts';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import { complaints, learnAndCheck, useForeignService } from '../testing/use-foreign-service.ts';

const { closing } = useForeignService();

describe.each(['cursor', 'cursor number'])('a list that goes on behind a %s', (paging) => {
  const words = [`paging=${paging}`, 'sort=field'];
  const terms = { models: ['brand'], rules: ['list'] };

  test.each([
    ['page-misses-one', 'a record is missing from every page of the list'],
    ['page-shows-first-twice', 'two pages of the list contain the same record'],
  ])('is parted otherwise: %s', async (name, message) => {
    const defect = DEFECTS.find((one) => one.name === name);
    const service = closing(await startPlain({ ...(defect ? { defect } : {}), dialect: readOptions(words) }));
    const results = await learnAndCheck(service.url, terms);
    expect(against(results).map((one) => `${one.id}: ${one.message}`)).toContain(
      `list.shows-record:brand: ${message}`,
    );
  });

  test('and is whole', async () => {
    const service = closing(await startPlain({ dialect: readOptions([...words, 'size=2']) }));
    const results = await learnAndCheck(service.url, terms);
    expect(complaints(results)).toEqual([]);
    expect(results.counts.skip).toBe(0);
  });
});
