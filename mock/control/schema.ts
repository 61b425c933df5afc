export type ActionSchema = Readonly<Record<string, unknown>>;
export type Parameter = { readonly description: string; readonly schema: ActionSchema };

export const TEXT = { type: 'string' };
export const BOOLEAN = { type: 'boolean' };
export const INTEGER = { type: 'integer' };
export const COUNT = { type: 'integer', minimum: 0 };
export const OBJECT = { type: 'object' };
export const MOMENT = { type: 'string', format: 'date-time' };
/** Returns the schema of an object; without `required`, with all its members. */
export const object = (properties: ActionSchema, required = Object.keys(properties)): ActionSchema => ({
  type: 'object',
  required,
  properties,
});

/** Returns the schema of an object with one list. */
export const listOf = (name: string, items: ActionSchema): ActionSchema => ({
  type: 'object',
  properties: { [name]: all(items) },
});

/** Returns the schema of an object without other members. */
export const members = (required: readonly string[], properties: ActionSchema): ActionSchema => ({
  type: 'object',
  additionalProperties: false,
  ...(required.length > 0 && { required }),
  properties,
});

export const oneOf = (...values: readonly string[]) => ({ type: 'string', enum: values });
export const all = (items: object) => ({ type: 'array', items });
export const schemaOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });

export const given = (description: string, schema: ActionSchema): Parameter => ({ description, schema });
