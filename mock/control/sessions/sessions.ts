import { unexpected } from '../../../spec/files/usage-error.ts';
import { SHARED } from '../../http/http.ts';
import { createQueue } from '../../store/memory.ts';
import type { SessionRecords, Store } from '../../store/store.ts';
import { ControlError } from '../control-error.ts';
import type { Session } from './session.ts';

export type Sessions = Awaited<ReturnType<typeof createSessions>>;

/** The records that the mock starts with. */
export const START = '@start';

type HeldSession = {
  readonly opening: Promise<Session>;
  session?: Session;
  /** The time when the store last learned of a use. */
  touchedAt: number;
};

/** All sessions have writes, so none can be dropped for a new one. */
export class SessionsFull extends Error {
  override name = 'SessionsFull';
}

/** How often per idle time a store that several mocks share learns that a session is in use. */
const TOUCHES = 4;

/** Opens sessions on first use, and drops idle and surplus ones that no replica uses. */
export async function createSessions(options: {
  readonly store: Store;
  /** Creates a session with its records. */
  readonly assemble: (name: string, records: SessionRecords) => Promise<Session>;
  /** Maximum number of sessions in addition to the shared one. */
  readonly max: number;
  /** Milliseconds without use after which a session is dropped. */
  readonly idle: number;
}) {
  const { assemble, idle, max, store } = options;
  const { replicas } = store;
  const held = new Map<string, HeldSession>();
  // Sessions are opened one after the other, so that their number stays at most `max`.
  const inTurn = createQueue();
  const shared = await open(SHARED, START);
  return {
    shared,
    /** Returns the session of a name, and creates a missing one. Rejects with SessionsFull. */
    use: async (name: string) => (name === SHARED ? shared : hold(name, START)),
    /** Creates a session from a snapshot. Returns false if the session exists. Rejects with SessionsFull. */
    create: async (name: string, from: string) => {
      await retire();
      if (name === SHARED || held.has(name)) return false;
      return (await hold(name, from)).records.isNew;
    },
    has,
    delete: async (name: string) => {
      if (name === SHARED || !(await has(name))) return false;
      held.delete(name);
      await store.drop(name);
      await forget(name);
      return true;
    },
    /** Returns the sessions that this replica has opened, the shared one first. */
    list: (): Session[] => [shared, ...[...held.values()].flatMap(({ session }) => session ?? [])],
    /** Returns the sessions of all replicas, the shared one first. */
    all: async (): Promise<readonly Pick<Session, 'name' | 'from'>[]> => {
      await retire();
      return [shared, ...(await others())];
    },
    /** Returns the session of a name if this replica has it. */
    held: async (name: string) => (name === SHARED ? shared : held.get(name)?.opening),
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
    /** Restores the records, IDs, clock, faults, and settings of the start. Keeps the request log. */
    reset: async ({ conditions, from, name }: Session) => {
      await store.restore(name, from);
      await conditions.reset();
    },
  };

  async function others() {
    return (await store.sessions()).filter(({ name }) => name !== SHARED);
  }

  async function has(name: string): Promise<boolean> {
    return name === SHARED || (await others()).some((one) => one.name === name);
  }

  /** Returns the session of a name, and opens a missing one. */
  function hold(name: string, from: string): Promise<Session> {
    const now = performance.now();
    const known = held.get(name);
    if (known) {
      if (replicas && now - known.touchedAt < idle / TOUCHES) return known.opening;
      known.touchedAt = now;
      store.touch(name).catch(() => {});
      return known.opening;
    }
    const opening = inTurn(() => open(name, from));
    const made: HeldSession = { opening, touchedAt: now };
    opening.then(
      (session) => {
        made.session = session;
      },
      () => {
        if (held.get(name) === made) held.delete(name);
      },
    );
    held.set(name, made);
    return opening;
  }

  async function open(name: string, from: string): Promise<Session> {
    // Keeps it from being dropped as idle.
    await store.touch(name);
    // The kit's own sessions last only for moments.
    if (name !== SHARED && !name.startsWith('@')) await makeRoom(name);
    return assemble(name, await store.open(name, from));
  }

  /** Drops sessions if there are too many, unless the store has the session. Rejects with SessionsFull. */
  async function makeRoom(name: string): Promise<void> {
    for (const most of [max, max - 1]) {
      await retire(most);
      const known = await others();
      if (known.length < max || known.some((one) => one.name === name)) return;
    }
    throw new SessionsFull(
      `All ${max} sessions have changed records, so none is dropped for a new one. Delete one with DELETE /__mock/sessions/NAME, reset one with POST /__mock/sessions/NAME/__mock/reset, or start the mock with a higher --max-sessions.`,
    );
  }

  /** Drops the idle sessions of all replicas. If more than `most` are left, also drops the oldest ones without writes. */
  async function retire(most = max): Promise<void> {
    for (const name of await store.retire({ idle, max: most, kept: SHARED, start: START })) {
      held.delete(name);
      await forget(name);
    }
  }

  /** Deletes the data of a dropped session in all replicas. */
  async function forget(name: string): Promise<void> {
    for (const key of await store.snapshots()) if (key.startsWith(ownKey(name))) await store.forget(key);
    await replicas?.ask({ kind: 'drop', session: name });
  }
}

export type Snapshots = ReturnType<typeof createSnapshots>;

/** Maximum number of snapshots, because each keeps its records in memory. */
const MOST = 1000;

/**
 * Manages snapshots by name. A named session sees its own and the shared ones, its own first. The snapshots of the
 * shared session are shared. `find`, `restore`, and `forget` reject with ControlError 404 for an unknown snapshot.
 */
export function createSnapshots(store: Store) {
  /** Returns the keys of all snapshots in the store. */
  const keys = async () => (await store.snapshots()).filter((key) => !key.startsWith('@') || isOwn(key));
  const seenBy = ({ name }: Session, all: readonly string[]) => [
    ...new Set(all.filter((key) => !isOwn(key) || key.startsWith(ownKey(name))).map(snapshotName)),
  ];
  const find = async (session: Session, name: string) => {
    const all = await keys();
    const key = [ownKey(session.name, name), name].find((one) => all.includes(one));
    if (key !== undefined) return key;
    const known = seenBy(session, all);
    throw new ControlError(
      404,
      `${unexpected('snapshot', name, known)}${known.length === 0 ? ' Save it first.' : ''}`,
    );
  };
  return {
    list: async (session: Session) => seenBy(session, await keys()),
    find,
    save: async (session: Session, name: string, isShared = session.name === SHARED) => {
      const key = isShared ? name : ownKey(session.name, name);
      const all = await keys();
      if (!all.includes(key) && all.length >= MOST)
        throw new ControlError(
          409,
          `There are already ${MOST} snapshots, which is the limit. Delete one first.`,
        );
      await store.save(session.name, key);
    },
    restore: async (session: Session, name: string) => store.restore(session.name, await find(session, name)),
    forget: async (session: Session, name: string) => store.forget(await find(session, name)),
  };
}

/** The start of the keys of snapshots that belong to a session. */
const OWN = '@own/';

/** Whether a key is of a snapshot that belongs to a session. */
function isOwn(key: string): boolean {
  return key.startsWith(OWN);
}

/** The key of a snapshot that belongs to a session, or the start of all its keys. */
function ownKey(session: string, name = ''): string {
  return `${OWN}${session}/${name}`;
}

/** The name of a snapshot by its key. */
export function snapshotName(key: string): string {
  return isOwn(key) ? key.slice(key.lastIndexOf('/') + 1) : key;
}
