import type { OpenAPIV3_1 } from 'openapi-types';
import type { Contract } from '../spec/contract.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { createRecordCodec } from '../spec/wire/record-codec.ts';
import { type Assumption, assumptionsOf } from './assumptions.ts';
import { infoOf } from './info.ts';
import { createErrorResponses } from './operations/errors.ts';
import { sharedParameters } from './operations/parameters.ts';
import { pathsOf } from './operations/paths.ts';
import { securityOf } from './operations/security.ts';
import { recordExample, recordExampleName } from './operations/success-response.ts';
import { refuseCircularLines } from './schemas/lines.ts';
import { modelSchemas } from './schemas/model-schemas.ts';
import type { Sources } from './sources.ts';

/** An OpenAPI document that surely has paths and components, and says what it assumes. */
export type ContractDocument = OpenAPIV3_1.Document & {
  paths: OpenAPIV3_1.PathsObject;
  components: OpenAPIV3_1.ComponentsObject;
  'x-assumptions': Assumption[];
};

/**
 * Writes the OpenAPI 3.1 document of a contract. Pure: equal arguments give equal documents,
 * keys in the same order. Throws UsageError when models can't stand in one document: two things with one
 * schema name, or lines that hold each other in a circle.
 */
export function generateDocument({ catalogue, profile, references }: Contract): ContractDocument {
  if (profile['types.lines'] === 'objects') refuseCircularLines(catalogue);
  const sources: Sources = { catalogue, profile, references, codec: createRecordCodec(catalogue, profile) };
  const assumptions = assumptionsOf(profile);
  const errors = createErrorResponses(profile);
  const paths = pathsOf(sources, errors);
  const { security, schemes } = securityOf(profile);
  return {
    openapi: '3.1.0',
    info: infoOf(catalogue, assumptions),
    servers: [{ url: '/', description: 'The service this document is served by.' }],
    security,
    tags: catalogue.areas.map(({ name, about }) => ({ name, description: about })),
    paths,
    components: {
      schemas: schemasOf(sources, errors.schemas()),
      responses: errors.components(),
      parameters: sharedParameters(sources),
      examples: Object.fromEntries(
        [...catalogue.models.values()].map((model) => [
          recordExampleName(model),
          recordExample(model, sources),
        ]),
      ),
      ...(security.length === 0 ? {} : { securitySchemes: schemes }),
    },
    'x-assumptions': assumptions,
  };
}

function schemasOf(
  sources: Sources,
  ofErrors: ReturnType<ReturnType<typeof createErrorResponses>['schemas']>,
): Record<string, OpenAPIV3_1.SchemaObject> {
  const schemas = modelSchemas(sources);
  for (const [name, schema] of ofErrors) {
    if (schemas.has(name))
      throw new UsageError(`a model needs a schema ${name}, which is that of errors; expected another name`);
    schemas.set(name, schema);
  }
  return Object.fromEntries(schemas);
}
