import type { Field } from '../../../spec/catalogue/field.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isUnset } from '../../assert/agreement.ts';
import type { WireCheck } from '../../assert/wire-check.ts';

/** Whether a shown value can be judged: one in a form of another option can't. */
export function isReadable(check: WireCheck, field: Field, wire: RecordValues): boolean {
  const value = Object.hasOwn(wire, field.name) ? wire[field.name] : undefined;
  if (value === undefined || isUnset(field, value) || check.complaint(field, value) === undefined)
    return true;
  return check.otherOption(field, value) === undefined;
}
