import type { Row, Tables } from '../records/tables.ts';
import type { Field, Model } from '../source/source.ts';

export type On = 'create' | 'retrieve' | 'list' | 'update' | 'delete';

/** The operation in which a service asks a defect. */
export type At = {
  readonly model: Model;
  readonly on: On;
  readonly tables: Tables;
  readonly id?: number;
  /** The checked values of the request. */
  readonly sent?: Row;
  /** The record before an update. */
  readonly before?: Row;
};

/** An error in a sent value. */
export type Problem = {
  readonly model: Model;
  readonly field: Field;
  readonly kind: 'missing' | 'null' | 'type' | 'value';
  /** As it was sent. */
  readonly value?: unknown;
  readonly on: On;
};

/** A request, as far as its line goes. */
export type Line = { readonly method: string; readonly model: string; readonly id?: string };

/**
 * One way to break a stated rule. A service asks each of these where it comes to it; all are left out in a healthy
 * service.
 */
export type Defect = {
  readonly name: string;
  /** The rules of which one has to fail. */
  readonly rules: readonly string[];
  /** The models that show it. */
  readonly models: readonly string[];
  /** Takes a request for another one. */
  readonly route?: (line: Line) => Line | undefined;
  /** Answers with a status before anything else does. */
  readonly answers?: (line: Line) => number | undefined;
  /** Lets something wrong pass. */
  readonly forgives?: (problem: Problem) => boolean;
  /** Refuses what is right. */
  readonly refuses?: (at: At) => boolean;
  /** Stores the valid values of a refused body. */
  readonly refused?: (at: At, rest: Row) => void;
  /** Answers with 500. */
  readonly breaks?: (at: At) => boolean;
  /** Operations that a model without them has all the same. */
  readonly opens?: readonly On[];
  /** Takes a readonly field from the client. */
  readonly takes?: (model: Model, field: Field, on: On) => boolean;
  /** Changes the stored values. */
  readonly values?: (values: Row, at: At) => Row;
  /** Does something more when a write is done. */
  readonly after?: (at: At) => void;
  /** Changes what is shown of a record. */
  readonly shown?: (row: Row, at: At) => Row;
  /** Changes the records of a list, before it is cut into pages. */
  readonly listed?: (rows: Row[], at: At) => Row[];
  /** Whether a list with this query also shows the records that are marked as deleted. */
  readonly showsMarked?: (query: URLSearchParams) => boolean;
  /** Changes a page of a list. */
  readonly page?: (rows: Row[], all: Row[]) => Row[];
  readonly total?: (total: number, shown: number) => number;
  /** Deletes nothing, and says it did. */
  readonly keeps?: (model: Model) => boolean;
  /** Deletes a record without its lines. */
  readonly leavesLines?: boolean;
  /** A DELETE on all records of the model takes them away. */
  readonly wipes?: string;
  /** Returns the response to an ID without a record. */
  readonly unknown?: (at: At) => 'answer' | 'create' | undefined;
};

/** One of these rules fails if a list does not show a record. */
export const LISTED = ['list.shows-record', 'list.shows-update', 'list.agrees', 'operations.list'];

export const without = (row: Row, name: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([key]) => key !== name));

/** One of these rules fails if the stored value differs from the sent one. */
export const SENT = [
  'create.keeps-field',
  'update.changes-field',
  'operations.create',
  'operations.update',
] as const;

/** False, as the service keeps it. */
export const no = (value: unknown) => (typeof value === 'number' ? 0 : false);
