import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { PRIVATE } from '../../../spec/files/save-file.ts';
import { UsageError } from '../../../spec/files/usage-error.ts';

/** Bytes: more than the log has before SQLite empties it into the file (1000 pages), so that this always works. */
const SIZE = 6 * 1024 * 1024;
const CHUNK = 64 * 1024;

/** Space on the disk for removals and resets, which need some to be stored. */
export type Reserve = {
  /** Whether it is held, was given up without space for it since, or can't be had. */
  state(): 'held' | 'spent' | 'none';
  /** Gives the space to the database. Returns whether there was any. */
  giveUp(): boolean;
  /** Takes the space back, if there is enough on the disk. */
  renew(): void;
  close(): void;
};

/**
 * Keeps space on the disk in a file next to the data. Throws UsageError if the disk is full. Where the file can't be
 * created for another reason, such as a limit for the size of files, or is not wanted, there is no reserve.
 */
export function createReserve(data: string, isWanted = true): Reserve {
  const path = `${data}-reserve`;
  const first = isWanted ? fill(path) : 'failed';
  if (first === 'full')
    throw new UsageError(
      `${data} can't be used because the disk is full: it has no space left for ${SIZE / 1024 / 1024} MiB. Free some space.`,
    );
  let state: ReturnType<Reserve['state']> = first === 'held' ? 'held' : 'none';
  return {
    state: () => state,
    giveUp: () => {
      if (state !== 'held') return false;
      rmSync(path, { force: true });
      state = 'spent';
      return true;
    },
    renew: () => {
      if (state === 'spent' && fill(path) === 'held') state = 'held';
    },
    close: () => {
      if (state === 'held') rmSync(path, { force: true });
    },
  };
}

function fill(path: string): 'held' | 'full' | 'failed' {
  if (statSync(path, { throwIfNoEntry: false })?.size === SIZE) return 'held';
  try {
    const file = openSync(path, 'w', PRIVATE);
    try {
      // Random, so that no file system stores it in less space.
      const chunk = randomBytes(CHUNK);
      for (let written = 0; written < SIZE; written += CHUNK) writeAll(file, chunk);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return 'held';
  } catch (error) {
    rmSync(path, { force: true });
    const { code = '' } = error as NodeJS.ErrnoException;
    return code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'failed';
  }
}

/** A full disk can take a part of a chunk before it fails. */
function writeAll(file: number, chunk: Buffer): void {
  for (let written = 0; written < chunk.length; ) written += writeSync(file, chunk, written);
}
