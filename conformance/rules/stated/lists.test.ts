import { expect, test } from 'vitest';
import { against } from '../../../testing/checks.ts';
import { DEFECTS } from '../../../testing/services/defects/defects.ts';
import { readOptions } from '../../../testing/services/plain/options.ts';
import { startPlain } from '../../../testing/services/plain/plain.ts';
import { learnAndCheck, useForeignService } from '../../../testing/use-foreign-service.ts';

const { closing } = useForeignService();
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
