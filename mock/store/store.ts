import type { FilterOperator } from '../../spec/binding.ts';
import type { TypeName } from '../../spec/catalogue/field.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { OwnApi } from './api.ts';

/** The facts about models that a store uses. */
export type Layout = {
  /** By model, the fields that records are often found by: links of lines to their parents. PostgreSQL indexes the first. */
  readonly links: ReadonlyMap<string, readonly string[]>;
  /** The field that marks a deleted record; undefined if the API has none. */
  readonly mark: string | undefined;
  /** The API of the records; absent where a store takes those of any. */
  readonly api?: OwnApi;
};

/** The layout of the built-in API, without links. */
export const DEFAULT_LAYOUT: Layout = { links: new Map(), mark: 'deleted' };

/** Which records are wanted, in canonical values. */
export type Query = {
  /** Fields and the value each must have; null stands for unset. */
  readonly where?: readonly (readonly [field: string, value: Value])[];
  /** What else has to hold of them. */
  readonly filters?: readonly Filter[];
  /** Whether records marked as deleted are left out. */
  readonly liveOnly: boolean;
  /** By the first, and what is equal there by the next; in the order of the type, unset ones last either way. Then by id. */
  readonly sort?: readonly Sort[];
  readonly offset?: number;
  /** How many records at most; all when absent. */
  readonly size?: number;
};

export type Sort = { readonly field: string; readonly type: TypeName; readonly descending: boolean };

/** A condition on a field: of its one value, of one of several for `in`; `null` says whether it is unset. */
export type Filter = {
  readonly field: string;
  readonly type: TypeName;
  readonly operator: FilterOperator;
  readonly values: readonly Value[];
};

/** A part of the records found, and the number of all of them. */
export type Found = { readonly records: readonly RecordValues[]; readonly total: number };

/**
 * Records by model and id. Every method is asynchronous, so that a database can stand behind it. Records have a
 * number as `id`, hold canonical values and are never changed in place: neither by the store nor by its users.
 */
export type Records = {
  get(model: string, id: number): Promise<RecordValues | undefined>;
  find(model: string, query: Query): Promise<Found>;
  /** The next id of a model: ascending, and never the same twice, whatever is removed. */
  nextId(model: string): Promise<number>;
  /** Adds the record, or replaces the one with its id. */
  put(model: string, record: RecordValues): Promise<void>;
  remove(model: string, id: number): Promise<void>;
  /** Removes all records of a model, whose ids begin anew. */
  clear(model: string): Promise<void>;
};

/** What may be read outside a transaction. */
export type ReadableRecords = Pick<Records, 'get' | 'find'>;

/** The records of one session. */
export type SessionRecords = ReadableRecords & {
  /** The snapshot that it began with. */
  readonly from: string;
  /** Whether it was made just now; absent where nobody else could have made it. */
  readonly isNew?: boolean;
  /**
   * Whether it has other records or IDs than the snapshot that it began with, or that snapshot is gone. Absent where
   * several mocks share a store, because `Replicas.retire` finds that out.
   */
  isChanged?(): boolean;
  /**
   * Runs work that no other transaction of the session may come between; what it reads stays true until it ends. It
   * reads and writes by the records it is given and by no others. When it rejects nothing of it is stored; once it has
   * resolved, what it stored outlives the process where the store does. Where others come between, the work runs
   * again. Rejects with StoreFull where there is no room.
   */
  transaction<Result>(work: (records: Records) => Promise<Result>): Promise<Result>;
};

/**
 * Where sessions and snapshots are kept. A session is copy-on-write over the snapshot it began with. Names are checked
 * by the callers; those that begin with `@` are the kit's own.
 */
export type Store = {
  /**
   * Makes a snapshot of what the work stores, all or nothing; does nothing when there is one of the name. Of several
   * that begin one at once, one does. Says whether it was made.
   */
  begin(snapshot: string, work: (records: Records) => Promise<void>): Promise<boolean>;
  /** The records of a session, which begins as the snapshot when it is new, and empty when there is no such snapshot. */
  open(session: string, snapshot: string): Promise<SessionRecords>;
  /** The names of the sessions that there are, also of those that an earlier process left. */
  sessions(): Promise<readonly string[]>;
  /** Forgets a session and its records. */
  drop(session: string): Promise<void>;
  /** Keeps the records and ids of a session under a name, in the place of what had it. */
  save(session: string, snapshot: string): Promise<void>;
  /** Puts the records and ids of a snapshot in the place of those of a session. */
  restore(session: string, snapshot: string): Promise<void>;
  /** The names of the snapshots, in the order in which they were first saved. */
  snapshots(): Promise<readonly string[]>;
  /** Forgets a snapshot; sessions that began with it stay as they are. */
  forget(snapshot: string): Promise<void>;
  /** A store of its own in memory, with the same snapshots and no sessions; what other processes write to has none. */
  fork?(): Store;
  /** Rejects with StoreAway if the store does not respond now. Absent where it is in this process. */
  check?(): Promise<void>;
  /** Lets go of what it holds; nothing may be asked of it any more. Whoever closes it again has nothing left to close. */
  close(): Promise<void>;
  /** Absent where a store is one mock's alone. */
  readonly replicas?: Replicas;
};

/** The mocks that share a store: what they tell each other, and what they have of a session beside its records. */
export type Replicas = {
  /** One after the other: replicas that run together have different ones. */
  readonly number: number;
  /** What each of the others answers, as JSON. Rejects with StoreAway when one of them does not. */
  ask(question: object): Promise<readonly unknown[]>;
  /** How this one answers from now on, and what it does when it may have missed a question. */
  answer(reply: (question: unknown) => Promise<unknown>, missed: () => void): void;
  /** What a session has beside its records; undefined as long as nobody changed it. */
  extra(session: string): Promise<string | undefined>;
  /** Puts something else in its place, one after the other, whichever replica does it. */
  change<Result>(
    session: string,
    run: (extra: string | undefined) => { readonly extra: string; readonly result: Result },
  ): Promise<Result>;
  /** All sessions with the snapshots they began with. */
  sessions(): Promise<readonly { readonly name: string; readonly from: string }[]>;
  /** Notes that a session is in use. */
  touch(session: string): Promise<void>;
  /** Drops sessions that nobody used for long, and those without writes that are too many. Returns their names. */
  retire(limits: RetireLimits): Promise<readonly string[]>;
};

/** Which sessions a store drops. */
export type RetireLimits = {
  /** Milliseconds after which a session that nobody used goes. */
  readonly idle: number;
  /** How many sessions can stay. More stay if they have writes. */
  readonly max: number;
  /** The name of the session that always stays. */
  readonly kept: string;
  /** The snapshot that a session without writes began with, and is like. */
  readonly start: string;
};

/** There is no room for what was to be stored; nothing of it was. */
export class StoreFull extends Error {
  override name = 'StoreFull';
}

/** What holds the records can't be reached now, or they are gone; whether what was to be stored was stored is not known. */
export class StoreAway extends Error {
  override name = 'StoreAway';
}
