import { unexpected } from '../../../spec/files/usage-error.ts';
import type { Store } from '../../store/store.ts';
import { SHARED } from '../address.ts';
import { ControlError } from '../control-error.ts';

type SnapshotOwner = { readonly name: string; readonly from: string; readonly writes: { clear(): void } };

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
  const seenBy = ({ name }: SnapshotOwner, all: readonly string[]) => [
    ...new Set(all.filter((key) => !isOwn(key) || key.startsWith(ownKey(name))).map(snapshotName)),
  ];
  /** Returns the key of a snapshot in the store. */
  const find = async (session: SnapshotOwner, name: string) => {
    const all = await keys();
    const key = [ownKey(session.name, name), name].find((one) => all.includes(one));
    if (key !== undefined) return key;
    const known = seenBy(session, all);
    throw new ControlError(
      404,
      `${unexpected('snapshot', name, known)}${known.length === 0 ? ' Save it first.' : ''}`,
    );
  };
  /** Saves a snapshot of a session by its key. */
  const keep = async (session: SnapshotOwner, key: string) => {
    const all = await keys();
    if (!all.includes(key) && all.length >= MOST)
      throw new ControlError(
        409,
        `There are already ${MOST} snapshots, which is the limit. Delete one first.`,
      );
    await store.save(session.name, key);
  };
  return {
    /** Returns the names that a session sees. */
    list: async (session: SnapshotOwner) => seenBy(session, await keys()),
    find,
    keys,
    keep,
    save: (session: SnapshotOwner, name: string, isShared = session.name === SHARED) =>
      keep(session, isShared ? name : ownKey(session.name, name)),
    /** Returns the records of the snapshot that a session began with. Rejects with ControlError 409 if it is deleted. */
    beginning: async ({ from }: SnapshotOwner) => {
      const records = await store.read(from);
      if (records) return records;
      throw new ControlError(
        409,
        `The snapshot "${snapshotName(from)}" that the session started from is deleted. Save it again first.`,
      );
    },
    restore: async (session: SnapshotOwner, name: string) => {
      await store.restore(session.name, await find(session, name));
      session.writes.clear();
    },
    forget: async (session: SnapshotOwner, name: string) => store.forget(await find(session, name)),
  };
}

/** The start of the keys of snapshots that belong to a session. */
const OWN = '@own/';

/** Whether a key is of a snapshot that belongs to a session. */
export function isOwn(key: string): boolean {
  return key.startsWith(OWN);
}

/** The key of a snapshot that belongs to a session, or the start of all its keys. */
export function ownKey(session: string, name = ''): string {
  return `${OWN}${session}/${name}`;
}

/** The name of a snapshot by its key. */
export function snapshotName(key: string): string {
  return isOwn(key) ? key.slice(key.lastIndexOf('/') + 1) : key;
}

/** Deletes the snapshots that belong to a session. */
export async function forgetSnapshotsOf(session: string, store: Store): Promise<void> {
  for (const key of await store.snapshots()) if (key.startsWith(ownKey(session))) await store.forget(key);
}
