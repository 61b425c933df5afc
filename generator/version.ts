/** The versions of OpenAPI that a document is written in. */
export const OPENAPI_VERSIONS = ['3.1', '3.0'] as const;
export type OpenApiVersion = (typeof OPENAPI_VERSIONS)[number];

/** The formats of IDs in a document. */
export const ID_FORMATS = ['int64', 'int32', 'none'] as const;
export type IdFormat = (typeof ID_FORMATS)[number];
