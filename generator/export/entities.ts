import { schemaName } from '../../spec/binding.ts';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { type DocumentSelection, selectModels } from '../selection.ts';

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

/** A line of a diagram from the model with the field to the one it leads to. */
export type EntityLink = {
  readonly from: string;
  readonly to: string;
  readonly field: string;
  /** The source states which lines a record has; which ids a field holds is inferred. */
  readonly basis: 'stated' | 'inferred';
  /** Whether a record leads to many, as lines and lists of ids do. */
  readonly many: boolean;
};

/** Models by area with their links, as far as they are wanted. */
export type Entities = {
  readonly title: string;
  readonly areas: readonly { readonly name: string; readonly models: readonly Model[] }[];
  readonly links: readonly EntityLink[];
};

/** Returns the content of a diagram of a contract. Throws UsageError if the selection names something unknown. */
export function entitiesOf({ catalogue, references }: Contract, selection: DocumentSelection): Entities {
  const selected = selectModels(catalogue, selection);
  const models = [...selected.values()];
  return {
    title: `${catalogue.title} ${catalogue.version}`,
    areas: areasOf(catalogue, models),
    links: models.flatMap((model) => model.fields.flatMap((field) => linkOf(model, field) ?? [])),
  };

  function linkOf({ name: from }: Model, field: Field): EntityLink | undefined {
    if (field.lines !== undefined)
      return selected.has(field.lines)
        ? { from, to: field.lines, field: field.name, basis: 'stated', many: true }
        : undefined;
    const reference = references.get(field.key);
    if (reference === undefined || !('to' in reference) || !selected.has(reference.to)) return undefined;
    const many = field.type === 'manyToMany';
    return { from, to: reference.to, field: field.name, basis: 'inferred', many };
  }
}

function areasOf({ areas }: Catalogue, models: readonly Model[]): Entities['areas'] {
  return areas
    .map(({ name }) => ({ name, models: models.filter(({ area }) => area === name) }))
    .filter(({ models: own }) => own.length > 0);
}

/** The type and flags of a field, as the source writes them. */
export function notationOf(field: Field): { readonly type: string; readonly flags: readonly string[] } {
  return {
    type: field.lines === undefined ? field.type : `${schemaName(field.lines)}[]`,
    flags: [...(field.required ? ['req'] : []), ...(field.readonly ? ['ro'] : [])],
  };
}

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
