import { unexpected } from '../../../spec/files/usage-error.ts';
import type { Store } from '../../store/store.ts';
import { SHARED } from '../address.ts';
import { ControlError } from '../control-error.ts';
import type { Session } from './sessions.ts';
import { isOwn, ownKey, snapshotName } from './snapshot-keys.ts';

/**
 * Snapshots by name. A named session sees its own and the shared ones, its own first. The snapshots of the shared
 * session are shared.
 */
export type Snapshots = {
  /** The names that a session sees. */
  list(session: Session): Promise<readonly string[]>;
  save(session: Session, name: string, isShared?: boolean): Promise<void>;
  /** Rejects with ControlError 404 if the session sees no such snapshot, as the following do. */
  restore(session: Session, name: string): Promise<void>;
  forget(session: Session, name: string): Promise<void>;
  /** Returns the key of a snapshot in the store. */
  find(session: Session, name: string): Promise<string>;
  /** The keys of all snapshots in the store. */
  keys(): Promise<readonly string[]>;
  /** Saves a snapshot of a session by its key. */
  keep(session: Session, key: string): Promise<void>;
};

/** As many as anybody would look through; each keeps its records in memory. */
const MOST = 1000;

export function createSnapshots(store: Store): Snapshots {
  const keys = async () => (await store.snapshots()).filter((key) => !key.startsWith('@') || isOwn(key));
  const seenBy = ({ name }: Session, all: readonly string[]) => [
    ...new Set(all.filter((key) => !isOwn(key) || key.startsWith(ownKey(name))).map(snapshotName)),
  ];
  const find: Snapshots['find'] = async (session, name) => {
    const all = await keys();
    const key = [ownKey(session.name, name), name].find((one) => all.includes(one));
    if (key !== undefined) return key;
    const known = seenBy(session, all);
    throw new ControlError(
      404,
      `${unexpected('snapshot', name, known)}${known.length === 0 ? ' Save it first.' : ''}`,
    );
  };
  const keep: Snapshots['keep'] = async (session, key) => {
    const all = await keys();
    if (!all.includes(key) && all.length >= MOST)
      throw new ControlError(
        409,
        `There are already ${MOST} snapshots, which is the limit. Delete one first.`,
      );
    await store.save(session.name, key);
  };
  return {
    list: async (session) => seenBy(session, await keys()),
    find,
    keys,
    keep,
    save: (session, name, isShared = session.name === SHARED) =>
      keep(session, isShared ? name : ownKey(session.name, name)),
    restore: async (session, name) => store.restore(session.name, await find(session, name)),
    forget: async (session, name) => store.forget(await find(session, name)),
  };
}
