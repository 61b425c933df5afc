import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import type { TypeSchema, Value } from '../../spec/types/wire-type.ts';

const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/**
 * Reads a field's value on the wire where everything is text: in forms and in queries. What can't be read stays as
 * it is, for the schema to refuse. An empty text is null for all but texts.
 */
export function readTextValue(field: Field, profile: Profile, text: Value): Value {
  if (text === '') return isText(field) ? text : null;
  return readText(WIRE_TYPES[field.type].schema({ field, profile }), text);
}

function readText(schema: TypeSchema, text: Value): Value {
  if (Array.isArray(text)) return text.map((item) => readText(schema.items ?? schema, item));
  if (text !== null && typeof text === 'object') {
    const members = Object.entries(text).map(([name, value]) => {
      const member = Object.entries(schema.properties ?? {}).find(([known]) => known === name)?.[1];
      return [name, member ? readText(member, value) : value] as const;
    });
    return Object.fromEntries(members);
  }
  if (typeof text !== 'string') return text;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return NUMBER.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : text);
    default:
      return text;
  }
}
