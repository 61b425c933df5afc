import { expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { type Checking, catalogue, check } from '../../testing/checks.ts';
import { useClosing } from '../../testing/closing.ts';
import {
  SQLITE_SETTINGS,
  type SqliteService,
  startSqliteService,
} from '../../testing/services/sqlite-service.ts';
import { complaints, learnTerms } from '../../testing/use-foreign-service.ts';

const closing = useClosing();
const profile = createProfile(SQLITE_SETTINGS, catalogue);

const run = async (service: SqliteService, more: Checking) =>
  complaints(await check(service.url, { profile, models: ['brand', 'warehouse'], ...more }));

test('run after run on one database: names that are unique, those of deleted rows too, don’t collide', async () => {
  const service = closing(await startSqliteService({ uniqueNames: true, softDelete: true }));
  for (const tag of ['t0', 't1']) {
    await learnTerms(service.url, { seed: 1000, tag: `${tag}l` });
    expect(await run(service, { seed: 1000, tag })).toEqual([]);
  }
});

test('a create that is refused for a value that another record has is sent once more with another one', async () => {
  const seen = new Set<unknown>();
  const started = await startSqliteService({
    refuse(_, { name }) {
      if (seen.has('one') || typeof name !== 'string') return undefined;
      seen.add('one');
      return 'name is already taken';
    },
  });
  const plan = { tag: 'cc', models: ['warehouse'], rules: ['operations', 'create'] };
  expect(await run(closing(started), plan)).toEqual([]);
  expect(seen.size).toBe(1);
});
