import type { OpenAPIV3_1 } from 'openapi-types';
import { nest, operationId, type Placed, schemaName } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import { headerIn, isBodiless, placeIn, profileAt } from '../../spec/profile/profile.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { Schema, SchemaOrReference, SchemaReference } from '../schemas/schema.ts';
import { referToRecord } from '../schemas/write-schemas.ts';
import type { Sources } from '../sources.ts';
import { deletedExample, listExample, recordExamples } from './examples.ts';

/** The answer of an operation that succeeds, by its status. */
export function successResponse(
  operation: Operation,
  model: Model,
  sources: Sources,
): OpenAPIV3_1.ResponsesObject {
  const { profile } = sources;
  const { name } = model;
  switch (operation) {
    case 'retrieve':
      return { 200: recordResponse(operation, `The \`${name}\` record.`, model, sources) };
    case 'list':
      return { 200: listResponse(model, sources) };
    case 'create':
      return {
        [profile['status.created']]: {
          ...recordResponse(operation, `The created \`${name}\` record.`, model, sources),
          headers: { Location: locationHeader() },
        },
      };
    case 'update':
      return {
        [profile['status.updated']]: recordResponse(
          operation,
          `The updated \`${name}\` record.`,
          model,
          sources,
        ),
      };
    case 'delete':
      return { [profile['status.deleted']]: deleteResponse(model, sources) };
  }
}

function recordResponse(
  operation: Operation,
  description: string,
  model: Model,
  sources: Sources,
): OpenAPIV3_1.ResponseObject {
  return {
    description,
    content: {
      'application/json': {
        schema: referToEnvelope(model, sources),
        examples: recordExamples(model, sources),
      },
    },
    ...recordLinks(operation, model, sources),
  };
}

/** Where a new record is (RFC 9110, 15.3.2). Not required: the source does not show it. */
function locationHeader(): OpenAPIV3_1.HeaderObject {
  return {
    description: 'The path of the created record.',
    schema: { type: 'string', format: 'uri-reference' },
  };
}

/** Refers to the record where the profile puts it in a response: in a named object, or at the top. */
function referToEnvelope(model: Model, sources: Sources): SchemaReference {
  const record = referToRecord(model, sources);
  const at = pointerFor(sources.profile['response.record'], model.name);
  if (at === '') return record;
  const name = `${schemaName(model.name)}Envelope`;
  return sources.components.refer('schemas', name, `the envelope of ${model.name}`, () => ({
    ...envelopeSchema([[at, record]]),
    description: `An object with one \`${model.name}\` record.`,
    'x-basis': 'assumed',
  }));
}

function referToList(model: Model, sources: Sources): SchemaReference {
  const { profile } = sources;
  const name = `${schemaName(model.name)}List`;
  const records: SchemaOrReference = { type: 'array', items: referToRecord(model, sources) };
  const place = placeIn(profile['response.total']);
  const total: Placed<SchemaOrReference>[] = place?.in === 'body' ? [[place.name, totalSchema()]] : [];
  return sources.components.refer('schemas', name, `the list of ${model.name}`, () => ({
    ...(envelopeSchema([[pointerFor(profile['response.records'], model.name), records], ...total]) as Schema),
    description: `\`${model.name}\` records.`,
    'x-basis': 'assumed',
  }));
}

function totalSchema() {
  const description = 'The total number of records on all pages.';
  return { type: 'integer', format: 'int64', minimum: 0, description } as const;
}

function listResponse(model: Model, sources: Sources): OpenAPIV3_1.ResponseObject {
  const { profile } = sources;
  const { description, ...schema } = totalSchema();
  const header = headerIn(profile['response.total']);
  return {
    description: `\`${model.name}\` records.`,
    ...(header === undefined ? {} : { headers: { [header]: { description, schema } } }),
    content: {
      'application/json': {
        schema: referToList(model, sources),
        examples: { default: listExample(model, sources) },
      },
    },
  };
}

function deleteResponse(model: Model, sources: Sources): OpenAPIV3_1.ResponseObject {
  const { components, profile } = sources;
  // RFC 9110: responses with these two statuses have no body.
  if (profile['delete.answer'] === 'none' || isBodiless(profile['status.deleted']))
    return { description: `The \`${model.name}\` record is deleted.` };
  const isFlag = profile['delete.answer'] === 'flag';
  const yes = profileAt(profile, `${model.name}.deleted`)['types.bool'] === 'bool' ? true : 1;
  return {
    description: isFlag
      ? `The \`${model.name}\` record is deleted.`
      : `The deleted \`${model.name}\` record.`,
    content: {
      'application/json': {
        schema: isFlag
          ? components.refer('schemas', `${sources.prefix}Deletion`, 'the response to a delete', () =>
              flagSchema(yes),
            )
          : referToEnvelope(model, sources),
        examples: {
          default: {
            summary: `Deleted ${model.name} record`,
            value: isFlag ? { deleted: yes } : deletedExample(model, sources),
          },
        },
      },
    },
  };
}

/** An object with `deleted` alone: no record, and so never in the envelope of one. */
function flagSchema(yes: true | 1): Schema {
  const description = 'Whether the record is deleted.';
  return {
    type: 'object',
    description: 'The result of a delete.',
    'x-basis': 'assumed',
    required: ['deleted'],
    properties: {
      deleted:
        yes === true
          ? { type: 'boolean', description }
          : { type: 'integer', format: 'int32', enum: [0, 1], description },
    },
  };
}

/** The schema of a body that holds each part at its JSON pointer. */
export function envelopeSchema(placed: readonly Placed<SchemaOrReference>[]): SchemaOrReference {
  return nest<SchemaOrReference>(placed, (members) => ({
    type: 'object',
    required: members.map(([name]) => name),
    properties: Object.fromEntries(members),
  }));
}

/** Links to the requests that can follow: for the returned record, and for the records it refers to. */
function recordLinks(
  asked: Operation,
  model: Model,
  sources: Sources,
): Pick<OpenAPIV3_1.ResponseObject, 'links'> {
  const next = (['retrieve', 'update', 'delete'] as const).filter(
    (operation) => operation !== asked && model.operations.includes(operation),
  );
  const own = next.map((operation) => {
    const id = operationId(operation, model.name);
    const name = schemaName(id);
    const link = () => ({ operationId: id, parameters: { 'path.id': expressionOf('id', model, sources) } });
    return [id, sources.components.refer('links', name, `the link ${id}`, link)] as const;
  });
  // A create and an update return the same record, so the links of a retrieve are enough.
  const referred = asked === 'retrieve' ? referenceLinks(model, sources) : [];
  const links = Object.fromEntries([...own, ...referred]);
  return Object.keys(links).length === 0 ? {} : { links };
}

function referenceLinks(model: Model, sources: Sources): [string, OpenAPIV3_1.LinkObject][] {
  const { references, selected } = sources;
  return model.fields.flatMap((field) => {
    const reference = references.get(field.key);
    if (field.type !== 'int' || reference === undefined || !('to' in reference)) return [];
    if (!selected.get(reference.to)?.operations.includes('retrieve')) return [];
    return [
      [
        field.name,
        {
          operationId: operationId('retrieve', reference.to),
          parameters: { 'path.id': expressionOf(field.name, model, sources) },
          description: `The \`${reference.to}\` record in \`${field.name}\` (inferred: ${reference.why}).`,
        },
      ],
    ];
  });
}

function expressionOf(field: string, { name }: Model, { profile }: Sources): string {
  return `$response.body#${pointerFor(profile['response.record'], name)}/${field}`;
}
