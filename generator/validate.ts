import SwaggerParser from '@apidevtools/swagger-parser';
import type { OpenAPIV3_1 } from 'openapi-types';

/**
 * Checks a document against the OpenAPI specification, with every reference resolved. Touches neither network nor
 * disk and leaves the document as it is. Rejects when it is not valid, refers to a
 * component it does not hold, or its schemas refer to each other in a circle.
 */
export async function validateDocument(document: OpenAPIV3_1.Document): Promise<void> {
  // The parser resolves references in place.
  await SwaggerParser.validate(structuredClone(document), {
    resolve: { external: false },
    dereference: { circular: false },
  });
}
