import { schemaName } from '../../spec/binding.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { basesOf, weakestOf } from '../../spec/meta/meta.ts';
import { type Profile, profileAt, SETTINGS, typeSetting } from '../../spec/profile/profile.ts';
import { refusesBlank, valueListOf, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Sources } from '../sources.ts';
import { listChoices, referToChoices } from './choices.ts';
import { notationOf } from './names.ts';
import {
  besideOthers,
  nullable,
  type Schema,
  type SchemaOrReference,
  type SchemaReference,
  toSchema,
} from './schema.ts';

/** How a schema uses a field. */
type Use = {
  /** Whether it may be null there. */
  readonly orNull: boolean;
  /** The schema of a line, if records contain their lines. */
  readonly line?: SchemaReference | undefined;
  /** Whether a client sends it. */
  readonly isSent: boolean;
};

/** Returns the schema of a field's value on the wire, with the stated and inferred facts about the field. */
export function propertySchema(field: Field, use: Use, sources: Sources): SchemaOrReference {
  const reference = sources.references.get(field.key);
  const value = valueSchema(field, use, sources);
  const bases = basesOf(field, sources);
  const { minLength: _, ...ofResponses } = bases;
  const { flags, type } = notationOf(field);
  const { profile, version } = sources;
  const orNull = { type: WIRE_TYPES[field.type].schema({ field, profile }).type, nullable: true } as Schema;
  return {
    ...besideOthers(value, version),
    // In OpenAPI 3.0, code generators look for null next to a reference, not in its target.
    ...('$ref' in value && use.orNull && version === '3.0' ? orNull : {}),
    ...describe(field, sources),
    ...exampleOf(field, sources),
    'x-type': type,
    ...(flags.length > 0 && { 'x-flags': flags }),
    'x-basis': weakestOf(Object.values(use.isSent ? bases : ofResponses)),
    ...(reference !== undefined && 'to' in reference ? { 'x-reference': reference.to } : {}),
  };
}

/** A number whose samples read well: half past nine, 286.25, 42.5. */
const SAMPLE = 570;

/** Returns an example for a text with a pattern, because tools that generate samples ignore patterns. */
function exampleOf(field: Field, { profile, version }: Sources): Pick<Schema, 'example' | 'examples'> {
  const type = WIRE_TYPES[field.type];
  if (type.schema({ field, profile }).pattern === undefined) return {};
  const example = type.encode(type.sample(SAMPLE, { field, profile }), { field, profile });
  return version === '3.0' ? { example } : { examples: [example] };
}

function valueSchema(field: Field, { isSent, line, orNull }: Use, sources: Sources): SchemaOrReference {
  const choices = referToChoices(field, { orNull }, sources);
  if (choices) return choices;
  const schema = line
    ? ({ type: 'array', items: line } as const)
    : toSchema(WIRE_TYPES[field.type].schema({ field, profile: sources.profile }));
  if (isSent && refusesBlank(field, sources.profile)) return { ...schema, minLength: 1 };
  return orNull ? nullable(schema, sources.version) : schema;
}

/** Returns what neither the type nor the name of a field says; nothing if there is nothing to add. */
function describe(field: Field, sources: Sources): { readonly description?: string } {
  const form = formOf(field, sources.profile);
  const choices = valueListOf({ field, profile: profileAt(sources.profile, field.key) });
  const sentences = [
    field.about === undefined ? '' : `${schemaName(field.about)}.`,
    describeLink(field, sources),
    form === undefined ? '' : `${form} (assumed).`,
    // Here, too, because readers of a document without references lose the description of the list.
    choices ? `${listChoices(choices)}.` : '',
  ];
  const description = sentences.filter((sentence) => sentence !== '').join(' ');
  return description === '' ? {} : { description };
}

function describeLink(field: Field, { references }: Sources): string {
  const reference = references.get(field.key);
  if (reference === undefined) return '';
  const [ids, records] = field.type === 'manyToMany' ? ['IDs', 'records'] : ['ID', 'record'];
  return 'to' in reference
    ? `${ids} of the linked \`${reference.to}\` ${records} (inferred: ${reference.why}).`
    : `${ids} of the linked ${records} outside this API: ${reference.outside} (inferred).`;
}

/** How a field looks on the wire, where the source leaves that open; undefined where its type says all. */
function formOf(field: Field, profile: Profile): string | undefined {
  const name = typeSetting(field);
  const setting = SETTINGS.find((one) => one.name === name);
  return name && setting?.forms?.[String(profileAt(profile, field.key)[name])];
}
