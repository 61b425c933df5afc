import type { Field } from '../../../spec/catalogue/field.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isUnset } from '../../assert/agreement.ts';
import type { WireCheck } from '../../assert/wire-check.ts';

/** Whether what is shown of a field can be held against the target: a form of another setting says nothing. */
export function isReadable(check: WireCheck, field: Field, wire: RecordValues): boolean {
  const value = Object.hasOwn(wire, field.name) ? wire[field.name] : undefined;
  if (value === undefined || isUnset(field, value) || check.complaint(field, value) === undefined)
    return true;
  return check.otherOption(field, value) === undefined;
}
