import type { SessionRecords, Store } from '../../store/store.ts';
import { SHARED } from '../address.ts';
import { forgetSnapshotsOf } from './snapshots.ts';

/** A session that this replica holds, with its last use. */
export type Held = {
  /** Milliseconds since the start of the process. */
  usedAt: number;
  /** The time when the store last learned of a use. */
  touchedAt: number;
  /** Undefined until it is open. */
  readonly session?: { readonly from: string; readonly records: SessionRecords };
};

/** All sessions have writes, so none can be dropped for a new one. */
export class SessionsFull extends Error {
  override name = 'SessionsFull';

  constructor(max: number) {
    super(
      `All ${max} sessions have changed records, so none is dropped for a new one. Delete one with DELETE /__mock/sessions/NAME, reset one with POST /__mock/sessions/NAME/__mock/reset, or start the mock with a higher --max-sessions.`,
    );
  }
}

/** How often per idle time the store learns that a session is in use. */
const TOUCHES = 4;

/**
 * Drops idle sessions and, if there are too many, the least recently used one without writes. No replica drops a
 * session that another uses, because the store knows the last use of each.
 */
export function createRetirement<One extends Held>(options: {
  readonly store: Store;
  /** In the order of their last use. */
  readonly held: Map<string, One>;
  readonly max: number;
  /** Milliseconds. */
  readonly idle: number;
  /** The snapshot that a dropped session begins with when it is used again. */
  readonly start: string;
}) {
  const { held, idle, max, start, store } = options;
  const { replicas } = store;
  return {
    /** Notes that a session is in use. */
    use(name: string) {
      const known = held.get(name);
      if (!known) return;
      held.delete(name);
      held.set(name, known);
      known.usedAt = performance.now();
      if (!replicas || known.usedAt - known.touchedAt < idle / TOUCHES) return;
      known.touchedAt = known.usedAt;
      replicas.touch(name).catch(() => {});
    },
    /** Drops a session if there are too many. Throws SessionsFull if all have writes. */
    makeRoom() {
      retireUnused();
      for (const [name, one] of held) {
        if (held.size < max) return;
        if (replicas || isDisposable(one)) retire(name);
      }
      if (held.size >= max) throw new SessionsFull(max);
    },
    /** Does the same in a store that several mocks share, unless it has the session. Rejects with SessionsFull. */
    async makeSharedRoom(name: string) {
      const isFull = async () => {
        const others = (await store.sessions()).filter((one) => one !== SHARED);
        return others.length >= max && !others.includes(name);
      };
      if (!(await isFull())) return;
      await retireOthers(max - 1);
      if (await isFull()) throw new SessionsFull(max);
    },
    /** Drops idle sessions, also those of other replicas. */
    expire() {
      retireUnused();
      expireOthers();
    },
    expireOthers,
    drop,
  };

  /** Drops the sessions that no replica used for long. */
  function expireOthers(): void {
    retireOthers().catch(() => {});
  }

  function retireUnused(): void {
    const limit = performance.now() - idle;
    for (const [name, { usedAt }] of held) {
      if (usedAt > limit) break;
      retire(name);
    }
  }

  /** Whether a new session of the name would be the same. */
  function isDisposable({ session }: Held): boolean {
    return session?.from === start && session.records.isChanged?.() === false;
  }

  function retire(name: string): void {
    if (replicas) held.delete(name);
    else drop(name).catch(() => {});
  }

  async function retireOthers(most = max): Promise<void> {
    const limits = { idle, max: most, kept: SHARED, start };
    for (const name of (await replicas?.retire(limits)) ?? []) {
      held.delete(name);
      await forgetSnapshotsOf(name, store);
      await replicas?.ask({ kind: 'drop', session: name });
    }
  }

  /** Drops a session. If the store can't forget it now, it stays there. */
  async function drop(name: string): Promise<void> {
    held.delete(name);
    await store.drop(name);
    await forgetSnapshotsOf(name, store);
    await replicas?.ask({ kind: 'drop', session: name });
  }
}
