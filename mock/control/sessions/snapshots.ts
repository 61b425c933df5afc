import { unexpected } from '../../../spec/files/usage-error.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../endpoint.ts';
import type { Session } from './sessions.ts';

/** Snapshots of sessions by name, seen by all of them. */
export type Snapshots = {
  list(): Promise<readonly string[]>;
  save(session: Session, name: string): Promise<void>;
  /** Rejects with ControlError 404 for one that there is not, as the following do. */
  restore(session: Session, name: string): Promise<void>;
  forget(name: string): Promise<void>;
  refuseUnknown(name: string): Promise<void>;
};

/** As many as anybody would look through; each keeps its records in memory. */
const MOST = 1000;

export function createSnapshots(store: Store): Snapshots {
  const list = async () => (await store.snapshots()).filter((name) => !name.startsWith('@'));
  const refuseUnknown = async (name: string) => {
    const known = await list();
    if (known.includes(name)) return;
    throw new ControlError(
      404,
      `${unexpected('snapshot', name, known)}${known.length === 0 ? ' Save it first.' : ''}`,
    );
  };
  return {
    list,
    refuseUnknown,
    save: async (session, name) => {
      const known = await list();
      if (!known.includes(name) && known.length >= MOST)
        throw new ControlError(
          409,
          `There are already ${MOST} snapshots, which is the limit. Delete one first.`,
        );
      await store.save(session.name, name);
    },
    restore: async (session, name) => {
      await refuseUnknown(name);
      await store.restore(session.name, name);
    },
    forget: async (name) => {
      await refuseUnknown(name);
      await store.forget(name);
    },
  };
}
