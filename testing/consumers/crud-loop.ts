import type { OpenAPIV3_1 } from 'openapi-types';
import type { ContractDocument } from '../../generator/generate.ts';
import { hasId, METHODS, operationId, schemaName, templateOf } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { headerIn, placeIn } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { stringifyForm } from '../../spec/wire/form.ts';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { credentialsFor } from '../in-process-target.ts';
import type { Outcome } from './consumer.ts';

/** The input of a loop: a contract with its document, and the URL of a service with the demo records. */
export type Loop = {
  readonly contract: Contract;
  readonly document: ContractDocument;
  readonly url: string;
};

/**
 * Lists the records of a model and retrieves the first; creates what each example of the document shows, and its
 * only the required fields; sends each record back whole as it was retrieved; deletes it.
 */
export async function loopModel(model: Model, { contract, document, url }: Loop): Promise<Outcome> {
  const { catalogue, profile } = contract;
  const faults: string[] = [];
  let count = 0;
  const can = (operation: Operation) => model.operations.includes(operation);
  const list = await ask('list');
  const shown =
    (valueAt(list, pointerFor(profile['response.records'], model.name)) as RecordValues[] | undefined) ?? [];
  // A list may show what is deleted, too.
  const first = shown.find(({ deleted }) => !deleted);
  if (first) await readBack(first.id);
  const made: (Value | undefined)[] = [];
  for (const body of can('create') ? bodiesOf(model, document) : []) {
    const created = recordIn(await ask('create', undefined, body));
    if (!created) continue;
    await readBack(created.id);
    made.push(created.id);
  }
  // At the end, since a record takes its lines with it, which the next may name.
  for (const id of can('delete') ? made : []) await ask('delete', id);
  return { count, faults };

  async function readBack(id: Value | undefined): Promise<void> {
    const fetched = recordIn(await ask('retrieve', id));
    if (fetched && can('update')) await ask('update', id, sendable(fetched));
  }

  /** Returns a record without the fields that the profile refuses. A form omits null. */
  function sendable(record: RecordValues, of: Model = model): RecordValues {
    const fields = new Map(of.fields.map((field) => [field.name, field]));
    const kept = Object.entries(record).flatMap(([name, value]): [string, Value][] => {
      const { readonly, lines } = fields.get(name) ?? {};
      if (readonly && profile['request.readonlyFields'] === 'reject') return [];
      if (value === null && profile['request.encoding'] === 'form') return [];
      const line = catalogue.models.get(lines ?? '');
      if (!line || !Array.isArray(value) || profile['types.lines'] === 'ids') return [[name, value]];
      return [[name, value.map((one) => sendable(one as RecordValues, line))]];
    });
    return Object.fromEntries(kept);
  }

  function recordIn(body: unknown): RecordValues | undefined {
    if (body === undefined) return undefined;
    return valueAt(body, pointerFor(profile['response.record'], model.name)) as RecordValues | undefined;
  }

  async function ask(operation: Operation, id?: Value, body?: RecordValues): Promise<unknown> {
    count += 1;
    const template = templateOf(catalogue.base, model, operation);
    const path = hasId(operation) ? template.replace('{id}', String(id)) : template;
    const isForm = profile['request.encoding'] === 'form';
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    const answer = await fetch(`${url}${path}${queryOf(contract)}`, {
      method: METHODS[operation].toUpperCase(),
      headers: { ...headersOf(contract), ...(body && { 'content-type': type }) },
      ...(body && { body: isForm ? stringifyForm(body) : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.ok) return text === '' ? undefined : JSON.parse(text);
    faults.push(`${operationId(operation, model.name)}: ${answer.status} ${text.slice(0, 600)}`);
    return undefined;
  }
}

/** Returns the query of each request: the version, if the profile requires it there. */
export function queryOf({ catalogue, profile }: Contract): string {
  const place = placeIn(profile.version);
  return place?.in === 'query' ? `?${encodeURIComponent(place.name)}=${catalogue.version}` : '';
}

/** Returns the headers of each request: credentials, which can be any, and the version. */
export function headersOf({ catalogue, profile }: Contract): Readonly<Record<string, string>> {
  const name = headerIn(profile.version);
  const version = name === undefined ? {} : { [name]: catalogue.version };
  return { ...credentialsFor(profile), ...version };
}

/** The bodies that the document shows for an operation. */
export function exampleBodies(
  operation: 'create' | 'update',
  model: Model,
  { paths }: ContractDocument,
): RecordValues[] {
  const id = operationId(operation, model.name);
  const posts = Object.values(paths).flatMap((item) => (item?.post ? [item.post] : []));
  const request = posts.find((one) => one.operationId === id)?.requestBody;
  const [media] = Object.values((request as OpenAPIV3_1.RequestBodyObject | undefined)?.content ?? {});
  const examples = Object.values(media?.examples ?? {}) as OpenAPIV3_1.ExampleObject[];
  return examples.map(({ value }) => value as RecordValues);
}

/** The bodies of a create: each example of the document, and the required fields of the first. */
function bodiesOf(model: Model, document: ContractDocument): RecordValues[] {
  const whole = exampleBodies('create', model, document);
  const required = document.components.schemas?.[`${schemaName(model.name)}Create`]?.required ?? [];
  return [Object.fromEntries(required.map((name) => [name, whole[0]?.[name] as Value])), ...whole];
}
