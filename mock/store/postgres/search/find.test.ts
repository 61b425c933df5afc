import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createProfile } from '../../../../spec/profile/profile.ts';
import { few, references } from '../../../../testing/mocks/mocks.ts';
import { HOSTILE_RECORDS } from '../../../../testing/stores/hostile-values.ts';
import {
  forgetFields,
  NO_POSTGRES,
  startPostgres,
  type TestPostgres,
} from '../../../../testing/stores/postgres.ts';
import { putAll } from '../../../../testing/stores/store-steps.ts';
import { createMock } from '../../../mock.ts';
import { searchRecords } from '../../search.ts';
import { createPostgresStore } from '../postgres.ts';

type Asked = { query(statement: { readonly text?: string }): Promise<{ readonly rows: readonly unknown[] }> };

describe.skipIf(NO_POSTGRES)('a query of PostgreSQL', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function open(url: string) {
    const store = await createPostgresStore(url);
    return { store, session: await store.open('a', '@none'), [Symbol.asyncDispose]: () => store.close() };
  }

  test.each(['header X-Total-Count', 'none'])(
    'counts only for a profile that shows a total: %s',
    async (total) => {
      const texts: string[] = [];
      const pool = pg.Pool.prototype as unknown as Asked;
      const { query } = pool;
      await using mock = await createMock({
        catalogue: few,
        references,
        fixtures: new Map([['warehouse', [{ id: 1, name: 'a' }]]]),
        profile: createProfile({ 'response.total': total }, few),
        data: await server.database(),
      });
      vi.spyOn(pool, 'query').mockImplementation(function (this: Asked, statement) {
        texts.push(statement.text ?? '');
        return query.call(this, statement);
      });
      for (const search of ['?limit=5', '?name=a&limit=5', '?sort=id&limit=5'])
        expect(
          await mock.handle({ method: 'GET', target: `/api/model/warehouse${search}`, headers: {} }),
        ).toMatchObject({ status: 200 });
      const counting = texts.filter((text) => /tally|count\(\*\) from found/.test(text));
      expect(counting).toHaveLength(total === 'none' ? 0 : 3);
    },
  );

  test('finds the records that an earlier release stored', async () => {
    const url = await server.database();
    await using opened = await open(url);
    const { session } = opened;
    await putAll(session, 'a', HOSTILE_RECORDS);
    await forgetFields(url);
    await using later = await open(url);
    const one = {
      liveOnly: true,
      filters: [{ field: 'open', type: 'bool', operator: 'equal', values: [true] }],
      size: 3,
    } as const;
    const live = HOSTILE_RECORDS.filter(({ deleted }) => deleted !== true);
    expect(await later.session.find('a', one)).toEqual(searchRecords(live, one));
    expect((await later.session.find('a', { liveOnly: true, size: 0 })).total).toBe(live.length);
  });
});
