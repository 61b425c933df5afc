import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMock, type Mock } from '../../mock/mock.ts';
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

  test('rejects writes with 507 and stores nothing of them, and goes on when there is space again', async () => {
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
    let last = await create();
    for (let refused = 0; refused < 5; refused += last.status === 507 ? 1 : 0) last = await create();
    expect(last.text).toMatch(
      /Nothing was stored because there is no space left for \S+mock\.db\. Free some space\. SQLite reports: /,
    );
    const idsIn = async (some: Mock) => (await some.state(['warehouse'])).warehouse?.map(({ id }) => id);
    expect(await idsIn(mock)).toEqual([1, ...ids]);
    rmSync(join(disk, 'fill'));
    expect((await create()).status).toBe(201);
    await mock.close();
    await using again = await createMock({ data });
    expect(await idsIn(again)).toEqual([1, ...ids]);
  });

  test('refuses a new file', async () => {
    fillDisk(disk);
    await expect(createMock({ data: join(disk, 'new.db') })).rejects.toThrow(
      /new\.db can't be \w+ because the disk is full/,
    );
    // No empty file stays behind.
    expect(readdirSync(disk)).toEqual(['fill']);
  });
});
