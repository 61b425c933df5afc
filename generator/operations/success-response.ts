import type { OpenAPIV3_1 } from 'openapi-types';
import { envelope, marksDeleted, type Placed, schemaName } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import { isBodiless } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { referTo, type SchemaOrReference } from '../schemas/schema.ts';
import type { Sources } from '../sources.ts';
import { envelopeSchema } from './envelope.ts';
import { readExample } from './examples.ts';

/** The answer of an operation that succeeds, by its status. */
export function successResponse(
  operation: Operation,
  model: Model,
  sources: Sources,
): OpenAPIV3_1.ResponsesObject {
  const { profile } = sources;
  switch (operation) {
    case 'retrieve':
      return { 200: recordResponse('The record.', model, sources) };
    case 'list':
      return { 200: listResponse(model, sources) };
    case 'create':
      return {
        [profile['status.created']]: {
          ...recordResponse('The record as created.', model, sources),
          headers: { Location: locationHeader() },
        },
      };
    case 'update':
      return { [profile['status.updated']]: recordResponse('The record as updated.', model, sources) };
    case 'delete':
      return { [profile['status.deleted']]: deleteResponse(model, sources) };
  }
}

/** The name of the shared example of a record as returned. */
export function recordExampleName(model: Model): string {
  return schemaName(model.name);
}

/** The shared example of a record as returned, in its envelope. */
export function recordExample(model: Model, sources: Sources): OpenAPIV3_1.ExampleObject {
  return { value: envelope([[sources.profile['response.record'], readExample(model, sources)]]) };
}

function recordResponse(description: string, model: Model, sources: Sources): OpenAPIV3_1.ResponseObject {
  return {
    description,
    content: {
      'application/json': {
        schema: envelopeSchema([recordAt(model, sources)]),
        examples: { default: referTo('examples', recordExampleName(model)) },
      },
    },
  };
}

/** Where a new record is (RFC 9110, 15.3.2). Not required: the source does not show it. */
function locationHeader(): OpenAPIV3_1.HeaderObject {
  return { description: 'The path of the record.', schema: { type: 'string', format: 'uri-reference' } };
}

function recordAt(model: Model, { profile }: Sources): Placed<SchemaOrReference> {
  return [profile['response.record'], referTo('schemas', schemaName(model.name))];
}

function listResponse(model: Model, sources: Sources): OpenAPIV3_1.ResponseObject {
  const { profile } = sources;
  const records: SchemaOrReference = { type: 'array', items: referTo('schemas', schemaName(model.name)) };
  const total: SchemaOrReference = { type: 'integer', minimum: 0, description: 'The number of all records.' };
  const inBody = profile['response.total'] === 'pointer';
  const value = envelope([
    [profile['response.records'], [readExample(model, sources)]],
    ...(inBody ? [[profile['response.totalPointer'], 1] satisfies Placed<Value>] : []),
  ]);
  return {
    description: 'Records of the model.',
    ...(profile['response.total'] === 'header'
      ? {
          headers: {
            [profile['response.totalHeader']]: {
              description: 'The number of all records, whatever the page.',
              schema: { type: 'integer', minimum: 0 },
            },
          },
        }
      : {}),
    content: {
      'application/json': {
        schema: envelopeSchema([
          [profile['response.records'], records],
          ...(inBody ? [[profile['response.totalPointer'], total] satisfies Placed<SchemaOrReference>] : []),
        ]),
        examples: { default: { value } },
      },
    },
  };
}

function deleteResponse(model: Model, sources: Sources): OpenAPIV3_1.ResponseObject {
  const { profile } = sources;
  const status = profile['status.deleted'];
  // RFC 9110: these two statuses have no body, whatever the answer would be.
  if (profile['delete.answer'] === 'none' || isBodiless(status))
    return { description: 'The record is deleted.' };
  if (profile['delete.answer'] === 'flag') return flagResponse(profile['types.bool'] === 'bool' ? true : 1);
  const marked = marksDeleted(model, profile) ? { deleted: true } : {};
  const value = envelope([[profile['response.record'], readExample(model, sources, marked)]]);
  return {
    description: 'The record as it was left.',
    content: {
      'application/json': {
        schema: envelopeSchema([recordAt(model, sources)]),
        examples: { default: { value } },
      },
    },
  };
}

/** An object with `deleted` alone: no record, and so never in the envelope of one. */
function flagResponse(yes: Value): OpenAPIV3_1.ResponseObject {
  return {
    description: 'The record is deleted.',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['deleted'],
          properties: { deleted: yes === true ? { type: 'boolean' } : { type: 'integer', enum: [0, 1] } },
        },
        examples: { default: { value: { deleted: yes } } },
      },
    },
  };
}
