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
  const isForm = sources.profile['request.encoding'] === 'form';
  const isWhole = operation === 'create' || sources.profile['request.update'] === 'full';
  const mustSend = isWhole && model.fields.some((field) => field.required && !field.readonly);
  return {
    // A form without fields is an empty body, which tools take for none.
    required: !isForm || mustSend,
    description: `Fields of the \`${model.name}\` record.`,
    content: isForm
      ? { 'application/x-www-form-urlencoded': { ...media, ...bracketsOf(model, sources) } }
      : { 'application/json': media },
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
