import type { Keeper, Tables } from './keeper.ts';
import { createSession, type MemorySession } from './memory-session.ts';
import type { Store } from './store.ts';
import { DEFAULT_LAYOUT, type Layout } from './store.ts';

/** The session that a snapshot is made in. */
const BEGINNING = '@beginning';
const NOTHING: Tables = new Map();

/** Keeps everything in memory. A session shares its tables until it writes to them. */
export function createMemoryStore(layout: Layout = DEFAULT_LAYOUT, keeper?: Keeper): Store {
  return storeOf(new Map(keeper?.snapshots), layout, keeper);
}

function storeOf(snapshots: Map<string, Tables>, layout: Layout, keeper?: Keeper): Store {
  const sessions = new Map<string, MemorySession>();
  const hold = (name: string, from: string, tables: Tables): MemorySession => {
    const beginning = () => snapshots.get(from);
    const session = createSession({ name, from, tables, beginning, layout, keeper });
    sessions.set(name, session);
    return session;
  };
  for (const [name, { from, tables }] of keeper?.sessions ?? []) hold(name, from, tables);
  const add = (name: string, from: string): MemorySession => {
    keeper?.open(name, from);
    return hold(name, from, snapshots.get(from) ?? NOTHING);
  };
  const drop = (name: string) => {
    keeper?.drop(name);
    sessions.get(name)?.end();
    sessions.delete(name);
  };
  const save = (name: string, session: MemorySession, snapshot: string) => {
    keeper?.save(name, snapshot);
    snapshots.set(snapshot, session.freeze());
  };
  let last: Promise<unknown> = Promise.resolve();
  const begin: Store['begin'] = async (snapshot, work) => {
    if (snapshots.has(snapshot)) return false;
    const session = add(BEGINNING, '@none');
    try {
      await session.fill(work);
      save(BEGINNING, session, snapshot);
    } finally {
      drop(BEGINNING);
    }
    return true;
  };
  return {
    begin: (snapshot, work) => {
      const run = last.then(() => begin(snapshot, work));
      last = run.catch(() => undefined);
      return run;
    },
    open: async (name, from) => sessions.get(name) ?? add(name, from),
    sessions: async () => [...sessions.keys()],
    drop: async (name) => drop(name),
    // Between two transactions, so that no half of one is kept.
    save: async (name, snapshot) => {
      const session = sessions.get(name);
      await session?.transaction(async () => save(name, session, snapshot));
    },
    restore: async (name, snapshot) => {
      const session = sessions.get(name);
      await session?.transaction(async () => {
        keeper?.restore(name, snapshot);
        session.replace(snapshots.get(snapshot) ?? NOTHING);
      });
    },
    snapshots: async () => [...snapshots.keys()],
    forget: async (snapshot) => {
      keeper?.forget(snapshot);
      snapshots.delete(snapshot);
    },
    close: async () => {
      for (const session of sessions.values()) await session.transaction(async () => {});
      sessions.clear();
      keeper?.close();
    },
    fork: () => storeOf(new Map(snapshots), layout),
  };
}
