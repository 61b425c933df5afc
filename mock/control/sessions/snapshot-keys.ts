import type { Store } from '../../store/store.ts';

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
