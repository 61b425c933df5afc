export const EXPORT_NAMES = ['types', 'schemas', 'html', 'diagram'] as const;

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
  html: {
    about: 'one HTML page to read and try the API; it loads nothing from other hosts',
    endings: ['.html', '.htm'],
    publishes: true,
    example: 'api.html',
  },
  diagram: {
    about: 'a Mermaid diagram of the models and their links',
    endings: ['.mmd', '.mermaid'],
    publishes: false,
    example: 'models.mmd',
  },
};

/** A format of the contract other than OpenAPI. */
type ExportKind = {
  readonly about: string;
  /** Accepted file endings; empty for a directory of files. */
  readonly endings: readonly string[];
  /** Whether it contains servers, title, and terms. */
  readonly publishes: boolean;
  /** A file or directory for the example in the help. */
  readonly example: string;
};

export type ExportName = (typeof EXPORT_NAMES)[number];
