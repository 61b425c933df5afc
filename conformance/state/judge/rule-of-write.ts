import type { Field } from '../../../spec/catalogue/field.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { KnownRecord } from '../known-record.ts';
import type { LoggedWrite } from '../write-log.ts';

/** The case that answers for what a write did to a record: to another one, or to one whose model has no such write. */
export function ruleOfWrite(write: LoggedWrite, record?: KnownRecord): string {
  const { exchange, id, model, operation } = write;
  const method = exchange?.request.method.toLowerCase() ?? 'put';
  if (operation === 'other') return `absent.${method === 'delete' ? 'delete-all' : method}:${model.name}`;
  const isAsked = record !== undefined && id === record.id && model === record.model;
  if (isAsked && !model.operations.includes(operation)) return `absent.operation:${model.name}=${operation}`;
  const isOnRecord = operation === 'update' || operation === 'delete';
  return `${isOnRecord ? `${operation}.keeps-other-records` : 'create.distinct'}:${model.name}`;
}

/** The rule that a change by a refused update breaks. */
export function ruleOfRefused(field: Field, all: ReadonlyMap<string, Value | undefined>): string {
  if (!all.has(field.name)) return 'update.keeps-other-fields';
  const sent = all.get(field.name);
  if (sent === null && field.required) return 'required.on-update';
  return sent === undefined ? 'fields.wrong-type-on-update' : 'update.changes-field';
}

/** The rule of a list that does not agree. */
export function listRule({ isOwn, lastWrite }: KnownRecord): string {
  if (!isOwn || !lastWrite) return 'list.agrees';
  return lastWrite.operation === 'create' ? 'list.shows-record' : 'list.shows-update';
}
