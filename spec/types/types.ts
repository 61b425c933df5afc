import type { Choice, Field, TypeName } from '../catalogue/field.ts';
import { completeList, type Profile, workingValues } from '../profile/profile.ts';
import { NUMBER_TYPES } from './numbers.ts';
import { RECORD_TYPES } from './records.ts';
import { TEXT_TYPES } from './texts.ts';
import { TIME_TYPES } from './times.ts';
import { type Context, NO_SCALAR, type TypeSchema, type Value, type WireType } from './wire-type.ts';

/** `select`: a member of a value list, as its value, as a text, or as an object (`types.select`). */
const select: WireType = {
  schema: (context) => {
    const member = memberSchema(context);
    if (context.profile['types.select'] !== 'object') return member;
    return { type: 'object', properties: { value: member, name: { type: 'string' } }, required: ['value'] };
  },
  encode: (value, context) => {
    switch (context.profile['types.select']) {
      case 'value':
        return value;
      case 'string':
        return String(value);
      case 'object': {
        const name = choicesOf(context)?.find((choice) => choice.value === value)?.name;
        return { value, ...(name === undefined ? {} : { name }) };
      }
    }
  },
  decode: (wire, context) => {
    const value = isObject(wire) ? (wire.value as Value) : wire;
    return choicesOf(context)?.find((choice) => String(choice.value) === String(value))?.value ?? value;
  },
  sample: (number, context) => {
    const values =
      choicesOf(context)?.map((choice) => choice.value) ??
      workingValues(context.profile.values, context.field.key);
    return values?.[number % values.length] ?? `option ${number}`;
  },
  edges: (context) => choicesOf(context)?.map((choice) => choice.value) ?? [],
  counterSamples: (context) => {
    const choices = choicesOf(context);
    if (!choices) return NO_SCALAR;
    const outside = outsideOf(choices);
    return context.profile['types.select'] === 'object' ? outside.map((value) => ({ value })) : outside;
  },
};

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

/** The value list of a select: the catalogue's, else the one the profile gives under `values`, else none. */
export function choicesOf({ field, profile }: Context): readonly Choice[] | undefined {
  return field.choices ?? learnedChoices(field, profile);
}

function learnedChoices(field: Field, profile: Profile): Choice[] | undefined {
  return completeList(profile.values, field.key)?.map((value) => ({ value, name: String(value) }));
}

function memberSchema(context: Context): TypeSchema {
  const values = choicesOf(context)?.map((choice) => choice.value);
  const asText = context.profile['types.select'] === 'string' || typeof values?.[0] !== 'number';
  if (!values) return { type: 'string' };
  if (asText) return { type: 'string', enum: values.map(String) };
  if (!values.every(Number.isInteger)) return { type: 'number', format: 'double', enum: values };
  return { type: 'integer', format: values.every(isInt32) ? 'int32' : 'int64', enum: values };
}

function isInt32(value: string | number): boolean {
  return value === Number(value) && value === (value | 0);
}

/** Values near the list but not in it: past both ends, in its gaps, and of the wrong kind. */
function outsideOf(choices: readonly Choice[]): Value[] {
  const values = choices.map((choice) => choice.value);
  if (typeof values[0] === 'string')
    return ['zz', values[0].toUpperCase(), values[0].toLowerCase(), 'no-member']
      .filter((text) => !values.includes(text))
      .slice(0, 2);
  const numbers = values as number[];
  const span = Array.from({ length: 20 }, (_, index) => Math.min(...numbers) - 1 + index);
  const gaps = span.filter((number) => !numbers.includes(number));
  return [...new Set([...gaps.slice(0, 3), Math.max(...numbers) + 1, 'no-member'])];
}

function isObject(value: Value): value is Readonly<Record<string, Value>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
