import type { Operation } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { stringifyForm } from '../../spec/wire/form.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { TargetRequest } from '../target/target.ts';

/** What a request means in section 4, as its method and path say. */
type Meaning = { readonly operation?: Operation; readonly model?: string; readonly id?: string };

/** The operation, model and id of a request, by its method and path. */
export function meaningOf({ method, path }: TargetRequest): Meaning {
  const [, model = '', id, ...more] = path.split('/').map(decode);
  if (more.length > 0) return {};
  const operation = operationOf(method, id !== undefined);
  return { model, ...(id === undefined ? {} : { id }), ...(operation ? { operation } : {}) };
}

/** What a method asks for, of all records or of the one in the path. */
export function operationOf(method: string, ofOne: boolean): Operation | undefined {
  return OPERATION_OF[`${method} ${ofOne ? 'one' : 'all'}`];
}

const OPERATION_OF: Readonly<Record<string, Operation>> = {
  'GET all': 'list',
  'GET one': 'retrieve',
  'POST all': 'create',
  'POST one': 'update',
  'DELETE one': 'delete',
};

/** A body in the encoding of a profile. */
export function written(body: RecordValues, profile: Profile): Pick<TargetRequest, 'body' | 'headers'> {
  return profile['request.encoding'] === 'form'
    ? { body: stringifyForm(body), headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** The path of a model or record behind the base. */
export function pathOf(model: string, id?: unknown): string {
  return `/${encodeURIComponent(model)}${id === undefined ? '' : `/${encodeURIComponent(String(id))}`}`;
}

function decode(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
