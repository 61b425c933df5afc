import type { OpenAPIV3_1 } from 'openapi-types';
import type { Model, Operation } from '../../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../../spec/contract.ts';
import type { ContractDocument } from '../../generate.ts';
import { type Selection, selectModels } from '../../selection.ts';
import { authOf } from './auth.ts';
import { idVariable } from './body.ts';
import { orderOf } from './order.ts';
import { itemOf, operationIn, type PostmanItem } from './request.ts';

type Variable = { readonly key: string; readonly value: string; readonly type: 'string' };
type Folder = { readonly name: string; readonly description: string; readonly item: readonly PostmanItem[] };

/** A collection in the form 2.1 of Postman. */
export type PostmanCollection = {
  readonly info: {
    readonly name: string;
    readonly description: string;
    readonly version: string;
    readonly schema: string;
  };
  readonly auth?: object;
  readonly item: readonly Folder[];
  readonly variable: readonly Variable[];
};

const LAST = 'Delete';

/**
 * A collection for Postman and newman that runs from top to bottom as it is: a folder a model, in an order in which
 * what records refer to is made before them; the id of what was made goes on through variables; deletes come last, lines
 * before the records they stand in. Takes a document in OpenAPI 3.1 of the same contract. Pure.
 */
export function exportPostman(
  contract: Contract,
  document: ContractDocument,
  selection: Selection = {},
): PostmanCollection {
  const models = orderOf([...selectModels(contract.catalogue, selection).values()], contract);
  const { auth, variables } = authOf(contract.profile);
  const item = [
    ...models.made.map((model, index) => ({
      name: model.name,
      description: `${model.about ?? ''} Area: ${model.area}.`.trim(),
      item: ORDER.flatMap((operation) => requestsOf(operation, model, models.made.slice(0, index))),
    })),
    {
      name: LAST,
      description: 'Deletes the records that the other folders created.',
      item: models.deleted.flatMap((model) => requestsOf('delete', model, [])),
    },
  ].filter((folder) => folder.item.length > 0);
  const text = JSON.stringify(item);
  return {
    info: {
      name: document.info.title,
      description: document.info.description ?? '',
      version: document.info.version,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    ...(auth ? { auth } : {}),
    item,
    variable: [
      { key: 'baseUrl', value: baseUrlOf(document), type: 'string' },
      ...variables.map(([key, value]) => ({ key, value, type: 'string' as const })),
      // Records may refer to those of a model that is left out.
      ...[...contract.catalogue.models.values()]
        .filter((model) => text.includes(`{{${idVariable(model)}}}`))
        .map((model) => ({ key: idVariable(model), value: firstId(model), type: 'string' as const })),
    ],
  };

  function requestsOf(operation: Operation, model: Model, before: readonly Model[]): PostmanItem[] {
    const made = new Set(before.map(({ name }) => name));
    return model.operations.includes(operation) ? [itemOf(operation, model, contract, document, made)] : [];
  }

  /** The id that the document shows for the model, which the demo records have. */
  function firstId(model: Model): string {
    const found = operationIn(document, contract, 'retrieve', model)?.parameters ?? [];
    return String(found.find(({ in: place }) => place === 'path')?.example ?? 1);
  }
}

/** A model that is only read has its id from the list. */
const ORDER = ['create', 'list', 'retrieve', 'update'] as const;

function baseUrlOf({ servers = [] }: ContractDocument): string {
  const [server] = servers as OpenAPIV3_1.ServerObject[];
  const url = Object.entries(server?.variables ?? {}).reduce(
    (text, [name, variable]) => text.replaceAll(`{${name}}`, variable.default),
    server?.url ?? '',
  );
  return (url.startsWith('/') ? `http://127.0.0.1:4010${url}` : url).replace(/\/+$/, '');
}
