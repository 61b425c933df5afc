import type { OpenAPIV3_1 } from 'openapi-types';
import { hasId, marksDeleted, operationId } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Sources } from '../sources.ts';
import type { ErrorKind, ErrorResponses } from './errors.ts';
import { listParameters, sharedParametersOf } from './parameters.ts';
import { requestBody } from './request-body.ts';
import { successResponse } from './success-response.ts';

/** One operation of a model (section 4). */
export function operationOf(
  operation: Operation,
  model: Model,
  errors: ErrorResponses,
  sources: Sources,
): OpenAPIV3_1.OperationObject {
  const { profile } = sources;
  const parameters = [
    ...sharedParametersOf(hasId(operation), profile),
    ...(operation === 'list' ? listParameters(model, sources) : []),
  ];
  return {
    operationId: operationId(operation, model.name),
    tags: [model.area],
    summary: SUMMARIES[operation](model.name),
    description: describe(operation, model, profile),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation === 'create' || operation === 'update'
      ? { requestBody: requestBody(operation, model, sources) }
      : {}),
    responses: {
      ...successResponse(operation, model, sources),
      ...errors.respond(errorKinds(operation, profile)),
    },
  };
}

const SUMMARIES: Readonly<Record<Operation, (model: string) => string>> = {
  retrieve: (model) => `Retrieve one ${model} by its id`,
  list: (model) => `Retrieve many ${model} records`,
  create: (model) => `Create one ${model}`,
  update: (model) => `Update one ${model}`,
  delete: (model) => `Delete one ${model}`,
};

function errorKinds(operation: Operation, profile: Profile): ErrorKind[] {
  return [
    'invalid',
    ...(operation === 'create' || operation === 'update' ? (['unparsable', 'tooLarge'] as const) : []),
    ...(hasId(operation) ? (['unknownRecord'] as const) : []),
    ...(profile['auth.scheme'] === 'none' ? [] : (['unauthorized'] as const)),
    ...(profile['limits.rate'] === 'none' ? [] : (['tooManyRequests'] as const)),
  ];
}

function describe(operation: Operation, model: Model, profile: Profile): string {
  const marks = marksDeleted(model, profile);
  const readonly = `Readonly fields are not writable: one that is sent is ${
    profile['request.readonlyFields'] === 'ignore' ? 'ignored' : 'refused'
  } (assumed).`;
  switch (operation) {
    case 'retrieve':
      if (!marks) return 'Returns one record.';
      return `Returns one record. A record marked as deleted can ${
        profile['delete.readable'] ? 'still' : 'no longer'
      } be retrieved (assumed).`;
    case 'list':
      if (!marks) return 'Returns records of the model.';
      return `Returns records of the model, ${
        profile['delete.listed'] ? 'also' : 'without'
      } those marked as deleted (assumed).`;
    case 'create':
      return `Takes fields of the model and returns the record. ${readonly}`;
    case 'update':
      return `Takes fields of the model and returns the record. Fields that are not sent are ${
        profile['request.update'] === 'partial' ? 'kept' : 'unset'
      } (assumed). ${readonly}`;
    case 'delete':
      return `${marks ? 'Marks the record as deleted' : 'Removes the record'} (assumed).`;
  }
}
