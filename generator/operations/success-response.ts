import type { OpenAPIV3_1 } from 'openapi-types';
import { nest, operationId, type Placed, schemaName } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import { isBodiless, placeIn, profileAt } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
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
  const record = (description: string) => ({
    ...responseOf(description, referToEnvelope(model, sources), recordExamples(model, sources)),
    ...recordLinks(operation, model, sources),
  });
  switch (operation) {
    case 'retrieve':
      return { 200: record(`The \`${model.name}\` record.`) };
    case 'list':
      return { 200: listResponse(model, sources) };
    case 'create': {
      // Where a new record is (RFC 9110, 15.3.2). Not required: the source does not show it.
      const schema = { type: 'string', format: 'uri-reference' } as const;
      const headers = { Location: { description: 'The path of the created record.', schema } };
      return { [profile['status.created']]: { ...record(`The created \`${model.name}\` record.`), headers } };
    }
    case 'update':
      return { [profile['status.updated']]: record(`The updated \`${model.name}\` record.`) };
    case 'delete':
      return { [profile['status.deleted']]: deleteResponse(model, sources) };
  }
}

function responseOf(
  description: string,
  schema: SchemaReference,
  examples: Record<string, OpenAPIV3_1.ExampleObject | OpenAPIV3_1.ReferenceObject>,
) {
  return { description, content: { 'application/json': { schema, examples } } };
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

function listResponse(model: Model, sources: Sources): OpenAPIV3_1.ResponseObject {
  const { components, profile } = sources;
  const about = 'The total number of records on all pages.';
  const total = { type: 'integer', format: 'int64', minimum: 0 } as const;
  const place = placeIn(profile['response.total']);
  const records: SchemaOrReference = { type: 'array', items: referToRecord(model, sources) };
  const description = `\`${model.name}\` records.`;
  const name = `${schemaName(model.name)}List`;
  const list = components.refer('schemas', name, `the list of ${model.name}`, () => ({
    ...(envelopeSchema([
      [pointerFor(profile['response.records'], model.name), records],
      ...(place?.in === 'body' ? [[place.name, { ...total, description: about }] as const] : []),
    ]) as Schema),
    description,
    'x-basis': 'assumed',
  }));
  const { content } = responseOf(description, list, { default: listExample(model, sources) });
  const headers = place?.in === 'header' && { [place.name]: { description: about, schema: total } };
  return { description, ...(headers && { headers }), content };
}

function deleteResponse(model: Model, sources: Sources): OpenAPIV3_1.ResponseObject {
  const { components, prefix, profile } = sources;
  const description = `The \`${model.name}\` record is deleted.`;
  const answer = profile['delete.answer'];
  // RFC 9110: responses with these two statuses have no body.
  if (answer === 'none' || isBodiless(profile['status.deleted'])) return { description };
  const exampleOf = (value: Value) => ({ default: { summary: `Deleted ${model.name} record`, value } });
  if (answer === 'record') {
    const deleted = exampleOf(deletedExample(model, sources));
    return responseOf(`The deleted \`${model.name}\` record.`, referToEnvelope(model, sources), deleted);
  }
  const isBool = profileAt(profile, `${model.name}.deleted`)['types.bool'] === 'bool';
  // An object with `deleted` alone: no record, and so never in the envelope of one.
  const flag = components.refer('schemas', `${prefix}Deletion`, 'the response to a delete', () => {
    const form: Schema = isBool ? { type: 'boolean' } : { type: 'integer', format: 'int32', enum: [0, 1] };
    return {
      type: 'object',
      description: 'The result of a delete.',
      'x-basis': 'assumed',
      required: ['deleted'],
      properties: { deleted: { ...form, description: 'Whether the record is deleted.' } },
    };
  });
  return responseOf(description, flag, exampleOf({ deleted: isBool || 1 }));
}

/** The schema of a body that holds each part at its JSON pointer. */
function envelopeSchema(placed: readonly Placed<SchemaOrReference>[]): SchemaOrReference {
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
    const link = () => ({ operationId: id, parameters: { 'path.id': expressionOf('id', model, sources) } });
    return [id, sources.components.refer('links', schemaName(id), `the link ${id}`, link)] as const;
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
    const link = {
      operationId: operationId('retrieve', reference.to),
      parameters: { 'path.id': expressionOf(field.name, model, sources) },
      description: `The \`${reference.to}\` record in \`${field.name}\` (inferred: ${reference.why}).`,
    };
    return [[field.name, link]];
  });
}

function expressionOf(field: string, { name }: Model, { profile }: Sources): string {
  return `$response.body#${pointerFor(profile['response.record'], name)}/${field}`;
}
