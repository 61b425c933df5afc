import type { OpenAPIV3_1 } from 'openapi-types';
import type { Basis } from '../../spec/meta/meta.ts';
import type { TypeSchema } from '../../spec/types/wire-type.ts';
import type { OpenApiVersion } from '../version.ts';

/** Facts about a field that JSON Schema has no keyword for. */
type Extensions = {
  /** The type as the source names it, such as `currency` or `StockInvoiceLine[]`. */
  'x-type'?: string;
  /** The flags of the source: required and readonly. */
  'x-flags'?: ('req' | 'ro')[];
  /** The model whose ids the field holds; inferred, never stated. */
  'x-reference'?: string;
  /** The weakest basis of the facts in the part. */
  'x-basis'?: Basis;
  'x-enum-varnames'?: string[];
  'x-enum-descriptions'?: string[];
};

/** The keywords of the document's schemas that JSON Schema does not have. */
export const EXTENSIONS: readonly (keyof Extensions)[] = [
  'x-type',
  'x-flags',
  'x-reference',
  'x-basis',
  'x-enum-varnames',
  'x-enum-descriptions',
];

export type Schema = OpenAPIV3_1.SchemaObject &
  Extensions & {
    propertyNames?: object;
    /** OpenAPI 3.0 has this keyword in place of the type `null`. */
    nullable?: true;
  };
/** In OpenAPI 3.1, a reference can have other keywords next to it. */
export type SchemaReference = OpenAPIV3_1.ReferenceObject & Extensions & { readOnly?: boolean };
export type SchemaOrReference = Schema | SchemaReference;

/** A type's schema as a schema of the document, which has its own descriptions. */
export function toSchema({ description: _, items, ...schema }: TypeSchema): Schema {
  // A copy, so that no two parts of a document are one object.
  return structuredClone({ ...schema, ...(items && { items: toSchema(items) }) }) as Schema;
}

/** The same schema, with null allowed. */
export function nullable(schema: Schema, version: OpenApiVersion): Schema {
  const values: unknown[] | undefined = schema.enum;
  return {
    ...schema,
    ...(version === '3.0' ? { nullable: true } : { type: [...[schema.type ?? []].flat(), 'null'] }),
    // Also in 3.0, a nullable value with an enum can be null only if the enum contains null.
    ...(values ? { enum: [...values, null] } : {}),
  } as Schema;
}

/** Returns a schema that allows other keywords next to it. OpenAPI 3.0 ignores those next to a reference. */
export function besideOthers(schema: SchemaOrReference, version: OpenApiVersion): SchemaOrReference {
  return '$ref' in schema && version === '3.0' ? { allOf: [schema] } : schema;
}
