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
    const expected = known.length === 0 ? 'none is saved' : `expected one of ${known.join(', ')}`;
    throw new ControlError(404, `There is no snapshot ${name}; ${expected}.`);
  };
  return {
    list,
    refuseUnknown,
    save: async (session, name) => {
      const known = await list();
      if (!known.includes(name) && known.length >= MOST)
        throw new ControlError(409, `There are ${MOST} snapshots; expected fewer. Delete some first.`);
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
