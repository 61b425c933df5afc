import { closeSync, openSync, truncateSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useDirectory } from '../../../testing/temporary-directory.ts';
import { createMock } from '../../mock.ts';

const directory = useDirectory();
const PAGE = 4096;

/** Overwrites pages of a file. The first page stays, so that SQLite still knows the file. */
function overwritePages(path: string, from: number, to: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc((to - from) * PAGE, 0xff), 0, undefined, from * PAGE);
  closeSync(file);
}

test('a large file is refused if it is cut off; its records are checked when they are read', async () => {
  const data = directory.path('mock.db');
  const warehouse = Array.from({ length: 4000 }, (_, index) => ({
    id: index + 1,
    comments: 'x'.repeat(2000),
  }));
  await using first = await createMock({ data, fixtures: { warehouse }, lenient: true });
  await first.close();
  overwritePages(data, 100, 800);
  await expect(createMock({ data })).rejects.toThrow(/mock\.db is damaged\./);
  truncateSync(data, 300 * 1024 * 1024);
  await using mock = await createMock({ data });
  const answer = await mock.fetch(new Request('http://127.0.0.1/api/model/warehouse?sort=comments'));
  expect([answer.status, await answer.json()]).toEqual([
    500,
    {
      title: expect.any(String),
      status: 500,
      type: expect.any(String),
      detail: expect.stringMatching(/mock\.db was damaged while/),
    },
  ]);
  await mock.close();
  const pages = Buffer.alloc(4);
  pages.writeUInt32BE(100_000);
  const file = openSync(data, 'r+');
  writeSync(file, pages, 0, 4, 28);
  closeSync(file);
  await expect(createMock({ data })).rejects.toThrow(/mock\.db is damaged\./);
});

test.each([
  ['loads its models', 64],
  ['reads them in the file', 0],
])(
  'a file that is damaged while a mock runs that %s is named in the response and in the log',
  async (_, dataMemory) => {
    const data = directory.path('mock.db');
    // More than SQLite keeps in memory, so that it reads the pages again.
    const warehouse = Array.from({ length: 4000 }, (_, index) => ({
      id: index + 1,
      name: 'a',
      comments: 'x'.repeat(2000),
    }));
    const first = await createMock({ data, fixtures: 'none' });
    await first.setState({ warehouse });
    await first.close();
    const logged: unknown[] = [];
    await using mock = await createMock({ data, dataMemory, onError: (error) => logged.push(error) });
    overwritePages(data, 12, 800);
    const ask = (path: string, init?: RequestInit) =>
      mock.fetch(new Request(`http://127.0.0.1${path}`, init));
    const message = expect.stringMatching(
      /^\S+mock\.db was damaged while the mock used it\. Stop the mock, and restore the file from a backup, or recover a copy with: sqlite3 COPY \.recover\. SQLite reports: .+\.$/,
    );
    const headers = { 'content-type': 'application/json' };
    const sorted = dataMemory === 0 ? [await ask('/api/model/warehouse?sort=comments')] : [];
    for (const answer of [
      ...sorted,
      await ask('/api/model/warehouse/1', { method: 'POST', headers, body: '{"name":"c"}' }),
      await ask('/api/model/warehouse/9', { method: 'DELETE' }),
      await ask('/__mock/reset', { method: 'POST' }),
    ]) {
      expect([answer.status, await answer.json()]).toEqual([
        500,
        expect.objectContaining({ detail: message }),
      ]);
    }
    expect(logged).toHaveLength(sorted.length + 3);
    for (const error of logged) expect((error as Error).message).toEqual(message);
  },
);
