import type { Table } from './table.ts';

/** The tables of a session or a snapshot, by model; those of a snapshot nobody writes to any more. */
export type Tables = ReadonlyMap<string, Table>;

/** What a transaction did to a model: the records it put or removed, after it had cleared it if it did. */
export type Change = { isCleared: boolean; readonly ids: Set<number> };

/**
 * Keeps what a store in memory holds, beyond the process. What can't be kept throws, and nothing of it is; then it is
 * not done in memory either.
 */
export type Keeper = {
  /** What there was when it was opened. */
  readonly snapshots: ReadonlyMap<string, Tables>;
  readonly sessions: ReadonlyMap<string, { readonly from: string; readonly tables: Tables }>;
  open(session: string, from: string): void;
  /** The tables are those of the session after the changes. */
  write(session: string, changes: ReadonlyMap<string, Change>, tables: Tables): void;
  drop(session: string): void;
  save(session: string, snapshot: string): void;
  restore(session: string, snapshot: string): void;
  forget(snapshot: string): void;
  close(): void;
};
