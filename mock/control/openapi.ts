import { type Action, type Schema, variablesOf } from './action.ts';
import { CONTROL, SESSION_NAME } from './address.ts';
import { FAULT_SCHEMA } from './faults/fault-rule.ts';

const object = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
const text = { type: 'string' };
const integer = { type: 'integer' };
const listOfTexts = { type: 'array', items: text };

/** The schemas that actions refer to. */
export const CONTROL_SCHEMAS: Readonly<Record<string, Schema>> = {
  State: {
    type: 'object',
    description: 'Records by model, as in fixtures.',
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
      session: text,
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
      forwarded: { type: 'boolean' },
      detail: text,
      violations: {
        type: 'array',
        items: object({ pointer: text, parameter: text, location: text, message: text }, ['message']),
      },
      ignored: { type: 'array', items: text },
    },
    ['id', 'session', 'at', 'method', 'path', 'status', 'ms', 'request', 'response'],
  ),
  Forward: {
    ...object({ url: text, enabled: { type: 'boolean' }, models: listOfTexts, write: { type: 'boolean' } }, [
      'url',
      'enabled',
      'models',
      'write',
    ]),
    description: 'The service that answers the models, and whether requests are forwarded to it now.',
  },
  Problem: object({ type: text, title: text, status: integer, detail: text }, ['title', 'status']),
};

const RECORDS = ['Records', 'The records of a session one by one, and what was written.'] as const;

/** By the first segment of a path. */
const TAGS: Readonly<Record<string, readonly [name: string, about: string]>> = {
  sessions: ['Sessions', 'Isolated copies of the records.'],
  state: ['State', 'The records of a session.'],
  reset: ['State', 'The records of a session.'],
  records: RECORDS,
  generate: RECORDS,
  samples: RECORDS,
  counts: RECORDS,
  undo: RECORDS,
  changes: RECORDS,
  snapshots: ['State', 'The records of a session.'],
  requests: ['Request log', 'The requests of a session, with their responses.'],
  events: ['Request log', 'The requests of a session, with their responses.'],
  faults: ['Faults', 'Failures on purpose, such as errors and delays.'],
  clock: ['Clock', 'The time of a session.'],
  forward: ['Forwarding', 'The service that answers some models, in all sessions.'],
};
const OF_MOCK = ['Mock', 'The mock itself.'] as const;

function tagOf({ path }: Action): readonly [name: string, about: string] {
  return TAGS[path.split('/')[1] ?? ''] ?? OF_MOCK;
}

/** The OpenAPI document of the control plane. */
export function describeControl(actions: Readonly<Record<string, Action>>, version: string): object {
  const byPath = Map.groupBy(Object.entries(actions), ([, { path }]) => path);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the mock',
      version,
      description:
        'Records, sessions, snapshots, faults, clock, and request log of the mock. Each request concerns one session.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The maintainers of record-model-contract' },
    },
    tags: [...new Map(Object.values(actions).map(tagOf))].map(([name, description]) => ({
      name,
      description,
    })),
    servers: [{ url: '/' }],
    security: [],
    paths: Object.fromEntries(
      [...byPath].map(([path, all]) => [
        CONTROL + path,
        Object.fromEntries(all.map(([id, action]) => [action.method.toLowerCase(), describe(id, action)])),
      ]),
    ),
    components: {
      schemas: CONTROL_SCHEMAS,
      parameters: {
        Session: {
          name: 'X-Mock-Session',
          in: 'header',
          description: 'The name of the session. Without it, the request concerns the shared session.',
          schema: { type: 'string', pattern: SESSION_NAME.source },
        },
      },
    },
  };
}

function describe(id: string, action: Action): object {
  const { answers, body, query = {}, summary } = action;
  const inPath = variablesOf(action).map((name) => ({ name, in: 'path', required: true, schema: text }));
  const inQuery = Object.entries(query).map(([name, parameter]) => ({ name, in: 'query', ...parameter }));
  const all = {
    ...answers,
    403: { description: 'The client is not on this machine and did not send the token.' },
  };
  const responses = Object.entries<Action['answers'][number]>(all).map(
    ([status, { description, schema }]) => {
      const media = Number(status) < 400 ? 'application/json' : 'application/problem+json';
      const shown = Number(status) < 400 ? schema : { $ref: '#/components/schemas/Problem' };
      return [status, { description, ...(shown && { content: { [media]: { schema: shown } } }) }];
    },
  );
  return {
    operationId: id,
    summary,
    description: `${summary} Clients on other machines need the token of --control-token.`,
    tags: [tagOf(action)[0]],
    parameters: [{ $ref: '#/components/parameters/Session' }, ...inPath, ...inQuery],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: Object.fromEntries([
      ...responses,
      [
        'default',
        {
          description: 'The reason for the rejection.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      ],
    ]),
  };
}
