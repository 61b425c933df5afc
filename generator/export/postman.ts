import type { OpenAPIV3_1 } from 'openapi-types';
import { METHODS, templateOf } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { headerIn, type Profile, profileAt } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { stringifyForm } from '../../spec/wire/form.ts';
import { splitPointer } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { ContractDocument } from '../generate.ts';
import { type Selection, selectModels } from '../selection.ts';

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
 * Returns a collection for Postman and newman that runs from top to bottom without changes. It has one folder per model,
 * ordered so that a record is created after those it refers to. Variables pass on the IDs of created records. Deletes
 * come last, lines before their parents. Takes a document in OpenAPI 3.1 of the same contract. Pure.
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

/** How a collection authenticates, with the variables that a user sets. */
function authOf(profile: Profile): { auth?: object; variables: (readonly [name: string, value: string])[] } {
  const part = (key: string, value: string) => ({ key, value, type: 'string' });
  switch (profile.auth) {
    case 'none':
      return { variables: [] };
    case 'bearer':
      return {
        auth: { type: 'bearer', bearer: [part('token', '{{token}}')] },
        variables: [['token', 'token']],
      };
    case 'basic':
      return {
        auth: {
          type: 'basic',
          basic: [part('username', '{{username}}'), part('password', '{{password}}')],
        },
        variables: [
          ['username', 'user'],
          ['password', 'password'],
        ],
      };
    default:
      return {
        auth: {
          type: 'apikey',
          apikey: [
            part('key', headerIn(profile.auth) ?? ''),
            part('value', '{{apiKey}}'),
            part('in', 'header'),
          ],
        },
        variables: [['apiKey', 'key']],
      };
  }
}

/**
 * The order in which records of models are made, each after what it refers to, and that in which they are deleted, the
 * other way round. References that lead in a circle are followed as far as they don't.
 */
function orderOf(
  models: readonly Model[],
  { catalogue, profile, references }: Contract,
): { readonly made: readonly Model[]; readonly deleted: readonly Model[] } {
  const named = new Map(models.map((model) => [model.name, model]));
  const linesAreIds = profile['types.lines'] === 'ids';
  const made = sort((model) => [
    ...(linesAreIds ? linesIn(model) : linesIn(model).flatMap((name) => referredByLine(name, model))),
    // A line that is named by its parent can't name it too.
    ...referredBy(model).filter((name) => !(linesAreIds && holds(name, model.name))),
  ]);
  // Deleting a record also deletes its lines.
  const parentsFirst = sort((model) => [...parentsOf(model), ...referredBy(model)]);
  return { made, deleted: parentsFirst.toReversed() };

  function sort(before: (model: Model) => readonly string[]): Model[] {
    const placed = new Set<Model>();
    const begun = new Set<Model>();
    const place = (model: Model | undefined) => {
      if (!model || begun.has(model)) return;
      begun.add(model);
      for (const name of before(model)) place(named.get(name));
      placed.add(model);
    };
    for (const model of models) place(model);
    return [...placed];
  }

  function referredBy({ fields }: Model): string[] {
    return fields.flatMap(({ key }) => {
      const reference = references.get(key);
      return reference && 'to' in reference ? [reference.to] : [];
    });
  }

  function linesIn({ fields }: Model): string[] {
    return fields.flatMap(({ lines }) => lines ?? []);
  }

  function referredByLine(line: string, parent: Model): string[] {
    const model = catalogue.models.get(line);
    return model ? referredBy(model).filter((name) => name !== parent.name) : [];
  }

  function holds(parent: string, line: string): boolean {
    return catalogue.models.get(parent)?.fields.some(({ lines }) => lines === line) ?? false;
  }

  function parentsOf({ name }: Model): string[] {
    return models.filter((model) => holds(model.name, name)).map((model) => model.name);
  }
}

/** A request with the scripts that run after it. */
type PostmanItem = {
  readonly name: string;
  readonly request: object;
  readonly event: readonly object[];
};

