import type { Catalogue, Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { readJson } from './answer.ts';
import type { Call } from './api.ts';
import { isIntegerId, isObject } from './places.ts';

/** The meaning of a request in section 4. */
export type Meaning = {
  readonly model: Model;
  /** `other` is a method without an operation, such as PUT. */
  readonly operation: Operation | 'other';
  /** The ID in the path; undefined for a list and a create. */
  readonly id?: number;
  /** The body in wire form; undefined if there is none, or it can't be read. */
  readonly sent?: RecordValues;
  /** The query of a list. */
  readonly query: Readonly<Record<string, string>>;
};

/** Returns the meaning of a request; undefined if it names no model of the catalogue, or no integer ID. */
export function meaningOf({ models }: Catalogue, call: Call): Meaning | undefined {
  const { id, operation = 'other', request, sent } = call;
  const model = models.get(call.model ?? '');
  if (!model || (id !== undefined && !isIntegerId(id))) return undefined;
  const body = sent ?? readJson(request.body ?? '').json;
  return {
    model,
    operation,
    query: request.query ?? {},
    ...(id === undefined ? {} : { id: Number(id) }),
    ...(isObject(body) ? { sent: body } : {}),
  };
}
