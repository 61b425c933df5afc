import type { SessionRecords, Store } from '../../store/store.ts';
import { SHARED } from '../address.ts';
import { createRetirement, type Held } from './retirement.ts';
import type { Session } from './session.ts';

export type Sessions = Awaited<ReturnType<typeof createSessions>>;

/** The records that the mock starts with. */
export const START = '@start';

type Opened = { readonly session: Session; readonly isNew: boolean };
type HeldSession = Held & { readonly opening: Promise<Opened>; session?: Session };

export async function createSessions(options: {
  readonly store: Store;
  /** Creates a session with its records. */
  readonly assemble: (name: string, records: SessionRecords) => Promise<Session>;
  /** Maximum number of sessions in addition to the shared one. */
  readonly max: number;
  /** Milliseconds without use after which a session is dropped. */
  readonly idle: number;
}) {
  const { assemble, store } = options;
  const { replicas } = store;
  const held = new Map<string, HeldSession>();
  const retirement = createRetirement({ ...options, held, start: START });
  const { session: shared } = await open(SHARED, START);
  // A replica opens the sessions of others on their first use here.
  if (!replicas)
    for (const name of await store.sessions()) if (name !== SHARED) await keep(name, START).opening;
  return {
    shared,
    /** Returns the session of a name, and creates a missing one. Rejects with SessionsFull. */
    use: async (name: string) => (name === SHARED ? shared : (await hold(name, START).opening).session),
    /** Creates a session from a snapshot. Returns false if the session exists. Rejects with SessionsFull. */
    create: async (name: string, from: string) => {
      retirement.expire();
      if (name === SHARED || held.has(name)) return false;
      return (await hold(name, from).opening).isNew;
    },
    has,
    delete: async (name: string) => {
      if (name === SHARED || !(await has(name))) return false;
      await retirement.drop(name);
      return true;
    },
    list,
    /** Returns the sessions of all replicas, the shared one first. */
    all: async (): Promise<readonly Pick<Session, 'name' | 'from'>[]> => {
      if (!replicas) return list();
      retirement.expire();
      const others = (await replicas.sessions()).filter(({ name }) => name !== SHARED);
      return [shared, ...others];
    },
    /** Returns the session of a name if this replica has it. */
    held: async (name: string) => (name === SHARED ? shared : (await held.get(name)?.opening)?.session),
    /** Forgets the data of a dropped session in this replica, or of all sessions, if any can be dropped. */
    letGo: (name?: string) => {
      if (name !== undefined) {
        held.delete(name);
        return;
      }
      held.clear();
      // If this fails, the next use reads it again.
      shared.conditions.refresh().catch(() => {});
    },
    /** Restores the records, IDs, clock, faults, and settings of the start. Keeps the journal. */
    reset: async ({ clock, conditions, faults, from, name, profile, writes }: Session) => {
      await store.restore(name, from);
      writes.clear();
      await conditions.change(() => {
        clock.reset();
        faults.reset();
        profile.reset();
      });
    },
  };

  /** Whether any replica has a session of a name. */
  async function has(name: string): Promise<boolean> {
    if (name === SHARED) return true;
    return replicas ? (await store.sessions()).includes(name) : held.has(name);
  }

  /** Returns the sessions of this replica, the shared one first. */
  function list(): Session[] {
    retirement.expire();
    return [shared, ...[...held.values()].flatMap(({ session }) => session ?? [])];
  }

  /** Returns the session of a name, and opens a missing one. Throws SessionsFull. */
  function hold(name: string, from: string): HeldSession {
    const known = held.get(name);
    if (known) {
      retirement.use(name);
      return known;
    }
    // The kit's own sessions last only for moments.
    if (!name.startsWith('@')) retirement.makeRoom();
    return keep(name, from);
  }

  function keep(name: string, from: string): HeldSession {
    const now = performance.now();
    const made: HeldSession = { opening: open(name, from), usedAt: now, touchedAt: now };
    made.opening.then(
      ({ session }) => {
        made.session = session;
        // Opening can take long.
        retirement.expireOthers();
      },
      () => {
        if (held.get(name) === made) held.delete(name);
      },
    );
    held.set(name, made);
    return made;
  }

  async function open(name: string, from: string): Promise<Opened> {
    if (replicas && name !== SHARED && !name.startsWith('@')) await retirement.makeSharedRoom(name);
    // Keeps another replica from dropping it as idle.
    await replicas?.touch(name);
    const records = await store.open(name, from);
    return { session: await assemble(name, records), isNew: records.isNew ?? true };
  }
}
