import type { OpenAPIV3_1 } from 'openapi-types';
import { expect, it } from 'vitest';
import { createMock, type Mock } from '../mock/mock.ts';
import { createProfile } from '../spec/profile/profile.ts';
import { stringifyForm } from '../spec/wire/form.ts';
import type { RecordValues } from '../spec/wire/record-codec.ts';
import { demo as records } from '../testing/demo.ts';
import { catalogue, references } from '../testing/mocks/mocks.ts';
import { SOURCE } from '../testing/source-facts.ts';
import { generateDocument } from './generate.ts';

/** The default profile, and profiles with other requests, envelopes, and forms of values. */
const PROFILES: Readonly<Record<string, unknown>>[] = [
  {},
  { 'request.encoding': 'form', 'types.currency': 'minor', 'types.bool': 'int', 'types.select': 'string' },
  { 'request.update': 'full', 'response.unset': 'absent', 'delete.effect': 'remove', 'status.deleted': 204 },
  {
    'response.record': '/data',
    'response.records': '/data/items',
    'types.select': 'object',
    'request.readonlyFields': 'reject',
    'types.lines': 'ids',
    'types.manyToMany': 'objects',
  },
  {
    'types.currency': 'string',
    'types.percent': 'string',
    'types.datetime': 'space',
    'limits.text': 40,
    'types.time': 'minutes',
    'types.duration': 'seconds',
    'types.daysOfWeek': 'mask',
    version: 'header Api-Version',
    'request.unknownFields': 'ignore',
    'delete.answer': 'flag',
    transitions: {
      'stockOrder.status': { new: [2], 0: [1], 1: [2], 2: [0], 3: [] },
      'relationship.status': { new: [4], 1: [], 2: [], 3: [], 4: [1] },
    },
  },
  {
    except: {
      'customer.disabled': { 'types.bool': 'int' },
      'customer.gender': { 'types.select': 'string' },
      'stockOrder.lines': { 'types.lines': 'ids' },
      brand: { 'status.created': 200, 'response.record': '/data' },
      locker: { 'request.update': 'full', 'request.readonlyFields': 'reject' },
      shareTransfer: { 'types.currency': 'string', 'list.filter': 'brackets' },
    },
  },
];

type Sent = {
  operationId: string;
  method: string;
  path: string;
  body?: unknown;
  headers: Record<string, string>;
};

it.each(PROFILES)('the mock accepts each example of each operation, under %j', async (settings) => {
  const contract = { catalogue, profile: createProfile(settings, catalogue), references };
  const mock = await createMock({ ...contract, fixtures: records });
  const document = generateDocument(contract, { records });
  const isForm = contract.profile['request.encoding'] === 'form';
  const sent = [...requestsOf(document)];
  expect(new Set(sent.map(({ operationId }) => operationId)).size).toBe(SOURCE.totals.operations);
  const refused: string[] = [];
  // Deleted records can't be retrieved, and deleting a parent deletes its lines.
  const forks = new Map<string, Mock>();
  for (const { operationId, method, path, body, headers } of sent.toSorted(deletesLast)) {
    const fields = body as RecordValues;
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    const [, , , model = ''] = path.split('/');
    const fork = forks.get(model) ?? (await mock.fork());
    forks.set(model, fork);
    const response = await fork.fetch(
      new Request(`http://127.0.0.1:4010${path}`, {
        method: method.toUpperCase(),
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
        ...(body === undefined ? {} : { body: isForm ? stringifyForm(fields) : JSON.stringify(fields) }),
      }),
    );
    if (!response.ok) refused.push(`${operationId}: ${response.status} ${await response.text()}`);
  }
  expect(refused).toEqual([]);
});

function deletesLast(one: Sent, other: Sent): number {
  return Number(one.method === 'delete') - Number(other.method === 'delete');
}

/** The requests that a reader of the document can send: each operation with each of its examples. */
function* requestsOf(document: OpenAPIV3_1.Document): Generator<Sent> {
  const parameters = document.components?.parameters ?? {};
  for (const [template, item] of Object.entries(document.paths ?? {}))
    for (const method of ['get', 'post', 'delete'] as const) {
      const operation = item?.[method];
      if (!operation) continue;
      let path = template;
      const headers: Record<string, string> = {};
      for (const given of operation.parameters ?? []) {
        const found = '$ref' in given ? parameters[given.$ref.split('/').at(-1) ?? ''] : given;
        const parameter = found as OpenAPIV3_1.ParameterObject;
        if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, String(parameter.example));
        if (parameter.in === 'header') headers[parameter.name] = catalogue.version;
      }
      const request = { operationId: operation.operationId ?? '', method, path, headers };
      const body = operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined;
      const [media] = Object.values(body?.content ?? {});
      if (!media) yield request;
      for (const example of Object.values(media?.examples ?? {}))
        yield { ...request, body: (example as OpenAPIV3_1.ExampleObject).value };
    }
}
