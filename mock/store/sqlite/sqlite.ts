import { createMemoryStore } from '../memory.ts';
import type { Layout, Store } from '../store.ts';
import { openDatabase } from './file.ts';
import { createKeeper } from './keeper.ts';

/**
 * Opens a store in a SQLite file, and creates the file if there is none. The store searches and sorts in memory. Each
 * transaction is in the file before it resolves. Throws UsageError for a file that can't be used, and does not change
 * it.
 */
export function createSqliteStore(path: string, layout: Layout, sync: 'normal' | 'full' = 'normal'): Store {
  const database = openDatabase(path, sync, { api: layout.api });
  return createMemoryStore(layout, createKeeper(database, path, layout));
}
