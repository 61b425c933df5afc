import type { Field, TypeName } from '../catalogue/field.ts';
import { bool } from './bool.ts';
import { NUMBER_TYPES } from './numbers/numbers.ts';
import { RECORD_TYPES } from './records/records.ts';
import { select } from './select.ts';
import { TEXT_TYPES } from './texts/texts.ts';
import { TIME_TYPES } from './times/times.ts';
import type { WireType } from './wire-type.ts';

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
