import { type FilterOperator, MOST_VALUES } from '../../spec/binding.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { show } from './messages.ts';
import { readTextValue } from './text-value.ts';
import { createValueValidators } from './validators.ts';

/** A longer part of a text is no search. */
const LONGEST_PART = 200;

/** What a list is filtered by, as canonical values; a text says what is wrong. */
export type OperandReader = {
  /** The one value of a field; null for one that is unset. */
  one(field: Field, text: string): readonly Value[] | string;
  /** What an operator is given (`list.filterOperators`). */
  several(field: Field, operator: FilterOperator, text: string): readonly Value[] | string;
};

export function createOperandReader(profile: Profile): OperandReader {
  const validate = createValueValidators(profile);
  return {
    one: (field, text) => read(field, [text], true),
    several: (field, operator, text) => {
      const expect = (expected: string) => `must be ${expected}, but is ${show(text)}`;
      if (operator === 'null')
        return text === 'true' || text === 'false' ? [text === 'true'] : expect('true or false');
      if (operator === 'contains')
        return text !== '' && text.length <= LONGEST_PART
          ? [text]
          : expect(`a string of 1 to ${LONGEST_PART} characters`);
      const parts = operator === 'in' ? text.split(',') : [text];
      return parts.length > MOST_VALUES
        ? `must have at most ${MOST_VALUES} values, but has ${parts.length}`
        : read(field, parts, false);
    },
  };

  function read(field: Field, texts: readonly string[], nullable: boolean): readonly Value[] | string {
    const wires = texts.map((text) => readTextValue(field, profile, text));
    if (!nullable && wires.includes(null))
      return `must be a value of type ${field.type}, but is ${show(texts.join())}`;
    const [wrong] = wires.flatMap((wire) => (wire === null ? [] : validate(field, wire)));
    return wrong ? wrong.message : wires.map((wire) => decode(field, wire));
  }

  function decode(field: Field, wire: Value): Value {
    if (wire === null) return null;
    try {
      return WIRE_TYPES[field.type].decode(wire, { field, profile });
    } catch {
      // Of the right form, and yet no value: no record has it.
      return wire;
    }
  }
}
