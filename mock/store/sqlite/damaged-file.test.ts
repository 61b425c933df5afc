import { closeSync, copyFileSync, openSync, truncateSync, writeSync } from 'node:fs';
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

test('a file that was cut off, or that is damaged, is refused', async () => {
  const data = directory.path('mock.db');
  const warehouse = Array.from({ length: 1000 }, (_, id) => ({ id: id + 1, comments: 'x'.repeat(2000) }));
  await (await createMock({ data, fixtures: { warehouse }, lenient: true })).close();
  const whole = directory.path('whole.db');
  copyFileSync(data, whole);
  truncateSync(data, 100 * PAGE);
  await expect(createMock({ data })).rejects.toThrow(/mock\.db is damaged\./);
  overwritePages(whole, 100, 300);
  await expect(createMock({ data: whole })).rejects.toThrow(/whole\.db is damaged\./);
});

test('a file that is damaged while a mock runs is named in the response and in the log', async () => {
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
  await using mock = await createMock({ data, onError: (error) => logged.push(error) });
  overwritePages(data, 12, 800);
  const ask = (path: string, init?: RequestInit) => mock.fetch(new Request(`http://127.0.0.1${path}`, init));
  const message = expect.stringMatching(
    /^\S+mock\.db was damaged while the mock used it\. Stop the mock, and restore the file from a backup, or recover a copy with: sqlite3 COPY \.recover\. SQLite reports: .+\.$/,
  );
  const headers = { 'content-type': 'application/json' };
  for (const answer of [
    await ask('/api/model/warehouse/1', { method: 'POST', headers, body: '{"name":"c"}' }),
    await ask('/api/model/warehouse/9', { method: 'DELETE' }),
    await ask('/__mock/reset', { method: 'POST' }),
  ])
    expect([answer.status, await answer.json()]).toEqual([500, expect.objectContaining({ detail: message })]);
  expect(logged).toHaveLength(3);
  for (const error of logged) expect((error as Error).message).toEqual(message);
});
