import { expect, test } from 'vitest';
import { NO_POSTGRES, startPostgres } from '../../testing/stores/postgres.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { fuzz } from './fuzz.ts';

const directory = useDirectory();

test.each([
  ['in memory', undefined, 1],
  ['in a file', 'mock.db', 2],
])('10,000 requests, most of them wrong, shake nothing that a mock keeps %s', async (_, file, seed) => {
  const data = file === undefined ? {} : { data: directory.path(file) };
  const { compared, problems, statuses } = await fuzz({ requests: 10_000, seed, ...data });
  expect(problems).toEqual([]);
  expect(compared).toBeGreaterThan(5000);
  expect([...statuses.keys()].sort()).toEqual([200, 201, 400, 404, 405, 422]);
});

// Where a database answers, each request costs a millisecond; `npm run prove:fuzz -- --postgres` sends more.
test.skipIf(NO_POSTGRES)('1,500 of them shake nothing that a mock keeps in a database', async () => {
  await using server = await startPostgres();
  const { compared, problems } = await fuzz({ requests: 1500, seed: 4, data: await server.database() });
  expect(problems).toEqual([]);
  expect(compared).toBeGreaterThan(1000);
});

test.each([
  ['operations.failing', /was answered with 500/],
  ['create.reuses-deleted-id', /gave the id \d+ again/],
  ['delete.does-nothing', /lists .*, which nobody made in this session/],
  ['update.ignores-field-and-shows-it', /is not as it was answered/],
  ['list.wrong-total', /has no records; of/],
])('with the defect %s it is noticed', async (defect, problem) => {
  const { problems } = await fuzz({ requests: 1000, seed: 3, defect });
  expect(problems.join('\n')).toMatch(problem);
});
