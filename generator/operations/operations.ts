import type { OpenAPIV3_1 } from 'openapi-types';
import { marksDeleted, operationId } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { wordsOf } from '../schemas/names.ts';
import type { Sources } from '../sources.ts';
import { errorResponses } from './errors.ts';
import { parametersOf } from './parameters.ts';
import { requestBody } from './request-body.ts';
import { successResponse } from './success-response.ts';

/** One operation of a model (section 4). */
export function operationOf(
  operation: Operation,
  model: Model,
  sources: Sources,
): OpenAPIV3_1.OperationObject {
  const parameters = parametersOf(operation, model, sources);
  return {
    operationId: operationId(operation, model.name),
    tags: [sources.tags === 'area' ? model.area : model.name],
    summary: SUMMARIES[operation](wordsOf(model.name)),
    description: describe(operation, model, sources.profile),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation === 'create' || operation === 'update'
      ? { requestBody: requestBody(operation, model, sources) }
      : {}),
    responses: {
      ...successResponse(operation, model, sources),
      ...errorResponses(operation, model, sources),
    },
  };
}

const SUMMARIES: Readonly<Record<Operation, (model: string) => string>> = {
  retrieve: (model) => `Retrieve one ${model}`,
  list: (model) => `List ${model} records`,
  create: (model) => `Create one ${model}`,
  update: (model) => `Update one ${model}`,
  delete: (model) => `Delete one ${model}`,
};

function describe(operation: Operation, model: Model, profile: Profile): string {
  const { name } = model;
  const marks = marksDeleted(model, profile);
  const readonly = `Readonly fields are not writable: one that is sent is ${
    profile['request.readonlyFields'] === 'ignore' ? 'ignored' : 'refused'
  } (assumed).`;
  switch (operation) {
    case 'retrieve':
      if (!marks) return `Returns the \`${name}\` with the id.`;
      return `Returns the \`${name}\` with the id. One marked as deleted can ${
        profile['delete.readable'] ? 'still' : 'no longer'
      } be retrieved (assumed).`;
    case 'list':
      if (!marks) return `Returns records of \`${name}\`.`;
      return `Returns records of \`${name}\`, ${
        profile['delete.listed'] ? 'also' : 'without'
      } those marked as deleted (assumed).`;
    case 'create':
      return `Takes fields of a new \`${name}\` and returns the record. ${readonly}`;
    case 'update':
      return `Takes fields of the \`${name}\` with the id and returns the record. Fields that are not sent are ${
        profile['request.update'] === 'partial' ? 'kept' : 'unset'
      } (assumed). ${readonly}`;
    case 'delete':
      return `${marks ? `Marks the \`${name}\` as deleted` : `Removes the \`${name}\``} (assumed).`;
  }
}
