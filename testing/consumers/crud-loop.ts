import type { OpenAPIV3_1 } from 'openapi-types';
import type { ContractDocument } from '../../generator/generate.ts';
import { hasId, METHODS, operationId, schemaName, templateOf } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { stringifyForm } from '../../spec/wire/form.ts';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** What a loop needs: the contract with its document, and the address of a service that has the demo records. */
export type Loop = {
  readonly contract: Contract;
  readonly document: ContractDocument;
  readonly url: string;
};

/** What a loop found: requests that were not answered with success, and how many were sent. */
export type LoopResult = { readonly sent: number; readonly faults: readonly string[] };

/**
 * Lists the records of a model and retrieves the first; creates what each example of the document shows, and its
 * required fields alone; sends each record back whole as it was retrieved; deletes it.
 */
export async function loopModel(model: Model, { contract, document, url }: Loop): Promise<LoopResult> {
  const { catalogue, profile } = contract;
  const faults: string[] = [];
  let sent = 0;
  const can = (operation: Operation) => model.operations.includes(operation);
  const list = await ask('list');
  const first = (valueAt(list, profile['response.records']) as RecordValues[] | undefined)?.[0];
  if (first) await readBack(first.id);
  for (const body of can('create') ? bodiesOf(model, document) : []) {
    const created = recordIn(await ask('create', undefined, body));
    if (!created) continue;
    await readBack(created.id);
    if (can('delete')) await ask('delete', created.id);
  }
  return { sent, faults };

  async function readBack(id: Value | undefined): Promise<void> {
    const fetched = recordIn(await ask('retrieve', id));
    if (fetched && can('update')) await ask('update', id, sendable(fetched));
  }

  /** All of a record, or all that the profile does not refuse. */
  function sendable(record: RecordValues): RecordValues {
    if (profile['request.readonlyFields'] === 'ignore') return record;
    const writable = model.fields.filter((field) => !field.readonly && record[field.name] !== undefined);
    return Object.fromEntries(writable.map(({ name }) => [name, record[name] as Value]));
  }

  function recordIn(body: unknown): RecordValues | undefined {
    if (body === undefined) return undefined;
    return valueAt(body, profile['response.record']) as RecordValues | undefined;
  }

  async function ask(operation: Operation, id?: Value, body?: RecordValues): Promise<unknown> {
    sent += 1;
    const template = templateOf(catalogue.base, model, operation);
    const path = hasId(operation) ? template.replace('{id}', String(id)) : template;
    const isForm = profile['request.encoding'] === 'form';
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    const answer = await fetch(`${url}${path}${versionQuery()}`, {
      method: METHODS[operation].toUpperCase(),
      headers: { ...versionHeader(), ...(body && { 'content-type': type }) },
      ...(body && { body: isForm ? stringifyForm(body) : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.ok) return text === '' ? undefined : JSON.parse(text);
    faults.push(`${operationId(operation, model.name)}: ${answer.status} ${text.slice(0, 600)}`);
    return undefined;
  }

  function versionQuery(): string {
    const name = encodeURIComponent(profile['version.name']);
    return profile['version.in'] === 'query' ? `?${name}=${catalogue.version}` : '';
  }

  function versionHeader(): Record<string, string> {
    return profile['version.in'] === 'header' ? { [profile['version.name']]: catalogue.version } : {};
  }
}

/** The bodies of a create: each example of the document, and the required fields of the first. */
function bodiesOf(model: Model, { components, paths }: ContractDocument): RecordValues[] {
  const create = Object.entries(paths).find(([path]) => path.endsWith(`/${model.name}`))?.[1]?.post;
  const request = create?.requestBody as OpenAPIV3_1.RequestBodyObject | undefined;
  const [media] = Object.values(request?.content ?? {});
  const examples = Object.values(media?.examples ?? {}) as OpenAPIV3_1.ExampleObject[];
  const whole = examples.map(({ value }) => value as RecordValues);
  const required = components.schemas?.[`${schemaName(model.name)}Create`]?.required ?? [];
  return [Object.fromEntries(required.map((name) => [name, whole[0]?.[name] as Value])), ...whole];
}
