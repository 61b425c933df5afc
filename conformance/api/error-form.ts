import type { Profile } from '../../spec/profile/profile.ts';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import type { TargetResponse } from '../target/exchange.ts';
import { isId, isObject, placesIn } from './places.ts';

type Read = TargetResponse & { readonly json: unknown };

/** The form of an error's body (setting `errors.form`); undefined where it is none of those. */
export function errorFormOf({ body, headers, json }: Read): Profile['errors.form'] | undefined {
  if (body.trim() === '') return 'empty';
  if (headers['content-type']?.startsWith('application/problem+json')) return 'problem';
  return valueAt(json, '/error') === undefined ? undefined : 'simple';
}

/**
 * Whether an answer that its status calls a success is an error all the same: it has that form, and shows no record.
 * Section 7 leaves statuses and payloads of errors open.
 */
export function isErrorInside(read: Read): boolean {
  if (read.status < 200 || read.status > 299 || !isObject(read.json)) return false;
  const form = errorFormOf(read);
  const saysNo = form === 'problem' || (form === 'simple' && Boolean(valueAt(read.json, '/error')));
  return saysNo && !placesIn(read.json).some(({ value }) => isObject(value) && isId(value.id));
}
