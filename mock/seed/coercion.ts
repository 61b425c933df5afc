import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../../spec/catalogue/field.ts';
import { DEFAULT_PROFILE, type Profile } from '../../spec/profile/profile.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createValueValidators } from '../operations/validators.ts';

/** Makes canonical values such as the profile shows them: what is stored is then what is shown, and found by it. */
export type Coercion = {
  /** Whether values have the forms of the default profile. */
  readonly isDefault: boolean;
  /** The value as it comes back from its form on the wire, or why it has none. */
  asShown(field: Field, value: Value): { readonly value: Value } | { readonly wrong: string };
  /** The nearest that the profile has for a value that does not fit; undefined where the field stays unset. */
  replace(field: Field, value: Value, id: number): Value | undefined;
  /** A value for a required field without one: a link to `linked` where there is such a record, else a sample. */
  fill(field: Field, id: number, linked: number | undefined): Value;
};

export function createCoercion(profile: Profile): Coercion {
  const validate = createValueValidators(profile);
  const longest = profile['limits.text'];
  return {
    isDefault: isDeepStrictEqual(formsOf(profile), formsOf(DEFAULT_PROFILE)),
    asShown: (field, value) => {
      const { decode, encode } = WIRE_TYPES[field.type];
      const wire = encode(value, { field, profile });
      const [wrong] = validate(field, wire);
      if (wrong) return { wrong: `${wrong.pointer} ${wrong.message}` };
      return { value: decode(wire, { field, profile }) };
    },
    replace: (field, value, id) => {
      if (isText(field) && longest !== 'none') return [...String(value)].slice(0, longest).join('').trimEnd();
      // A member of another list is as good; another model or address would be one that nothing is at.
      if (field.type !== 'select' && !field.required) return undefined;
      return WIRE_TYPES[field.type].sample(id, { field, profile });
    },
    fill: (field, id, linked) => {
      if (linked !== undefined && field.type === 'int') return linked;
      if (field.type === 'manyToMany') return linked === undefined ? [] : [linked];
      const sample = WIRE_TYPES[field.type].sample(id, { field, profile });
      return typeof sample === 'string' && isText(field) && longest !== 'none'
        ? sample.slice(-longest)
        : sample;
    },
  };
}

/** The settings that a value's form on the wire rests on. */
function formsOf(profile: Profile): object {
  return Object.fromEntries(
    Object.entries(profile).filter(([name]) => /^(types|limits|values)\b/.test(name)),
  );
}
