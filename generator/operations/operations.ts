import type { OpenAPIV3_1 } from 'openapi-types';
import { marksDeleted, operationId, showsMarked } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Noun } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import { nounOf } from '../schemas/names.ts';
import { describeOmitted, referToFields } from '../schemas/write-schemas.ts';
import { type Sources, sourcesAt } from '../sources.ts';
import { errorResponses } from './errors.ts';
import { createExamples, updateExamples } from './examples.ts';
import { parametersOf } from './parameters.ts';
import { successResponse } from './success-response.ts';

/** One operation of a model (section 4). */
export function operationOf(operation: Operation, model: Model, whole: Sources): OpenAPIV3_1.OperationObject {
  const sources = sourcesAt(whole, model.name);
  const parameters = parametersOf(operation, model, sources);
  return {
    operationId: operationId(operation, model.name),
    tags: [sources.tags === 'area' ? model.area : model.name],
    summary: SUMMARIES[operation](nounOf(model)),
    description: describe(operation, model, sources.profile),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...((operation === 'create' || operation === 'update') && {
      requestBody: requestBody(operation, model, sources),
    }),
    responses: {
      ...successResponse(operation, model, sources),
      ...errorResponses(operation, model, sources),
    },
  };
}

const SUMMARIES: Readonly<Record<Operation, (noun: Noun) => string>> = {
  retrieve: ({ one }) => `Retrieve ${one}`,
  list: ({ many }) => `List ${many}`,
  create: ({ one }) => `Create ${one}`,
  update: ({ one }) => `Update ${one}`,
  delete: ({ one }) => `Delete ${one}`,
};

function describe(operation: Operation, model: Model, profile: Profile): string {
  const { name } = model;
  const marks = marksDeleted(model, profile);
  const readonly = `Readonly fields are not writable. The service ${
    profile['request.readonlyFields'] === 'ignore' ? 'ignores' : 'rejects'
  } them in requests (assumed).`;
  switch (operation) {
    case 'retrieve':
      if (!marks) return `Returns the \`${name}\` record with this ID.`;
      return `Returns the \`${name}\` record with this ID. Records marked as deleted ${
        showsMarked(profile, name).retrieve ? 'can still' : "can't"
      } be retrieved (assumed).`;
    case 'list':
      if (!marks) return `Returns \`${name}\` records.`;
      return `Returns \`${name}\` records, ${
        showsMarked(profile, name).list ? 'including' : 'excluding'
      } those marked as deleted (assumed).`;
    case 'create':
      return `Creates one \`${name}\` record from the fields in the body and returns it. ${readonly}`;
    case 'update':
      return `Updates the \`${name}\` record with this ID and returns it. ${describeOmitted(profile)} ${readonly}`;
    case 'delete':
      return `${marks ? `Marks the \`${name}\` record as deleted` : `Removes the \`${name}\` record`} (assumed).`;
  }
}

/** The body that a create or an update takes. */
function requestBody(
  operation: 'create' | 'update',
  model: Model,
  sources: Sources,
): OpenAPIV3_1.RequestBodyObject {
  const examples = operation === 'create' ? createExamples(model, sources) : updateExamples(model, sources);
  const media = { schema: referToFields(operation, model, sources), examples };
  const isForm = sources.profile['request.encoding'] === 'form';
  const isWhole = operation === 'create' || sources.profile['request.update'] !== 'partial';
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

/** Forms write nested values with brackets: `lines[0][units]=1`. */
function bracketsOf(
  model: Model,
  { profile }: Sources,
): { encoding?: Record<string, OpenAPIV3_1.EncodingObject> } {
  const nested = model.fields.filter((field) => {
    const { type } = WIRE_TYPES[field.type].schema({ field, profile });
    return !field.readonly && (type === 'array' || type === 'object');
  });
  const encoding = nested.map(({ name }) => [name, { style: 'deepObject', explode: true }]);
  return nested.length === 0 ? {} : { encoding: Object.fromEntries(encoding) };
}
