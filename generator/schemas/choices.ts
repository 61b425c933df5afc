import { schemaName } from '../../spec/binding.ts';
import type { Choice, Field } from '../../spec/catalogue/field.ts';
import { valueListOf, WIRE_TYPES } from '../../spec/types/types.ts';
import type { TypeSchema } from '../../spec/types/wire-type.ts';
import type { Sources } from '../sources.ts';
import { choicesName, identifiers } from './names.ts';
import { nullable, type Schema, type SchemaOrReference, toSchema } from './schema.ts';

/**
 * Refers to the named schema of a select or an fkModel: its value list, or the object around a member. Returns
 * undefined if any text is valid. In OpenAPI 3.0, a nullable list is another named schema, because tools ignore
 * `nullable` next to a reference.
 */
export function referToChoices(
  field: Field,
  { orNull }: { readonly orNull: boolean },
  given: Sources,
): SchemaOrReference | undefined {
  if (field.type !== 'select' && field.type !== 'fkModel') return undefined;
  const { catalogue, components, profile, version } = given;
  const hasOwn = Object.hasOwn(profile.except, field.key);
  const whole = WIRE_TYPES[field.type].schema({ field, profile });
  const choices = valueListOf({ field, profile });
  const name =
    (hasOwn ? field.key.split('.').map(schemaName).join('') : '') + choicesName(field, catalogue.models);
  if (whole.type === 'object')
    return refer(`${name}Object`, orNull, (owner) => objectOf(owner, whole, choices));
  if (!choices) return undefined;
  return refer(name, orNull, () => listSchema(field, whole, choices));

  function refer(called: string, mayBeNull: boolean, make: (owner: string) => Schema): SchemaOrReference {
    if (mayBeNull && version === '3.1') return { anyOf: [refer(called, false, make), { type: 'null' }] };
    const full = mayBeNull ? `${called}OrNull` : called;
    const owner = `the value list of ${field.type === 'fkModel' ? 'fkModel' : field.key}`;
    return components.refer('schemas', full, owner, () =>
      mayBeNull ? nullable(make(owner), version) : make(owner),
    );
  }

  function objectOf(owner: string, schema: TypeSchema, members: readonly Choice[] | undefined): Schema {
    const value = schema.properties?.value ?? { type: 'string' };
    const list = members && components.refer('schemas', name, owner, () => listSchema(field, value, members));
    return {
      type: 'object',
      description: `A member of the value list of \`${field.key}\`, with its name.`,
      'x-basis': 'assumed',
      required: ['value'],
      properties: {
        value: list ?? toSchema(value),
        name: { type: 'string', description: 'The name of the member.' },
      },
    };
  }
}

function listSchema(field: Field, values: TypeSchema, choices: readonly Choice[]): Schema {
  return {
    ...toSchema(values),
    description: describeChoices(field, choices),
    'x-basis': field.choices ? 'stated' : 'assumed',
    'x-enum-varnames': identifiers(choices, schemaName(field.name)),
    'x-enum-descriptions': choices.map((choice) => choice.name),
  };
}

/** Returns the members of a value list on one line, such as `0: open, 1: closed`. */
export function listChoices(choices: readonly Choice[]): string {
  const called = ({ value, name }: Choice) =>
    name === String(value) ? name : `${value}: ${name.replace(/\s+/g, ' ')}`;
  return choices.map(called).join(', ');
}

function describeChoices(field: Field, choices: readonly Choice[]): string {
  const subject = field.type === 'fkModel' ? 'an fkModel' : `\`${field.key}\``;
  const origin = field.choices ? 'Values of' : 'Assumed values of';
  const list = choices.map(({ value, name, english }) => {
    const called = name.replace(/\s+/g, ' ');
    return `- \`${value}\`: ${called}${english === undefined ? '' : ` (\`${english}\`)`}`;
  });
  return `${origin} ${subject}:\n\n${list.join('\n')}`;
}
