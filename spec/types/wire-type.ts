import type { Field } from '../catalogue/field.ts';
import type { Profile } from '../profile/profile.ts';

/** A JSON value. In canonical form it is what the default profile shows on the wire. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };

/** The most items a list that is sent may have: comparing them with each other must not become the work of minutes. */
export const LONGEST_LIST = 2000;

/** A JSON Schema (2020-12) of the few keywords that types use. */
export type TypeSchema = {
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'array' | 'object';
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly uniqueItems?: boolean;
  readonly items?: TypeSchema;
  readonly properties?: Readonly<Record<string, TypeSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly description?: string;
};

/** The input for the wire form of a field: its catalogue entry and the profile. */
export type Context = { readonly field: Field; readonly profile: Profile };

/** How the values of one type look on the wire, under each option of its setting (section 2, last paragraph). */
export type WireType = {
  /** The schema of a value that is set. */
  schema(context: Context): TypeSchema;
  /** Canonical → wire. The value is not null. */
  encode(value: Value, context: Context): Value;
  /** Wire → canonical. The value obeys the schema; throws TypeError when it means nothing all the same. */
  decode(wire: Value, context: Context): Value;
  /**
   * Canonical values that are valid, for a number that tells records apart: equal numbers give equal values,
   * neighboring numbers different ones wherever the type has more than one value.
   */
  sample(number: number, context: Context): Value;
  /** Canonical values at the edges of the type that a service has to take too. */
  edges(context: Context): readonly Value[];
  /** Values as sent that are not of the type under this profile. Form bodies hold only text, lists and objects. */
  counterSamples(context: Context): readonly Value[];
};

/** Values that are no wire form of a scalar, in JSON and in a form body. */
export const NO_SCALAR: readonly Value[] = [{ a: 'b' }, ['a', 'b']];
