import type { OpenAPIV3, OpenAPIV3_1 } from 'openapi-types';
import type { TypeSchema } from '../../spec/types/wire-type.ts';

/** What the source says of a field and JSON Schema has no word for. */
type Extensions = {
  /** The type as the source names it, such as `currency` or `StockInvoiceLine[]`. */
  'x-type'?: string;
  /** The model whose ids the field holds; inferred, never stated. */
  'x-reference'?: string;
  'x-enum-varnames'?: string[];
  'x-enum-descriptions'?: string[];
};

export type Schema = OpenAPIV3_1.SchemaObject & Extensions;
/** In OpenAPI 3.1 a reference may stand beside other keywords. */
export type SchemaReference = OpenAPIV3_1.ReferenceObject & Extensions & { readOnly?: boolean };
export type SchemaOrReference = Schema | SchemaReference;

export function referTo(
  part: 'schemas' | 'responses' | 'parameters' | 'examples',
  name: string,
): SchemaReference {
  return { $ref: `#/components/${part}/${name}` };
}

/** A type's schema as a schema of the document. */
export function toSchema(schema: TypeSchema): Schema {
  const { type, items, ...rest } = plainKeywords(schema);
  if (type === 'array') return { type, ...rest, items: items ? toSchema(items) : {} };
  return { type, ...rest, ...propertiesOf(schema) };
}

/** The same for a parameter, whose typings are those of OpenAPI 3.0; scalars only. */
export function toParameterSchema(schema: TypeSchema): OpenAPIV3.SchemaObject {
  const { type, items: _items, ...rest } = plainKeywords(schema);
  return type === 'array' ? { type, ...rest, items: {} } : { type, ...rest };
}

/** The same schema, with null allowed. */
export function nullable(schema: SchemaOrReference): Schema {
  if ('$ref' in schema || schema.type === undefined) return { anyOf: [schema, { type: 'null' }] };
  const values: unknown[] | undefined = schema.enum;
  return {
    ...schema,
    type: [...[schema.type].flat(), 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  };
}

function plainKeywords(schema: TypeSchema) {
  const { properties: _properties, required: _required, enum: values, ...rest } = schema;
  return { ...rest, ...(values ? { enum: [...values] } : {}) };
}

function propertiesOf({ properties, required }: TypeSchema): Pick<Schema, 'properties' | 'required'> {
  if (!properties) return {};
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, toSchema(property)]),
    ),
    ...(required ? { required: [...required] } : {}),
  };
}
