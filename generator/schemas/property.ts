import { schemaName } from '../../spec/binding.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Sources } from '../sources.ts';
import { namedChoices } from './choices.ts';
import { nullable, referTo, type SchemaOrReference, toSchema } from './schema.ts';

/** How a field stands in a schema. */
type Use = {
  /** Whether it may be null there. */
  readonly nullable: boolean;
  /** The schema of a line; given only where the lines stand in full. */
  readonly lineSchema?: string;
};

/** The schema of a field's value on the wire, with what is known and what is inferred of the field. */
export function propertySchema(field: Field, use: Use, sources: Sources): SchemaOrReference {
  const value = valueSchema(field, use, sources);
  const schema = use.nullable ? nullable(value) : value;
  const description = describe(field, sources, schema.description);
  return { ...schema, ...(description === '' ? {} : { description }), ...linkOf(field, sources) };
}

/** The type as the source names it. */
export function sourceType(field: Field): string {
  return field.lines === undefined ? field.type : `${schemaName(field.lines)}[]`;
}

/** The keyword `required` for some fields; JSON Schema has no use for an empty one. */
export function requiredList(fields: readonly Field[]): { required?: string[] } {
  return fields.length === 0 ? {} : { required: fields.map((field) => field.name) };
}

function valueSchema(field: Field, use: Use, sources: Sources): SchemaOrReference {
  const { profile } = sources;
  if (use.lineSchema !== undefined) return { type: 'array', items: referTo('schemas', use.lineSchema) };
  const choices = namedChoices(field, sources);
  const schema = toSchema(WIRE_TYPES[field.type].schema({ field, profile }));
  if (!choices) return schema;
  const member = referTo('schemas', choices.name);
  if (schema.type !== 'object') return member;
  return { ...schema, properties: { ...schema.properties, value: member } };
}

function describe(field: Field, sources: Sources, ofType: string | undefined): string {
  const about = field.about === undefined ? '' : `${schemaName(field.about)}.`;
  return [about, describeLink(field, sources), ofType ?? ''].filter((sentence) => sentence !== '').join(' ');
}

function describeLink(field: Field, { references }: Sources): string {
  const reference = references.get(field.key);
  if (reference === undefined) return '';
  const ids = field.type === 'manyToMany' ? 'Ids' : 'Id';
  return 'to' in reference
    ? `${ids} of \`${reference.to}\` (inferred: ${reference.why}).`
    : `${ids} of something outside this interface: ${reference.outside} (inferred).`;
}

function linkOf(field: Field, { references }: Sources): { 'x-reference'?: string } {
  const reference = references.get(field.key);
  return reference !== undefined && 'to' in reference ? { 'x-reference': reference.to } : {};
}
