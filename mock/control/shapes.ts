import type { Operation } from '../../spec/catalogue/catalogue.ts';

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
