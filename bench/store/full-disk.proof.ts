import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';

const directory = useDirectory();
const MEBIBYTE = 1024 * 1024;

/** Whether this user can mount a file system of a given size. */
const canMount = process.getuid?.() === 0 && tryMount();

function tryMount(): boolean {
  const { status } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  return status === 0;
}

/** Fills a disk, except for some bytes. */
function fillDisk(disk: string, left = 0): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'fill'), Buffer.alloc(bavail * bsize - left, 1));
}

describe.runIf(canMount)('a disk that is full', () => {
  let disk = '';
  beforeEach(() => {
    disk = directory.path();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]);
  });
  afterEach(() => {
    execFileSync('umount', ['-l', disk]);
  });

  test('rejects new records with 507, and accepts removals and a reset', async () => {
    const data = join(disk, 'mock.db');
    const mock = await createMock({ data, fixtures: { warehouse: [{ id: 1, name: 'a' }] } });
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await mock.fetch(
        new Request(`http://127.0.0.1${path}`, {
          method,
          ...(body === undefined
            ? {}
            : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        }),
      );
      return { status: answer.status, text: await answer.text() };
    };
    expect(statSync(`${data}-reserve`).size).toBe(6 * MEBIBYTE);
    fillDisk(disk, 3 * MEBIBYTE);
    const ids: number[] = [];
    const create = async () => {
      const { status, text } = await ask('POST', '/api/model/warehouse', {
        name: 'b',
        comments: 'x'.repeat(20_000),
      });
      if (status === 201) ids.push((JSON.parse(text) as { id: number }).id);
      return { status, text };
    };
    // A rejected write empties the log, so that the next writes have space.
    let last = await create();
    for (let refused = 0; refused < 5; refused += last.status === 507 ? 1 : 0) last = await create();
    expect(last.text).toMatch(
      /Nothing was stored because there is no space left for \S+mock\.db\. Free some space, or reset or delete sessions\. SQLite reports: /,
    );
    const removed = ids.slice(0, 50);
    for (const id of removed) expect((await ask('DELETE', `/api/model/warehouse/${id}`)).status).toBe(200);
    expect((await ask('DELETE', '/api/model/warehouse/1')).status).toBe(200);
    await mock.reset();
    expect((await mock.state(['warehouse'])).warehouse).toHaveLength(1);
    // The reset left space in the file.
    for (let tries = 0; tries < 20; tries++) expect((await create()).status).toBe(201);
    await mock.reset();
    await mock.close();
    rmSync(join(disk, 'fill'));
    await using again = await createMock({ data });
    expect((await again.state(['warehouse'])).warehouse).toHaveLength(1);
  });

  test('refuses a start, and the file stays as it is', async () => {
    const data = join(disk, 'mock.db');
    await (await createMock({ data, fixtures: 'demo' })).close();
    expect(readdirSync(disk)).toEqual(['mock.db']);
    const bytes = readFileSync(data);
    fillDisk(disk);
    await expect(createMock({ data })).rejects.toThrow(
      `${data} can't be used because the disk is full: it has no space left for 6 MiB. Free some space.`,
    );
    expect(readFileSync(data).equals(bytes)).toBe(true);
    await expect(createMock({ data: join(disk, 'new.db') })).rejects.toThrow(
      /new\.db can't be \w+ because the disk is full/,
    );
    // No empty file stays behind.
    expect(readdirSync(disk).sort()).toEqual(['fill', 'mock.db']);
  });
});
