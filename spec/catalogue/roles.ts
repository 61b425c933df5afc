import { onceFor } from '../once-for.ts';
import type { Value } from '../types/wire-type.ts';
import type { Model } from './catalogue.ts';
import type { Field, Role } from './field.ts';

const byRole = onceFor(
  ({ fields }: Model): ReadonlyMap<Role, Field> =>
    new Map(fields.flatMap((field) => (field.role ? [[field.role, field] as const] : []))),
);

/** Whether a field is the ID of a record. */
export function isIdField({ common, name }: Field): boolean {
  return common && name === 'id';
}

/** Returns the field of a model that has a role; undefined if the model has none. */
export function fieldOf(model: Model, role: Role): Field | undefined {
  return byRole(model).get(role);
}

/** Returns the value that a record has in the field with a role; undefined if the model has no such field. */
export function readRole<V = Value>(
  model: Model,
  role: Role,
  record: Readonly<Record<string, V>>,
): V | undefined {
  const name = fieldOf(model, role)?.name;
  return name === undefined || !Object.hasOwn(record, name) ? undefined : record[name];
}

/** Whether a record, in canonical values, is marked as deleted. */
export function isDeleted(model: Model, record: Readonly<Record<string, unknown>>): boolean {
  return readRole(model, 'deleted', record) === true;
}
