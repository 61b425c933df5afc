/** A format of the contract other than OpenAPI. */
export type ExportKind = {
  readonly about: string;
  /** Accepted file endings; empty for a directory of files. */
  readonly endings: readonly string[];
  /** Whether it contains servers, title, and terms. */
  readonly publishes: boolean;
  /** A file or directory for the example in the help. */
  readonly example: string;
};

export const EXPORT_NAMES = ['types', 'schemas', 'postman', 'html', 'diagram'] as const;
export type ExportName = (typeof EXPORT_NAMES)[number];

/** Describes the exports. It is apart from their code because the command reads it at every start. */
export const EXPORT_KINDS: Readonly<Record<ExportName, ExportKind>> = {
  types: {
    about: 'TypeScript declarations: models by name, and paths for openapi-fetch',
    endings: ['.ts'],
    publishes: false,
    example: 'api.d.ts',
  },
  schemas: {
    about: 'JSON Schemas (2020-12), one file per model for read, create, and update',
    endings: [],
    publishes: false,
    example: 'schemas',
  },
  postman: {
    about: 'a collection for Postman and newman that runs from top to bottom without edits',
    endings: ['.json'],
    publishes: true,
    example: 'collection.json',
  },
  html: {
    about: 'one HTML page to read and try the API, without a network',
    endings: ['.html', '.htm'],
    publishes: true,
    example: 'api.html',
  },
  diagram: {
    about: 'a diagram of the models and their links, as SVG or Mermaid',
    endings: ['.svg', '.mmd', '.mermaid'],
    publishes: false,
    example: 'models.svg',
  },
};
