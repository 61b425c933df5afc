import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';

const directory = useDirectory();

/** Whether this user can mount a file system of a given size. */
const canMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

test.runIf(canMount)('a new file on a full disk is rejected', async () => {
  const disk = directory.path();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]);
  try {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'fill'), Buffer.alloc(bavail * bsize, 1));
    await expect(createMock({ data: join(disk, 'new.db') })).rejects.toThrow(
      /new\.db can't be \w+ because the disk is full/,
    );
    // No empty file stays behind.
    expect(readdirSync(disk)).toEqual(['fill']);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
});
