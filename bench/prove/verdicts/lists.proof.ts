import { describe, expect, test } from 'vitest';
import { headline } from '../../../conformance/results/verdict.ts';
import { against } from '../../../testing/checks.ts';
import type { Defect } from '../../../testing/services/defects/defect.ts';
import { DEFECTS } from '../../../testing/services/defects/defects.ts';
import { readOptions } from '../../../testing/services/plain/options.ts';
import { startPlain } from '../../../testing/services/plain/plain.ts';
import { learnAndCheck, useForeignService } from '../../../testing/use-foreign-service.ts';

const { closing } = useForeignService();
const HIDES_NEW: Defect = {
  name: 'list-hides-new',
  rules: [],
  models: ['stock'],
  listed: (rows, { model }) => (model.name === 'stock' ? rows.slice(0, 2) : rows),
};
const READ_ONLY = { models: ['subscriptionTask'], rules: ['list'] };

test.each(['offset', 'none', 'page', 'cursor'])(
  'a list of a read-only model that shows a record twice breaks a stated rule, with paging %s',
  async (paging) => {
    const defect = DEFECTS.find(({ name }) => name === 'list-shows-task-twice');
    expect(defect).toBeDefined();
    const dialect = readOptions([`paging=${paging}`]);
    const service = closing(await startPlain({ dialect, defect }));
    for (const readOnly of [true, false]) {
      const results = await learnAndCheck(service.url, { ...READ_ONLY, readOnly });
      expect(against(results).map(({ id }) => id)).toEqual(['list.shows-record:subscriptionTask']);
    }
    const healthy = closing(await startPlain({ dialect }));
    for (const readOnly of [true, false])
      expect(against(await learnAndCheck(healthy.url, { ...READ_ONLY, readOnly }))).toEqual([]);
  },
);

test.each(['public=true', 'public=false', 'isDefault=true', 'isDefault=false'])(
  'a list without the records with %s lacks a created record',
  async (hidden) => {
    const [name = '', value] = hidden.split('=');
    const listed: Defect['listed'] = (rows) => rows.filter((row) => String(row[name]) !== value);
    const defect: Defect = { name: 'hides-a-value', rules: [], models: ['customerTag'], listed };
    const service = closing(await startPlain({ dialect: readOptions([]), defect }));
    const results = await learnAndCheck(service.url, {
      models: ['customerTag'],
      rules: ['list.shows-record'],
    });
    expect(against(results).map(({ id }) => id)).toEqual(['list.shows-record:customerTag']);
  },
);

describe('where nobody knows how a list is paged', () => {
  const selection = { models: ['stock'], rules: ['list'] };
  const LISTS = ['list.shows-record:stock', 'list.shows-update:stock'];

  test.each([
    ['paging=none'],
    ['paging=none', 'size=20'],
    ['paging=cursor', 'size=2'],
    ['paging=cursor number'],
  ])(
    'a list that stays shorter than others and never shows a new record fails, with %s %s',
    async (...words) => {
      const dialect = readOptions(words.filter((word) => word !== undefined));
      const broken = closing(await startPlain({ dialect, defect: HIDES_NEW }));
      const results = await learnAndCheck(broken.url, selection);
      expect(against(results).map(({ id }) => id)).toEqual(LISTS);
      expect(against(await learnAndCheck(closing(await startPlain({ dialect })).url, selection))).toEqual([]);
    },
  );

  test('a list that might be full is not judged, and the verdict line names it', async () => {
    const dialect = readOptions(['paging=none', 'begins=empty']);
    const service = closing(await startPlain({ dialect, defect: HIDES_NEW }));
    const results = await learnAndCheck(service.url, selection);
    expect(against(results)).toEqual([]);
    expect(headline(results)).toBe('CONFORMANT, list.shows-record:stock not judged');
  });
});
