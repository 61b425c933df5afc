import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';

/** A valid canonical value that is not the given one; the same one only where a type has no other. */
export function otherValue(field: Field, value: Value | undefined, profile: Profile): Value {
  for (let number = 1; number < 9; number++) {
    const sample = WIRE_TYPES[field.type].sample(number, { field, profile });
    const kept = asKept(field, sample, profile);
    if (!isDeepStrictEqual(kept, value)) return kept;
  }
  return value ?? null;
}

/** A canonical value as it comes back from its form on the wire. */
export function asKept(field: Field, value: Value, profile: Profile): Value {
  const { decode, encode } = WIRE_TYPES[field.type];
  return decode(encode(value, { field, profile }), { field, profile });
}

/** Returns the name of a value in the detail of a place. */
export function nameOf(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A common field that nothing but the making and the deleting of a record sets. */
export function isOrigin(field: Field): boolean {
  const { role = 'updated' } = field;
  return isIdField(field) || ['created', 'createdBy', 'deleted'].includes(role);
}

/** Returns another value of a common field: a number, a boolean, or a time. */
export function shifted(value: Value | undefined): Value {
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : '2001-01-01T00:00:00Z';
}
