import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { NO_POSTGRES, query, startPostgres } from '../../testing/stores/postgres.ts';
import { useCommand } from '../../testing/use-command.ts';

const { directory, startMock } = useCommand();

/** Written by the mock of an earlier version: a brand, a snapshot, and a second session. */
function stored(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, '../../testing/version-before', name));
}

/** Starts a mock with the data, reads the records of each session and snapshot, and writes one. */
async function serve(data: string): Promise<void> {
  const { url } = await startMock('--data', data, '--fixtures', 'none');
  const names = async (headers = {}) => {
    const found = await fetch(`${url}/api/model/brand`, { headers });
    return ((await found.json()) as { name: string }[]).map(({ name }) => name);
  };
  const post = (path: string, body: object) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect(await names()).toEqual(['kept']);
  expect(await names({ 'x-mock-session': 'other' })).toEqual([]);
  expect((await post('/api/model/brand', { name: 'added' })).status).toBe(201);
  expect(await names()).toEqual(['kept', 'added']);
  expect((await post('/__mock/snapshots/before/restore', {})).status).toBeLessThan(300);
  expect(await names()).toEqual(['kept']);
}

test('a data file of an earlier version keeps its records, sessions, and snapshots', async () => {
  writeFileSync(directory.path('mock.db'), gunzipSync(stored('store.db.gz')));
  await serve('mock.db');
});

test.skipIf(NO_POSTGRES)(
  'a database of an earlier version keeps its records, sessions, and snapshots',
  async () => {
    await using server = await startPostgres();
    const url = await server.database();
    await query(url, stored('store.sql').toString());
    await serve(url);
  },
);
