import type { Catalogue, Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isObject } from '../api/places.ts';
import type { TargetRequest } from '../target/target.ts';

/** What a request asks for, in the words of section 4. */
export type Meaning = {
  readonly model: Model;
  /** `other` is a method that the record has no operation for, such as PUT. */
  readonly operation: Operation | 'other';
  /** Of the record in the path; undefined for a list and a create. */
  readonly id?: number;
  /** What is sent, in wire form; undefined where nothing is, or where it can't be read. */
  readonly sent?: RecordValues;
  /** The query of a list. */
  readonly query: Readonly<Record<string, string>>;
};

/** Undefined for a request that is about no model of the catalogue, or about no integer id. */
export function meaningOf(catalogue: Catalogue, request: TargetRequest): Meaning | undefined {
  if (!request.path.startsWith(`${catalogue.base}/`)) return undefined;
  const [name = '', id, ...more] = request.path.slice(catalogue.base.length + 1).split('/');
  const model = catalogue.models.get(name);
  if (!model || more.length > 0 || (id !== undefined && !/^\d{1,15}$/.test(id))) return undefined;
  const operation = operationOf(request.method, id !== undefined);
  const sent = request.values ?? readJson(request.body);
  return {
    model,
    operation,
    query: request.query ?? {},
    ...(id === undefined ? {} : { id: Number(id) }),
    ...(isObject(sent) ? { sent } : {}),
  };
}

function operationOf(method: string, hasId: boolean): Meaning['operation'] {
  if (method === 'GET') return hasId ? 'retrieve' : 'list';
  if (method === 'POST') return hasId ? 'update' : 'create';
  return method === 'DELETE' && hasId ? 'delete' : 'other';
}

/** The JSON of a body; undefined when it is none. */
export function readJson(body: string | undefined): unknown {
  try {
    return body === undefined || body === '' ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}
