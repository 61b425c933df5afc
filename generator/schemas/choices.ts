import type { Choice, Field } from '../../spec/catalogue/field.ts';
import { completeList } from '../../spec/profile/profile.ts';
import { choicesOf } from '../../spec/types/select.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Sources } from '../sources.ts';
import { choicesName, identifiers } from './names.ts';
import { type Schema, toSchema } from './schema.ts';

/** A value list as a named schema. */
type NamedChoices = { readonly name: string; readonly schema: Schema };

/** The value list of a field, the catalogue's or the profile's (`values`); undefined where there is none. */
export function namedChoices(field: Field, { catalogue, profile }: Sources): NamedChoices | undefined {
  const choices = listOf(field);
  if (!choices) return undefined;
  const whole = WIRE_TYPES[field.type].schema({ field, profile });
  return {
    name: choicesName(field, catalogue.models),
    schema: {
      // Under `types.select: object` the list is that of the value inside { value, name }.
      ...toSchema(whole.properties?.value ?? whole),
      description: describeChoices(field, choices),
      'x-enum-varnames': identifiers(choices.map((choice) => choice.name)),
      'x-enum-descriptions': choices.map((choice) => choice.name),
    },
  };

  function listOf({ type }: Field): readonly Choice[] | undefined {
    if (type === 'select') return choicesOf({ field, profile });
    if (type !== 'fkModel') return undefined;
    return completeList(profile.values, 'fkModel')?.map((model) => ({ value: model, name: String(model) }));
  }
}

function describeChoices(field: Field, choices: readonly Choice[]): string {
  const subject = field.type === 'fkModel' ? 'an fkModel' : `\`${field.key}\``;
  const origin = field.choices ? 'Values of' : 'Assumed values of';
  const list = choices.map(({ value, name }) => `- \`${value}\`: ${name.replace(/\s+/g, ' ')}`);
  return `${origin} ${subject}:\n\n${list.join('\n')}`;
}
