import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { loadContract } from '../spec/contract.ts';
import { few, references } from '../testing/mocks/mocks.ts';
import { NO_POSTGRES, startPostgres } from '../testing/stores/postgres.ts';
import { useDirectory } from '../testing/temporary-directory.ts';
import { useCommand } from '../testing/use-command.ts';
import { isLarge } from './fill-apart.ts';
import { createMock, type MockOptions } from './mock.ts';

const directory = useDirectory();
const { start: startCommand, directory: ownDirectory } = useCommand();
afterEach(() => vi.unstubAllEnvs());

const COMMENTS = 'x'.repeat(200_000);

/** Writes a file of fixtures that is so large that a separate process reads it. */
function writeLarge(name: string, more = {}): string {
  const many = Array.from({ length: 25 }, (_, index) => ({
    id: index + 1,
    name: `w${index}`,
    comments: COMMENTS,
  }));
  return directory.write(
    name,
    JSON.stringify({ warehouse: [...many, { id: 90, name: 'last', ...more }] }, null, 1),
  );
}

const start = (more: MockOptions) =>
  createMock({ catalogue: few, references, data: directory.path('mock.db'), ...more });

test('a large store has the records of its fixtures and generated ones, as in memory', async () => {
  const options = { fixtures: [writeLarge('a.json')], records: { customer: 30, stockOrder: 5 }, seed: 3 };
  const reports: unknown[] = [];
  await using stored = await createMock({
    ...options,
    data: directory.path('mock.db'),
    onFill: (one) => reports.push(one),
  });
  await using inMemory = await createMock(options);
  expect(await stored.state()).toEqual(await inMemory.state());
  const { counts, filled, isKept, warnings } = stored;
  expect({ counts, filled, isKept, warnings }).toEqual({
    counts: inMemory.counts,
    filled: inMemory.filled,
    isKept: false,
    warnings: [],
  });
  expect((await stored.records('warehouse').create({ name: 'next' })).id).toBe(91);
});

test('the kit’s models in another catalogue get the same records', async () => {
  const options = { catalogue: few, references, records: { supplier: 20_500 }, seed: 2 };
  const reports: { records: number; total: number }[] = [];
  await using stored = await createMock({
    ...options,
    data: directory.path('mock.db'),
    onFill: (one) => reports.push(one),
  });
  const { supplier = [] } = await stored.state(['supplier']);
  await using inMemory = await createMock(options);
  expect(supplier).toEqual((await inMemory.state(['supplier'])).supplier);
  for (const [index, { records, total }] of reports.entries())
    expect([total, records > (reports[index - 1]?.records ?? 0), records <= total]).toEqual([
      20_500,
      true,
      true,
    ]);
});

test('mistakes are reported as those of small fixtures, and the next start fills the file', async () => {
  const file = writeLarge('a.json', { nme: 'x' });
  await expect(start({ fixtures: [file, directory.path('none.json')] })).rejects.toMatchObject({
    name: 'FixtureMistakes',
    mistakes: [
      expect.stringMatching(/none\.json can't be read because there is no such file or directory\./),
      expect.stringMatching(/a\.json:\d+: warehouse 90: Unknown field "nme"\. Did you mean "name"\?$/),
    ],
  });
  await expect(start({ fixtures: [directory.write('b.json', `{${COMMENTS.repeat(25)}`)] })).rejects.toThrow(
    /b\.json: The JSON is malformed/,
  );
  await using mock = await start({ fixtures: [writeLarge('c.json')] });
  expect([mock.isKept, mock.counts.records]).toEqual([false, 26]);
});

test('too little memory is reported with the way out, and nothing is stored', async () => {
  vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=40');
  await expect(start({ records: { warehouse: 199_000 } })).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringMatching(
      /^The records need more memory than there is\. .*--max-old-space-size=8192\.$/,
    ),
  });
  vi.unstubAllEnvs();
  await using mock = await start({ fixtures: { warehouse: [{ name: 'a' }] } });
  expect(mock.counts.records).toBe(1);
});

test('the process ends with the mock, and stores nothing', async () => {
  const flags = ['--data', 'mock.db', '--fixtures', 'none', '--records', 'warehouse=150000'];
  const { child, ended } = startCommand(['mock', '--port', '0', ...flags]);
  const data = ownDirectory.path('mock.db');
  const find = () => spawnSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' }).stdout.trim();
  await expect.poll(find, { timeout: 10_000 }).toMatch(/^\d+$/);
  const filling = Number(find());
  child.kill('SIGKILL');
  await ended;
  await expect.poll(() => isRunning(filling), { timeout: 20_000 }).toBe(false);
  await using mock = await createMock({ data, fixtures: 'none' });
  expect([mock.isKept, mock.counts.records]).toEqual([false, 0]);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a store is large', () => {
  const data = 'mock.db';
  test.each<[boolean, MockOptions]>([
    [false, { data }],
    [false, { data, fixtures: 'demo', records: 300 }],
    [true, { data, records: 1000 }],
    [true, { data, records: { customer: 20_001 } }],
    [false, { records: { customer: 20_001 } }],
    [false, { data, records: { customer: 20_001 }, fixtures: {} }],
  ])('%s: %j', (expected, options) => {
    expect(isLarge(options as never, loadContract())).toBe(expected);
  });
});

test.skipIf(NO_POSTGRES)('two mocks that start together fill a large store once', async () => {
  await using server = await startPostgres();
  const options = { fixtures: [writeLarge('a.json')], data: await server.database() };
  const mocks = await Promise.all([start(options), start(options)]);
  expect(mocks.map(({ isKept }) => isKept).toSorted()).toEqual([false, true]);
  for (const mock of mocks) {
    expect(mock.counts.records).toBe(26);
    expect((await mock.records('warehouse').list()).map(({ id }) => id)).toHaveLength(26);
    await mock.close();
  }
});
