import type { Field, TypeName } from '../catalogue/field.ts';
import { NUMBER_TYPES } from './numbers.ts';
import { RECORD_TYPES } from './records.ts';
import { select } from './select.ts';
import { TEXT_TYPES } from './texts.ts';
import { TIME_TYPES } from './times.ts';
import { NO_SCALAR, type WireType } from './wire-type.ts';

/** `bool`: true and false, or 1 and 0 (`types.bool`). */
const bool: WireType = {
  schema: ({ profile }) =>
    profile['types.bool'] === 'bool'
      ? { type: 'boolean' }
      : { type: 'integer', format: 'int32', enum: [0, 1] },
  encode: (value, { profile }) => (profile['types.bool'] === 'bool' ? value : Number(value)),
  decode: (wire) => Boolean(wire),
  sample: (number) => number % 2 === 0,
  edges: () => [true, false],
  counterSamples: () => ['perhaps', 7, ...NO_SCALAR],
};

/** Every type of section 2 with its form on the wire. */
export const WIRE_TYPES: Readonly<Record<TypeName, WireType>> = {
  bool,
  select,
  ...NUMBER_TYPES,
  ...TEXT_TYPES,
  ...TIME_TYPES,
  ...RECORD_TYPES,
};

/** Whether the values of a field are texts as such, and not another thing that is written as a text. */
export function isText({ type }: Pick<Field, 'type'>): boolean {
  return WIRE_TYPES[type] === TEXT_TYPES.text;
}
