import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

const START = process.cwd();

/** Creates a directory for each test of a file. */
export function useDirectory(): { path(name?: string): string; write(name: string, text: string): string } {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'record-model-'));
  });
  afterEach(() => {
    // A command may have been run in it.
    process.chdir(START);
    rmSync(directory, { recursive: true });
  });
  const path = (name = '') => join(directory, name);
  return {
    path,
    write: (name, text) => {
      writeFileSync(path(name), text);
      return path(name);
    },
  };
}
