import { linkOf, parentField } from '../source/links.ts';
import { type Field, type Model, modelNamed } from '../source/source.ts';

type Schema = Record<string, unknown>;

/** What a body has to look like. Readonly fields are not in it, so that Fastify's Ajv takes them away. */
export function bodySchema(model: Model, on: 'create' | 'update', parent?: string): Schema {
  const link = parent === undefined ? undefined : parentField(parent, model)?.name;
  const sent = model.fields.filter(({ name, readonly }) => !readonly && name !== link);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(sent.map((field) => [field.name, fieldSchema(model, field)])),
    required: on === 'create' ? sent.filter(({ required }) => required).map(({ name }) => name) : [],
  };
}

function fieldSchema(model: Model, field: Field): Schema {
  const schema = valueSchema(model, field);
  if (field.required) return schema;
  const { enum: values, type, ...rest } = schema;
  return { ...rest, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

function valueSchema(model: Model, field: Field): Schema {
  switch (field.type) {
    case 'int':
      return { type: 'integer', ...(linkOf(model, field) ? { minimum: 1 } : {}) };
    case 'float':
    case 'currency':
    case 'percent':
      return { type: 'number' };
    case 'bool':
      return { type: 'boolean' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'datetime':
      return { type: 'string', format: 'date-time' };
    case 'time':
      return { type: 'string', pattern: '^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$' };
    case 'duration':
      return { type: 'string', format: 'duration' };
    case 'daysOfWeek':
      return { type: 'array', items: { type: 'integer', minimum: 1, maximum: 7 } };
    case 'manyToMany':
      return { type: 'array', items: { type: 'integer' } };
    case 'lines':
      return { type: 'array', items: bodySchema(modelNamed(field.lines ?? ''), 'create', model.name) };
    case 'select':
      if (!field.values) return { type: 'string' };
      return { type: typeof field.values[0] === 'number' ? 'integer' : 'string', enum: field.values };
    default:
      return { type: 'string' };
  }
}
