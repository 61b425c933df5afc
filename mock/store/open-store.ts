import { existsSync } from 'node:fs';
import { UsageError } from '../../spec/files/usage-error.ts';
import { createMemoryStore } from './memory.ts';
import { isPostgres, type Layout, type Store } from './store.ts';

/** Opens the store: in memory, in a SQLite file, or in PostgreSQL. Throws UsageError. */
export async function openStore(
  place: string | undefined,
  options: {
    readonly layout: Layout;
    /** When a write lasts: once the process may die (`normal`), or once the power may fail too (`full`). */
    readonly sync?: 'normal' | 'full' | undefined;
    /** Whether a file, or the tables in a database, have to be there already. */
    readonly mustExist?: boolean;
    /** Maximum size of the heap in MiB. */
    readonly maxMemory?: number | undefined;
  },
): Promise<Store> {
  const { layout, maxMemory = Number.POSITIVE_INFINITY, mustExist, sync } = options;
  if (place === undefined) return createMemoryStore(layout);
  if (isPostgres(place)) {
    if (sync !== undefined)
      throw new UsageError(
        'dataSync does not apply to PostgreSQL, which has its own setting. Remove dataSync.',
      );
    const { createPostgresStore } = await import('./postgres/postgres.ts');
    return createPostgresStore(place, layout, mustExist);
  }
  if (mustExist && !existsSync(place))
    throw new UsageError(`There is no data file ${place}. Create it with: record-model mock --data ${place}`);
  const { createSqliteStore } = await import('./sqlite/sqlite.ts');
  return createSqliteStore(place, layout, { sync, memory: maxMemory * 2 ** 20 });
}

/** A store in memory with the same snapshots. Throws UsageError where others write to the store. */
export function forkStore(store: Store): Store {
  if (store.fork) return store.fork();
  throw new UsageError(
    "A mock with a PostgreSQL database can't be forked. Use a data file, or keep the records in memory.",
  );
}
