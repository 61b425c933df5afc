import { createHash } from 'node:crypto';
import type { FilterOperator } from '../../spec/binding.ts';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { TypeName } from '../../spec/catalogue/field.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** The facts about models that a store uses. */
export type Layout = {
  /** By model, the links of lines to their parents. PostgreSQL indexes the first. */
  readonly links: ReadonlyMap<string, readonly string[]>;
  /** The types of fields by model, for their sort keys. Other fields have strings. */
  readonly types?: ReadonlyMap<string, ReadonlyMap<string, TypeName>>;
  /** The field that marks a deleted record; undefined if the API has none. */
  readonly mark: string | undefined;
  /** The API of the records; absent where a store takes those of any. */
  readonly api?: Api;
};

/** The layout of the built-in API, without links. */
export const DEFAULT_LAYOUT: Layout = { links: new Map(), mark: 'deleted' };

/** Which records are wanted, in canonical values. */
export type Query = {
  readonly filters?: readonly Filter[];
  /** Whether records marked as deleted are left out. */
  readonly liveOnly: boolean;
  /** Sorts by sort keys, then by ID. Unset values are always last. */
  readonly sort?: readonly Sort[];
  readonly offset?: number;
  /** How many records at most; all when absent. */
  readonly size?: number;
  /** Whether to count all matching records. By default, they are counted. */
  readonly withTotal?: boolean;
};

export type Sort = { readonly field: string; readonly type: TypeName; readonly descending: boolean };

/**
 * A condition on a field, decided by sort keys (spec/types/sort-key.ts). `equal` with null means unset, and `null` says
 * whether the field is unset. `has` says that a list has a value.
 */
export type Filter = {
  readonly field: string;
  readonly type: TypeName;
  readonly operator: FilterOperator | 'equal' | 'has';
  readonly values: readonly Value[];
  /** A record that meets one of these meets the filter, too. */
  readonly or?: readonly Filter[];
};

/** Returns the condition that a record links to another one. */
export function linksTo(field: string, id: Value): Filter {
  return { field, type: 'int', operator: 'equal', values: [id] };
}

/** A part of the records found, and the number of all of them. Without `withTotal`, the number can be too low. */
export type Found = { readonly records: readonly RecordValues[]; readonly total: number };

/**
 * Records by model and id. Every method is asynchronous, so that a database can stand behind it. Records have a
 * number as `id`, hold canonical values and are never changed in place: neither by the store nor by its users.
 */
export type Records = {
  get(model: string, id: number): Promise<RecordValues | undefined>;
  find(model: string, query: Query): Promise<Found>;
  /** Returns the next ID of a model. IDs ascend, and removed ones are not used again. */
  nextId(model: string): Promise<number>;
  /** Adds the record, or replaces the one with its id. */
  put(model: string, record: RecordValues): Promise<void>;
  remove(model: string, id: number): Promise<void>;
  /** Removes all records of a model. Its IDs start again at 1. */
  clear(model: string): Promise<void>;
};

/** The methods for reading outside a transaction. */
export type ReadableRecords = Pick<Records, 'get' | 'find'>;

export type RecordsPart = { readonly model: string; readonly records: readonly RecordValues[] };

export type SessionRecords = ReadableRecords & {
  /** Reads the records of models as they are at one moment, by ID, in parts of at most 1000 and at least one each. */
  readAll(models: readonly string[]): AsyncIterable<RecordsPart>;
  /** The snapshot that it began with. */
  readonly from: string;
  /** Whether this call created the session. */
  readonly isNew: boolean;
  /**
   * Runs work in isolation from other transactions of the session, through the records it gets. If it rejects, nothing
   * is stored. Once it resolves, its writes survive the process if the store does. Rejects with StoreFull if there is no
   * space.
   */
  transaction<Result>(work: (records: Records) => Promise<Result>): Promise<Result>;
};

