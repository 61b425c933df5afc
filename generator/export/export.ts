import { type Contract, type ContractSource, loadContract } from '../../spec/contract.ts';
import { type DocumentOptions, generateDocument } from '../generate.ts';
import { entitiesOf } from './entities.ts';
import { exportHtml, type Renderer } from './html.ts';
import type { ExportName } from './kinds.ts';
import { exportMermaid } from './mermaid.ts';
import { exportPostman } from './postman/postman.ts';
import { exportSchemas } from './schemas.ts';
import { exportTypes } from './typescript.ts';

/** What an export says beside its contract. */
export type ExportOptions = Omit<DocumentOptions, 'openapi'> & {
  /** The code of Swagger UI, for `html`. */
  readonly renderer?: () => Renderer;
  /** For `diagram`; SVG by default. */
  readonly diagram?: 'svg' | 'mermaid';
};

/**
 * Writes a contract in another form: the text of the file, or for `schemas` those of all files by their names. The same
 * bytes each time. Throws UsageError when the selection names what is not there.
 */
export async function exportContract<Name extends ExportName>(
  name: Name,
  source: ContractSource,
  options: ExportOptions = {},
): Promise<Name extends 'schemas' ? ReadonlyMap<string, string> : string> {
  return WRITERS[name](loadContract(source), options) as Awaited<ReturnType<typeof exportContract<Name>>>;
}

type Write<Result> = (contract: Contract, options: ExportOptions) => Result;

const WRITERS: { readonly [Name in ExportName]: Write<unknown> } = {
  types: (contract, options) => exportTypes(documentOf(contract, options)),
  schemas: (contract, options) => exportSchemas(documentOf(contract, options), contract.catalogue),
  postman: (contract, options) => {
    const collection = exportPostman(contract, documentOf(contract, options), options.selection);
    return `${JSON.stringify(collection, null, 2)}\n`;
  },
  html: (contract, options) => {
    const { renderer } = options;
    if (!renderer)
      throw new TypeError('An export of kind html needs the code of Swagger UI. Pass it as an option.');
    return exportHtml(documentOf(contract, options), renderer());
  },
  diagram: async (contract, { diagram, selection = {} }) => {
    const entities = entitiesOf(contract, selection);
    if (diagram === 'mermaid') return exportMermaid(entities);
    // Graphviz is large, and no other export needs it.
    const { exportSvg } = await import('./svg.ts');
    return exportSvg(entities);
  },
};

function documentOf(contract: Contract, { diagram, renderer, ...options }: ExportOptions) {
  return generateDocument(contract, options);
}
