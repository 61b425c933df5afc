import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '../../testing/stores/store-behavior.ts';
import { createMemoryStore } from './memory.ts';
import { createSqliteStore } from './sqlite/sqlite.ts';

describeStore('in memory', { lasts: false }, async () => ({
  open: async (layout) => createMemoryStore(layout),
  remove: async () => {},
}));

describeStore('in a file', { lasts: true }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'store-'));
  return {
    open: async (layout) => createSqliteStore(join(directory, 'mock.db'), layout),
    remove: async () => rmSync(directory, { recursive: true }),
  };
});
