import { expect, test } from 'vitest';
import { createPostgresStore } from '../../mock/store/postgres/postgres.ts';
import { FIELDS, HOSTILE_RECORDS, hostileQueries } from '../../testing/stores/hostile-values.ts';
import { searchPlainly } from '../../testing/stores/plain-model.ts';
import { NO_POSTGRES, query, startPostgres } from '../../testing/stores/postgres.ts';
import { putAll } from '../../testing/stores/store-steps.ts';

const TYPES = new Map(Object.entries(FIELDS).map(([name, { type }]) => [name, type]));
const LAYOUT = { links: new Map(), mark: 'deleted', types: new Map([['any', TYPES]]) };

// The tests ask some of these queries.
test.skipIf(NO_POSTGRES)(
  'PostgreSQL finds and sorts by keys with each operator and value, whatever the collation of the database is',
  async () => {
    await using server = await startPostgres();
    const locale = `locale_provider icu icu_locale 'und-u-ks-level2' locale 'C'`;
    await query(server.admin, `create database collated template template0 encoding UTF8 ${locale}`);
    const store = await createPostgresStore(server.admin.replace(/postgres$/, 'collated'), LAYOUT);
    const session = await store.open('a', '@none');
    await putAll(session, 'any', HOSTILE_RECORDS);
    for (const asked of hostileQueries())
      expect({ asked, ...(await session.find('any', asked)) }).toEqual({
        asked,
        ...searchPlainly(HOSTILE_RECORDS, asked),
      });
    await store.close();
  },
);
