import { afterEach, expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { against, catalogue, check } from '../../testing/checks.ts';
import { type SqliteService, startSqliteService } from '../../testing/services/sqlite-service.ts';

const open: SqliteService[] = [];
/** As the service speaks. */
const profile = createProfile(
  {
    'delete.effect': 'remove',
    'errors.form': 'simple',
    'list.filter': 'none',
    'list.paging': 'none',
    'list.sort': 'none',
    'request.unknownFields': 'ignore',
    'response.total': 'none',
    'status.noOperation': 404,
  },
  catalogue,
);

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(options: Parameters<typeof startSqliteService>[0] = {}): Promise<SqliteService> {
  const service = await startSqliteService(options);
  open.push(service);
  return service;
}

const outcomeOf = (results: Awaited<ReturnType<typeof check>>, wanted: string) => {
  const { message, outcome } = results.cases.find(({ id }) => id === wanted) ?? {};
  return [outcome, message];
};
const usedAgain = ['skip', expect.stringContaining('the id was used again')];

test('an id that is given again to the next record is no failure, and nothing is left behind', async () => {
  const service = await start();
  const mine = service.insert('brand', { name: 'mine' });
  const results = await check(service.url, { profile, models: ['brand', 'warehouse'] });
  expect(against(results).map(({ id, message }) => `${id}: ${message}`)).toEqual([]);
  expect(service.rows('brand').map(({ id }) => id)).toEqual([mine]);
  expect(results.leftovers).toEqual([]);
});

test.each(['afterDelete', 'afterMissing'] as const)(
  'a record of somebody else that was given a deleted id is not written to (%s)',
  async (moment) => {
    const theirs = new Set<number>();
    const service = await start({
      // Somebody else is quick: the id is theirs before the next request.
      [moment]: (there: SqliteService, model: string, id: number) => {
        if (id < 1000 && theirs.size < 50) theirs.add(there.insert(model, { name: `theirs ${id}` }));
      },
    });
    const results = await check(service.url, { profile, models: ['brand'] });
    expect(theirs.size).toBeGreaterThan(0);
    const left = service.rows('brand').map(({ id, name }) => [id, String(name).split(' ')[0]]);
    expect(left).toEqual([...theirs].sort((one, other) => one - other).map((id) => [id, 'theirs']));
    expect(service.harm).toEqual([]);
    expect(against(results).map(({ id, message }) => `${id}: ${message}`)).toEqual([]);
    const where = moment === 'afterDelete' ? 'operations.delete:brand' : 'readonly.on-update:brand.deleted';
    expect(outcomeOf(results, where)).toEqual(usedAgain);
  },
);
