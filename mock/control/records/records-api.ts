import type { FilterOperator } from '../../../spec/binding.ts';
import type { Operation } from '../../../spec/catalogue/catalogue.ts';

/** The fields of each model; the package knows those of the Record Model API. */
// biome-ignore lint/suspicious/noEmptyInterface: others add members to it, which they can't to a type.
export interface RecordShapes {}

/** The operations by their ID; the package knows those of the Record Model API. */
// biome-ignore lint/suspicious/noEmptyInterface: others add members to it, which they can't to a type.
export interface OperationShapes {}

/** Names of any catalogue: `mock.count<CatalogueNames>({ model: 'member' })`. */
export type CatalogueNames = { readonly model: string; readonly operation: string };

/** The names that the package knows; any name in a clone, which has no generated types. */
export type OwnNames = {
  readonly model: KeyOr<RecordShapes, string>;
  readonly operation: KeyOr<OperationShapes, string> | Operation;
};

type KeyOr<Shapes, Otherwise> = [keyof Shapes] extends [never] ? Otherwise : keyof Shapes & string;

/** A condition on a field of a record. `value` has the form of fixtures. */
export type RecordFilter = {
  readonly field: string;
  /**
   * `equal` compares the whole value, and null is an unset field. `in` accepts a list of values. `null` accepts true for
   * unset fields and false for set ones. `has` is for lists of IDs.
   */
  readonly operator: 'equal' | 'has' | FilterOperator;
  readonly value: unknown;
};

/** Which records of a model are listed, and in which order. */
export type ListOptions = {
  /** The number of records to skip (default: 0). */
  readonly offset?: number;
  /** Maximum number of records, at most 1000. If absent, all records. */
  readonly limit?: number;
  /** Names of fields, each optionally with - in front for descending order. By default, the order of the IDs. */
  readonly sort?: string | readonly string[];
  /** All conditions must hold. */
  readonly filters?: readonly RecordFilter[];
  /** A string that one of the text fields contains, in any case, or the ID. */
  readonly search?: string;
  /** Whether the list includes records that are marked as deleted (default: false). */
  readonly deleted?: boolean;
};

/** The parameters of a list, with the filters as JSON. */
export type ListParameters = Omit<ListOptions, 'filters'> & { readonly filters?: string | undefined };

/** The records that refer to a record, by the field with the link. */
export type RecordLinks = {
  readonly model: string;
  readonly field: string;
  readonly count: number;
};

/** A valid new record. */
export type Sample = {
  /** The writable fields in the form of fixtures. */
  readonly values: Readonly<Record<string, unknown>>;
};

/** Values of a record. A link is an ID or a record. */
export type Values<Shape extends object> = {
  readonly [Name in keyof Shape]?: Shape[Name] | LinkTo<NonNullable<Shape[Name]>>;
};

type LinkTo<Value> = Value extends number
  ? { readonly id: number }
  : Value extends readonly number[]
    ? readonly { readonly id: number }[]
    : never;

export type CreateOptions = {
  /** Whether required fields that are not given get generated values (default: true). */
  readonly fill?: boolean;
};

/** Records of one model in the form of fixtures. Changes have the same effects as requests to the API. */
export type RecordsApi<Shape extends object> = {
  /** Returns the records that are not deleted, or those that the options select, and the number of all that match. */
  list(options?: ListOptions): Promise<{
    readonly records: readonly (Shape & { readonly id: number })[];
    readonly total: number;
  }>;
  /** Returns a record, also one that is marked as deleted; undefined if there is none. */
  get(id: number): Promise<(Shape & { readonly id: number }) | undefined>;
  /**
   * Creates a record, and the records that its generated links need. Rejects if a value is invalid. In this process, the
   * error is a UsageError with `violations`.
   */
  create(values?: Values<Shape>, options?: CreateOptions): Promise<Shape & { readonly id: number }>;
  /** Creates several records with the same given values, and other generated ones. */
  createMany(
    count: number,
    values?: Values<Shape>,
    options?: CreateOptions,
  ): Promise<readonly (Shape & { readonly id: number })[]>;
  /** Changes the given values. Rejects if a value is invalid, or there is no such record. */
  update(id: number, values: Values<Shape>): Promise<Shape & { readonly id: number }>;
  /** Deletes a record, or marks it as deleted, as the profile says. Rejects if there is no such record. */
  delete(id: number): Promise<void>;
  /** Counts the records that refer to a record, by model and field. Rejects if there is no such record. */
  links(id: number): Promise<readonly RecordLinks[]>;
};