/** An operation of the document, with its parameters in full; undefined where the document has a part of the models. */
function operationIn(
  { components, paths }: ContractDocument,
  { catalogue }: Contract,
  operation: Operation,
  model: Model,
) {
  const found = paths[templateOf(catalogue.base, model, operation)]?.[METHODS[operation]];
  if (!found) return undefined;
  const parameters = (found.parameters ?? []).map((one) => {
    if (!('$ref' in one)) return one;
    return components.parameters?.[one.$ref.split('/').at(-1) ?? ''] as OpenAPIV3_1.ParameterObject;
  });
  return { ...found, parameters };
}

/** A request of an operation, with the example of the document; `made` names the models that have a record by then. */
function itemOf(
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
  const place = profileAt(profile, model.name)[
    operation === 'create' ? 'response.record' : 'response.records'
  ];
  const record = `${at(pointerFor(place, model.name))}${operation === 'create' ? '' : '?.[0]'}`;
  return [
    test,
    `const id = pm.response.json()${record}?.id;`,
    `if (id !== undefined) pm.collectionVariables.set('${idVariable(model)}', id);`,
  ];
}

/** Returns the JavaScript expression for a JSON pointer. */
function at(pointer: string): string {
  return splitPointer(pointer)
    .map((name) => `?.[${JSON.stringify(name)}]`)
    .join('');
}

/** The variable that holds the id of a record of the model. */
function idVariable({ name }: Pick<Model, 'name'>): string {
  return `${name}Id`;
}

/**
 * The body of a request, with ids of other records as variables; undefined where there is none. A field for a record
 * that is not made yet is left out where it may be.
 */
function bodyOf(
  request: OpenAPIV3_1.RequestBodyObject | undefined,
  model: Model,
  contract: Contract,
  made: ReadonlySet<string>,
): { readonly type: string; readonly body: object } | undefined {
  const [[type, media] = ['', undefined]] = Object.entries(request?.content ?? {});
  if (!media) return undefined;
  const { value } = (media.examples?.default ?? { value: {} }) as OpenAPIV3_1.ExampleObject;
  const sent = withVariables(value as RecordValues, model, contract, made);
  if (type !== 'application/json') return { type, body: { mode: 'urlencoded', urlencoded: pairsOf(sent) } };
  // A variable is a number, so it has no quotes.
  const raw = JSON.stringify(sent, null, 2).replace(/"(\{\{\w+\}\})"/g, '$1');
  return { type, body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } };
}

function withVariables(
  values: RecordValues,
  model: Model,
  contract: Contract,
  made: ReadonlySet<string>,
): RecordValues {
  const { catalogue, references } = contract;
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, Value][] => {
      const field = model.fields.find((one) => one.name === name);
      const reference = field && references.get(field.key);
      const line = field?.lines === undefined ? undefined : catalogue.models.get(field.lines);
      if (line && Array.isArray(value)) return [[name, linesWithVariables(value, line, contract, made)]];
      if (value === null || reference === undefined || !('to' in reference)) return [[name, value]];
      if (!made.has(reference.to) && !field?.required) return [];
      const variable = `{{${idVariable({ name: reference.to })}}}`;
      return [[name, Array.isArray(value) ? value.slice(0, 1).map((one) => idOf(one, variable)) : variable]];
    }),
  );
}

/** Returns an ID, or an object with it under `types.manyToMany: objects`. */
function idOf(item: Value, id: string): Value {
  return item !== null && typeof item === 'object' ? { ...item, id } : id;
}

/** Lines in full keep their number; of those given as ids there is the one that was made. */
function linesWithVariables(
  lines: readonly Value[],
  line: Model,
  contract: Contract,
  made: ReadonlySet<string>,
): Value {
  if (lines.every((one) => typeof one === 'number'))
    return lines.slice(0, 1).map(() => `{{${idVariable(line)}}}`);
  return lines.map((one) => withVariables(one as RecordValues, line, contract, made));
}

function pairsOf(values: RecordValues): object[] {
  return stringifyForm(values)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
      return { key, value: decodeURIComponent(value), type: 'text' };
    });
}
