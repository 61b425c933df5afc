import type { OpenAPIV3_1 } from 'openapi-types';
import { METHODS, templateOf } from '../../../spec/binding.ts';
import type { Model, Operation } from '../../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../../spec/contract.ts';
import { splitPointer } from '../../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../../spec/wire/model-place.ts';
import type { ContractDocument } from '../../generate.ts';
import { bodyOf, idVariable } from './body.ts';

/** A request with the scripts that run after it. */
export type PostmanItem = {
  readonly name: string;
  readonly request: object;
  readonly event: readonly object[];
};

type Found = Omit<OpenAPIV3_1.OperationObject, 'parameters'> & {
  readonly parameters: readonly OpenAPIV3_1.ParameterObject[];
};

/** An operation of the document, with its parameters in full; undefined where the document has a part of the models. */
export function operationIn(
  { components, paths }: ContractDocument,
  { catalogue }: Contract,
  operation: Operation,
  model: Model,
): Found | undefined {
  const found = paths[templateOf(catalogue.base, model, operation)]?.[METHODS[operation]];
  if (!found) return undefined;
  const parameters = (found.parameters ?? []).map((one) => {
    if (!('$ref' in one)) return one;
    return components.parameters?.[one.$ref.split('/').at(-1) ?? ''] as OpenAPIV3_1.ParameterObject;
  });
  return { ...found, parameters };
}

/** A request of an operation, with the example of the document; `made` names the models that have a record by then. */
export function itemOf(
  operation: Operation,
  model: Model,
  contract: Contract,
  document: ContractDocument,
  made: ReadonlySet<string>,
): PostmanItem {
  const found = operationIn(document, contract, operation, model);
  const parameters = found?.parameters ?? [];
  const body = bodyOf(found?.requestBody as OpenAPIV3_1.RequestBodyObject | undefined, model, contract, made);
  const headers = parameters.filter((one) => one.in === 'header').map((one) => [one.name, exampleOf(one)]);
  return {
    name: found?.summary ?? operation,
    request: {
      method: METHODS[operation].toUpperCase(),
      description: found?.description ?? '',
      header: [...headers, ...(body ? [['Content-Type', body.type]] : [])].map(([key, value]) => ({
        key,
        value,
      })),
      url: urlOf(templateOf(contract.catalogue.base, model, operation), model, parameters),
      ...(body ? { body: body.body } : {}),
    },
    event: [
      { listen: 'test', script: { type: 'text/javascript', exec: scriptOf(operation, model, contract) } },
    ],
  };
}

function urlOf(template: string, model: Model, parameters: readonly OpenAPIV3_1.ParameterObject[]): object {
  const path = template
    .split('/')
    .slice(1)
    .map((step) => (step === '{id}' ? ':id' : step));
  const query = parameters
    .filter((one) => one.in === 'query')
    .map((one) => ({
      key: one.name,
      value: exampleOf(one),
      description: one.description ?? '',
      // A filter that is not asked for would narrow the list.
      ...(one.required === true ? {} : { disabled: true }),
    }));
  const sent = query.filter((one) => !('disabled' in one)).map(({ key, value }) => `${key}=${value}`);
  return {
    raw: `{{baseUrl}}/${path.join('/')}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
    host: ['{{baseUrl}}'],
    path,
    ...(query.length === 0 ? {} : { query }),
    ...(path.includes(':id') ? { variable: [{ key: 'id', value: `{{${idVariable(model)}}}` }] } : {}),
  };
}

function exampleOf({ example, schema }: OpenAPIV3_1.ParameterObject): string {
  const { enum: values, default: usual } = (schema ?? {}) as OpenAPIV3_1.SchemaObject;
  return String(example ?? usual ?? values?.[0] ?? '');
}

/** Looks at the status, and notes the id of a record that was made, or of the first one of a model that is only read. */
function scriptOf(operation: Operation, model: Model, { profile }: Contract): string[] {
  const test = "pm.test('status is 2xx', () => pm.response.to.be.success);";
  const notes = operation === 'create' || (operation === 'list' && !model.operations.includes('create'));
  if (!notes) return [test];
  const place = profile[operation === 'create' ? 'response.record' : 'response.records'];
  const record = `${at(pointerFor(place, model.name))}${operation === 'create' ? '' : '?.[0]'}`;
  return [
    test,
    `const id = pm.response.json()${record}?.id;`,
    `if (id !== undefined) pm.collectionVariables.set('${idVariable(model)}', id);`,
  ];
}

/** What stands at a JSON pointer, in JavaScript. */
function at(pointer: string): string {
  return splitPointer(pointer)
    .map((name) => `?.[${JSON.stringify(name)}]`)
    .join('');
}
