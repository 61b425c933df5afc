import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Table } from './table.ts';

/** The tables of a session or a snapshot, by model. Those of a snapshot never change. */
export type Tables = ReadonlyMap<string, Table>;

/**
 * The changes of a transaction to a model: first whether it cleared the model, then the records that it stored or
 * removed, by ID, as they were before, and whether there are new ones.
 */
export type Change = {
  isCleared: boolean;
  hasNew: boolean;
  readonly before: Map<number, RecordValues | undefined>;
};

/**
 * Writes the content of a store in memory to a file. If it can't write a transaction, it throws and writes nothing of
 * it. Then the store in memory does not change either.
 */
export type Keeper = {
  /** Whether there is only space for removals and resets. */
  isFull(): boolean;
  /** Throws StoreFull. */
  refuse(): never;
  /** The snapshots in the file when it was opened. */
  readonly snapshots: ReadonlyMap<string, Tables>;
  readonly sessions: ReadonlyMap<string, { readonly from: string; readonly tables: Tables }>;
  open(session: string, from: string): void;
  /**
   * The tables are those of the session after the changes. Returns the tables that the session uses in place of them,
   * because they don't fit in memory.
   */
  write(session: string, changes: ReadonlyMap<string, Change>, tables: Tables): Tables;
  drop(session: string): void;
  save(session: string, snapshot: string): void;
  restore(session: string, snapshot: string): void;
  forget(snapshot: string): void;
  /** Keeps the records that a snapshot has now until the file is closed. */
  hold(snapshot: string): void;
  /** Keeps the records that a session has now until the returned function is called. */
  freeze(session: string): () => void;
  close(): void;
};
