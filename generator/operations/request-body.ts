import type { OpenAPIV3_1 } from 'openapi-types';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import { referToFields } from '../schemas/write-schemas.ts';
import type { Sources } from '../sources.ts';
import { createExamples, updateExamples } from './examples.ts';

/** The body that a create or an update takes. */
export function requestBody(
  operation: 'create' | 'update',
  model: Model,
  sources: Sources,
): OpenAPIV3_1.RequestBodyObject {
  const examples = operation === 'create' ? createExamples(model, sources) : updateExamples(model, sources);
  const media = { schema: referToFields(operation, model, sources), examples };
  return {
    required: true,
    description: `Fields of \`${model.name}\`.`,
    content:
      sources.profile['request.encoding'] === 'json'
        ? { 'application/json': media }
        : { 'application/x-www-form-urlencoded': { ...media, ...bracketsOf(model, sources) } },
  };
}

/** What is nested is sent with brackets: `lines[0][units]=1`. */
function bracketsOf(
  model: Model,
  { profile }: Sources,
): { encoding?: Record<string, OpenAPIV3_1.EncodingObject> } {
  const nested = model.fields.filter((field) => {
    const { type } = WIRE_TYPES[field.type].schema({ field, profile });
    return !field.readonly && (type === 'array' || type === 'object');
  });
  if (nested.length === 0) return {};
  return {
    encoding: Object.fromEntries(nested.map((field) => [field.name, { style: 'deepObject', explode: true }])),
  };
}
