import { isDeepStrictEqual } from 'node:util';
import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import { choicesOf, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { At } from './defect.ts';

type InContract = Pick<At, 'field' | 'profile' | 'references'>;
type Typed = Pick<At, 'field' | 'profile'>;

/** For each type, a form that is invalid under every profile. */
const WRONG_FORMS: Readonly<Record<TypeName, unknown>> = {
  int: '7',
  float: '7.5',
  currency: true,
  percent: true,
  string: 7,
  text: 7,
  markdown: 7,
  bool: 'yes',
  date: 20251022,
  time: 930,
  datetime: 1761125400,
  email: 'nobody',
  url: 'no address',
  image: 7,
  duration: true,
  daysOfWeek: 'monday',
  select: ['no-member'],
  manyToMany: '1,2',
  fkModel: 7,
  lines: 'no-list',
};

export function wrongForm({ type }: Field): unknown {
  return WRONG_FORMS[type];
}

/** Returns a valid canonical value that is not the given one; the same one only if a type has no other. */
export function otherValue(typed: Typed, value: Value | undefined): Value {
  for (let number = 1; number < 9; number++) {
    const kept = asKept(typed, WIRE_TYPES[typed.field.type].sample(number, typed));
    if (!isDeepStrictEqual(kept, value)) return kept;
  }
  return value ?? null;
}

/** Returns another member of the value list of a field; the same one only if there is no other. */
export function otherMember(typed: Typed, value: Value): Value {
  return (choicesOf(typed) ?? []).find((choice) => choice.value !== value)?.value ?? value;
}

/** Whether a profile allows all moves of a field. If it lists moves, it rejects every other value. */
export function movesFreely({ field: { key }, profile: { transitions } }: Typed): boolean {
  return transitions === 'any' || !Object.hasOwn(transitions, key);
}

/** Returns a canonical value as it comes back from its form on the wire. */
export function asKept(typed: Typed, value: Value): Value {
  const { decode, encode } = WIRE_TYPES[typed.field.type];
  return decode(encode(value, typed), typed);
}

/** Returns the name of a value in the detail of a place. */
export function nameOf(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the names of values outside the type or value list of a field. */
export function outsideOf(typed: Typed): string[] {
  return WIRE_TYPES[typed.field.type].counterSamples(typed).map(nameOf);
}

/** Returns the names of all values of a boolean, or of a field with a value list. */
export function membersOf(typed: Typed): string[] {
  if (typed.field.type === 'bool') return ['false', 'true'];
  return (choicesOf(typed) ?? []).map(({ value }) => nameOf(value));
}

/** Whether a value is the one with that name; in a form, the numbers of an object are strings. */
export function isNamed(value: Value, name: string): boolean {
  return nameOf(value).replaceAll('"', '') === name.replaceAll('"', '');
}

/** Whether only the creation and the deletion of a record set a common field. */
export function isOrigin({ field }: Pick<At, 'field'>): boolean {
  const { role = 'updated' } = field;
  return isIdField(field) || ['created', 'createdBy', 'deleted'].includes(role);
}

/** Returns another value of a common field: a number, a boolean, or a time. */
export function shifted(value: Value | undefined): Value {
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : '2001-01-01T00:00:00Z';
}

/**
 * Whether responses show a stored value of another type. Some wire forms show it as unset, or as zero. If links must
 * lead to a record, the mock rejects a link that is not an ID.
 */
export function isShownAsStored({ field, profile, references }: InContract): boolean {
  const reference = references.get(field.key);
  if (reference && 'to' in reference && profile['request.references'] === 'reject') return false;
  const { counterSamples, encode } = WIRE_TYPES[field.type];
  return counterSamples({ field, profile }).every((value) => {
    try {
      return isDeepStrictEqual(encode(value, { field, profile }), value);
    } catch {
      return false;
    }
  });
}
