import { CONTROL, SESSION_NAME } from './address.ts';
import type { Endpoint, Schema } from './endpoint.ts';
import { FAULT_SCHEMA } from './faults/fault-rule.ts';

const object = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
const text = { type: 'string' };
const integer = { type: 'integer' };

/** The schemas that endpoints refer to. */
export const CONTROL_SCHEMAS: Readonly<Record<string, Schema>> = {
  State: {
    type: 'object',
    description: 'Records by model, in the form of fixtures.',
    additionalProperties: { type: 'array', items: { type: 'object' } },
  },
  Clock: object({ now: { type: 'string', format: 'date-time' }, frozen: { type: 'boolean' } }, [
    'now',
    'frozen',
  ]),
  Fault: FAULT_SCHEMA,
  Exchange: object(
    {
      id: integer,
      at: { type: 'string', format: 'date-time' },
      method: text,
      path: text,
      model: text,
      operation: text,
      recordId: integer,
      status: integer,
      ms: { type: 'number' },
      request: { type: 'object' },
      response: { type: 'object' },
      fault: text,
      detail: text,
      violations: {
        type: 'array',
        items: object({ pointer: text, parameter: text, message: text }, ['message']),
      },
      ignored: { type: 'array', items: text },
    },
    ['id', 'at', 'method', 'path', 'status', 'ms', 'request', 'response'],
  ),
  Problem: object({ type: text, title: text, status: integer, detail: text }, ['title', 'status']),
};

/** The OpenAPI document of the control plane. */
export function describeControl(endpoints: readonly Endpoint[], version: string): object {
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control plane of the Record Model mock',
      version,
      description:
        'State, faults, time and journal of the mock. All of it speaks of the session that the request names.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [],
    paths: Object.fromEntries(
      [...byPath].map(([path, all]) => [
        CONTROL + path,
        Object.fromEntries(all.map((endpoint) => [endpoint.method.toLowerCase(), describe(endpoint)])),
      ]),
    ),
    components: {
      schemas: CONTROL_SCHEMAS,
      parameters: {
        Session: {
          name: 'X-Mock-Session',
          in: 'header',
          description: 'The session; without it the one that all share.',
          schema: { type: 'string', pattern: SESSION_NAME.source },
        },
      },
    },
  };
}

function describe({ answers, body, id, path, query = {}, summary }: Endpoint): object {
  const variable = /\{(\w+)\}/.exec(path)?.[1];
  const inPath = variable ? [{ name: variable, in: 'path', required: true, schema: text }] : [];
  const inQuery = Object.entries(query).map(([name, parameter]) => ({ name, in: 'query', ...parameter }));
  const responses = Object.entries(answers).map(([status, { description, schema }]) => {
    const media = Number(status) < 400 ? 'application/json' : 'application/problem+json';
    const shown = Number(status) < 400 ? schema : { $ref: '#/components/schemas/Problem' };
    return [status, { description, ...(shown && { content: { [media]: { schema: shown } } }) }];
  });
  return {
    operationId: id,
    summary,
    parameters: [{ $ref: '#/components/parameters/Session' }, ...inPath, ...inQuery],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: Object.fromEntries([
      ...responses,
      [
        'default',
        {
          description: 'Why it was refused.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      ],
    ]),
  };
}
