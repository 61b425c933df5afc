import { EXCEPT, SENT, SETTINGS, type Setting, scopeOf, UNKNOWN } from '../../spec/profile/profile.ts';

type Schema = { readonly [keyword: string]: unknown };

/**
 * The JSON Schema of profile files, so that editors complete and check them. A setting has its dotted name as key, or
 * is nested in groups.
 */
export function profileSchema(): Schema {
  const answers: Record<string, Schema> = {};
  const dotted: Record<string, Schema> = {};
  const groups: Record<string, Record<string, Schema>> = {};
  const exceptions: Record<string, Schema> = {};
  const nested: Record<string, Record<string, Schema>> = {};
  for (const setting of SETTINGS) {
    const { default: own, name } = setting;
    // Editors don't know the words for messages.
    const schema = JSON.parse(
      JSON.stringify(setting.schema, (key, value) => (key === 'x-expected' ? undefined : value)),
    );
    answers[name] = {
      description: describeSetting(setting),
      default: own,
      anyOf: [
        schema,
        { const: UNKNOWN },
        ...(name.startsWith('types.') ? [UNKNOWN, SENT] : [UNKNOWN]).map((word) => unknownBut(word, schema)),
      ],
    };
    const answer = { $ref: `#/$defs/${name}` };
    dotted[name] = answer;
    const [group = '', member] = name.split('.');
    if (member !== undefined) groups[group] = { ...groups[group], [member]: answer };
    if (scopeOf(name) === 'service' || member === undefined) continue;
    exceptions[name] = schema;
    nested[group] = { ...nested[group], [member]: schema };
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A profile',
    description: 'Generated from spec/profile/settings by `npm run generate`.',
    type: ['object', 'null'],
    properties: {
      ...mappings(groups),
      ...dotted,
      [EXCEPT]: {
        type: 'object',
        description:
          'Models (customer) and fields (customer.disabled) that use other options. check fails for any other deviation, and for one that is gone.',
        additionalProperties: mapping({ ...mappings(nested), ...exceptions }),
      },
    },
    additionalProperties: false,
    $defs: answers,
  };
}

/** Returns the meaning of a setting, and the section of the source that leaves it open. */
export function describeSetting({ about, section }: Setting): string {
  return `${about} Not specified in section${section.includes(' and ') ? 's' : ''} ${section}.`;
}

function mappings(groups: Readonly<Record<string, Schema>>): Schema {
  return Object.fromEntries(Object.entries(groups).map(([group, members]) => [group, mapping(members)]));
}

function mapping(properties: Schema): Schema {
  return { type: 'object', properties, additionalProperties: false };
}

/** Not found out, with the value to go on with. */
function unknownBut(word: string, schema: Schema): Schema {
  return { ...mapping({ [word]: schema }), required: [word] };
}
