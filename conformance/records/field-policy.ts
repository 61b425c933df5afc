import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';

/** What the user and the target's own refusals say of the values of single fields, for the whole run. */
export type FieldPolicy = {
  /** The value that the user wants in everything that is made. */
  pinned(field: Field): Value | undefined;
  /** Why a field is not sent; undefined where it is. */
  whyLeftOut(field: Field): string | undefined;
  /** From now on the field is not sent. */
  leaveOut(field: Field, why: string): void;
  /** A valid value; equal numbers give equal values. */
  sample(field: Field, number: number, profile: Profile): Value;
};

export function createFieldPolicy(pins: ReadonlyMap<string, Value> = new Map()): FieldPolicy {
  const leftOut = new Map<string, string>();
  return {
    pinned: ({ key }) => pins.get(key),
    whyLeftOut: ({ key }) => leftOut.get(key),
    leaveOut: ({ key }, why) => void leftOut.set(key, why),
    sample: (field, number, profile) => WIRE_TYPES[field.type].sample(number, { field, profile }),
  };
}
