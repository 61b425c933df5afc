/** A form that a contract is written in beside OpenAPI. */
export type ExportKind = {
  readonly about: string;
  /** How its files may end; none where it is a directory of files. */
  readonly endings: readonly string[];
  /** Whether it says what a document says beside its contract: servers, title, terms. */
  readonly publishes: boolean;
};

export const EXPORT_NAMES = ['types', 'schemas', 'postman', 'html', 'diagram'] as const;
export type ExportName = (typeof EXPORT_NAMES)[number];

/** What the exports are, apart from what writes them: the command reads this at every start. */
export const EXPORT_KINDS: Readonly<Record<ExportName, ExportKind>> = {
  types: {
    about: 'TypeScript declarations: models by name, and paths for openapi-fetch and its like',
    endings: ['.ts'],
    publishes: false,
  },
  schemas: {
    about: 'JSON Schemas (2020-12), a file for each model and use: read, create, update',
    endings: [],
    publishes: false,
  },
  postman: {
    about: 'a collection for Postman and newman that runs from top to bottom as it is',
    endings: ['.json'],
    publishes: true,
  },
  html: {
    about: 'one page to read and try the interface, that needs no other file and no network',
    endings: ['.html', '.htm'],
    publishes: true,
  },
  diagram: {
    about: 'the models and their links by area, as SVG or, by the ending, for Mermaid',
    endings: ['.svg', '.mmd', '.mermaid'],
    publishes: false,
  },
};
