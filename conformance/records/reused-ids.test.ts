import { expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue, check } from '../../testing/checks.ts';
import { useClosing } from '../../testing/closing.ts';
import type { Row } from '../../testing/services/faulty-service.ts';
import {
  SQLITE_SETTINGS,
  type SqliteService,
  startSqliteService,
} from '../../testing/services/sqlite-service.ts';
import { profile as ofFaulty, useFaultyService } from '../../testing/use-faulty-service.ts';
import { complaints } from '../../testing/use-foreign-service.ts';

const closing = useClosing();
const { start: startFaulty } = useFaultyService();
const profile = createProfile(SQLITE_SETTINGS, catalogue);

const outcomeOf = (results: Awaited<ReturnType<typeof check>>, wanted: string) => {
  const { message, outcome } = results.cases.find(({ id }) => id === wanted) ?? {};
  return [outcome, message];
};
const usedAgain = [
  'skip',
  expect.stringContaining(`might be another client's record, so the run sends no write to it`),
];

test('an id that is given again to the next record is no failure, and nothing is left behind', async () => {
  const service = closing(await startSqliteService());
  const mine = service.insert('brand', { name: 'mine' });
  const results = await check(service.url, { profile, models: ['brand', 'warehouse'] });
  expect(complaints(results)).toEqual([]);
  expect(service.rows('brand').map(({ id }) => id)).toEqual([mine]);
});

test.each(['afterDelete', 'afterMissing'] as const)(
  'a record of somebody else that was given a deleted id is not written to (%s)',
  async (moment) => {
    const theirs = new Set<number>();
    const started = await startSqliteService({
      // Another client gets the ID before the next request of the run.
      [moment]: (there: SqliteService, model: string, id: number) => {
        if (id < 1000 && theirs.size < 50) theirs.add(there.insert(model, { name: `theirs ${id}` }, id));
      },
    });
    const service = closing(started);
    const results = await check(service.url, { profile, models: ['brand'] });
    expect(theirs.size).toBeGreaterThan(0);
    const left = service.rows('brand').map(({ id, name }) => [id, String(name).split(' ')[0]]);
    expect(left).toEqual([...theirs].sort((one, other) => one - other).map((id) => [id, 'theirs']));
    expect(service.harm).toEqual([]);
    expect(complaints(results)).toEqual([]);
    const where = moment === 'afterDelete' ? 'operations.delete:brand' : 'readonly.on-update:brand.deleted';
    expect(outcomeOf(results, where)).toEqual(usedAgain);
  },
);

/** The time of a write. */
const at = (write: number) => new Date(Date.UTC(2025, 9, 22) + write * 1000).toISOString();

test('a copy that an update makes is recognized by its time of creation if it gets a deleted ID', async () => {
  const model = 'locker';
  let writes = 0;
  const free: number[] = [];
  const service = await startFaulty({
    faults: {
      store: (_, row, __, before) => (before ? row : { ...row, created: at(++writes) }),
      after(operation, name, row, tables) {
        if (name !== model || operation === 'create') return;
        if (operation === 'delete') free.push(row.id);
        else if (free[0] !== undefined) tables[name]?.set(free[0], { ...row, id: free[0] });
      },
    },
  });
  const results = await check(service.url, {
    profile: ofFaulty,
    models: [model, 'lockerType'],
    rules: ['operations.delete', 'update.keeps-other-records'],
  });
  expect(outcomeOf(results, `update.keeps-other-records:${model}`)).toEqual([
    'fail',
    expect.stringContaining('an update also creates another record'),
  ]);
  expect(results.leftovers).toEqual([]);
});

test('a deleted record in a late list that shows times to the second is none that nobody was told of', async () => {
  let writes = 0;
  const gone: Row[] = [];
  const service = await startFaulty({
    faults: {
      store: (_, row, __, before) =>
        before ? row : { ...row, created: `${at(++writes).slice(0, 19)}.671Z` },
      show: (_, row, where) =>
        where === 'list' ? { ...row, created: String(row.created).replace('.671', '') } : row,
      after: (operation, name, row) => void (operation === 'delete' && name === 'locker' && gone.push(row)),
      list: (name, rows) => (name === 'locker' ? [...rows, ...gone] : rows),
    },
  });
  const models = ['locker', 'lockerType'];
  const results = await check(service.url, { profile: ofFaulty, models, looks: [0] });
  expect(gone.length).toBeGreaterThan(0);
  expect(results.leftovers).toEqual([]);
});