/** The sessions and snapshots. A session is copy-on-write. Names that begin with `@` are the kit's own. */
export type Store = {
  /** Creates a snapshot, unless it exists or the work rejects. Returns whether this call created it. */
  begin(snapshot: string, work: (records: Records) => Promise<void>): Promise<boolean>;
  /** Opens a session, which begins as the snapshot, or empty if there is none. */
  open(session: string, snapshot: string): Promise<SessionRecords>;
  /** All sessions with the snapshots they began with, also those that an earlier process left. */
  sessions(): Promise<readonly { readonly name: string; readonly from: string }[]>;
  touch(session: string): Promise<void>;
  /** Drops idle sessions, and surplus ones without writes. Returns their names. */
  retire(limits: RetireLimits): Promise<readonly string[]>;
  drop(session: string): Promise<void>;
  /** Keeps the records and ids of a session under a name, in the place of what had it. */
  save(session: string, snapshot: string): Promise<void>;
  /** Puts the records and ids of a snapshot in the place of those of a session. */
  restore(session: string, snapshot: string): Promise<void>;
  /** The names of the snapshots, in the order in which they were first saved. */
  snapshots(): Promise<readonly string[]>;
  /** Returns the records of a snapshot; undefined if there is none. */
  read(snapshot: string): Promise<ReadableRecords | undefined>;
  /** Forgets a snapshot; sessions that began with it stay as they are. */
  forget(snapshot: string): Promise<void>;
  /** Returns a store in memory with the same snapshots; absent if other processes write to this one. */
  fork?(): Store;
  /** Rejects with StoreAway if the store does not respond now. Absent where it is in this process. */
  check?(): Promise<void>;
  /** Closes the store. Don't use it afterwards. A second call has no effect. */
  close(): Promise<void>;
  /** Absent if only one mock can use the store. */
  readonly replicas?: Replicas;
};

/** The mocks that share a store. They notify each other, and share the data of sessions other than their records. */
export type Replicas = {
  /** Notifies the other replicas, and waits until all have followed. Rejects with StoreAway if one does not. */
  ask(question: object): Promise<void>;
  /** Sets the function that follows notices, and the one that is called if a notice may have been missed. */
  answer(follow: (question: unknown) => Promise<void>, missed: () => void): void;
  /** Returns the data of a session other than its records; undefined before the first change. */
  extra(session: string): Promise<string | undefined>;
  /** Changes that data, one change at a time across replicas. */
  change<Result>(
    session: string,
    run: (extra: string | undefined) => { readonly extra: string; readonly result: Result },
  ): Promise<Result>;
};

export type RetireLimits = {
  /** Milliseconds without use after which a session is dropped. */
  readonly idle: number;
  /** How many sessions can stay. More stay if they have writes. */
  readonly max: number;
  /** The name of the session that always stays. */
  readonly kept: string;
  /** The snapshot that a session without writes began with, and is like. */
  readonly start: string;
};

/** The store is full. Nothing of the transaction was stored. */
export class StoreFull extends Error {
  override name = 'StoreFull';
}

/** The file of the store is damaged. Its records can't be read, or not all of them. */
export class StoreDamaged extends Error {
  override name = 'StoreDamaged';
}

/** Bytes that a mark or a time can add to a record. */
const MARK = 200;

/** Whether a record needs space that the one it replaces does not have. A mark needs none. */
export function needsSpace(before: RecordValues | undefined, after: RecordValues): boolean {
  return !before || JSON.stringify(after).length > JSON.stringify(before).length + MARK;
}

/** The store can't be reached, or lost its records. It is not known whether the transaction was stored. */
export class StoreAway extends Error {
  override name = 'StoreAway';
}

export type Api = {
  readonly title: string;
  readonly version: string;
  /** Of the models, and of the names and types of their fields. */
  readonly hash: string;
};

export function apiOf({ models, title, version }: Catalogue): Api {
  const fields = [...models.values()].map(({ fields, name }) => [
    name,
    fields.map((field) => [field.name, field.type, field.lines ?? '']),
  ]);
  const hash = createHash('sha256').update(JSON.stringify(fields)).digest('hex');
  return { title, version, hash };
}

/** Throws UsageError if a store has records of another API. */
export function refuseOtherApi(own: Api, stored: Api, shown: string): void {
  const wayOut = 'Pass the catalogue of these records with --catalogue, or use other data.';
  const named = `${own.title} ${own.version}`;
  if (stored.title !== own.title || stored.version !== own.version)
    throw new UsageError(
      `${shown} contains records of ${stored.title} ${stored.version}, but the catalogue is of ${named}. ${wayOut}`,
    );
  if (stored.hash !== own.hash)
    throw new UsageError(
      `${shown} contains records of ${named} with other models or fields. ${wayOut} To keep the records, dump them with their catalogue, and load the dump into new data.`,
    );
}

export function isPostgres(place: string): boolean {
  return /^postgres(ql)?:/i.test(place);
}

/** Returns the place without the password of a database, which can be before the host or in the query. */
export function showPlace(place: string): string {
  if (!isPostgres(place)) return place;
  if (!URL.canParse(place)) return 'the database';
  const url = new URL(place);
  url.password = '';
  url.search = '';
  return url.href;
}
