import { type Action, routeOf } from './action.ts';
import { CONTROL, SESSION_NAME } from './address.ts';
import { FAULT_SCHEMA } from './faults/fault-rule.ts';
import { all, BOOLEAN, INTEGER, MOMENT, OBJECT, object, type Schema, schemaOf, TEXT } from './schema.ts';

/** The schemas that actions refer to. */
export const CONTROL_SCHEMAS: Readonly<Record<string, Schema>> = {
  State: {
    type: 'object',
    description: 'Records by model, as in fixtures.',
    additionalProperties: { type: 'array', items: { type: 'object' } },
  },
  Clock: object({ now: MOMENT, frozen: BOOLEAN }),
  Fault: FAULT_SCHEMA,
  Exchange: object(
    {
      id: INTEGER,
      session: TEXT,
      at: MOMENT,
      method: TEXT,
      path: TEXT,
      model: TEXT,
      operation: TEXT,
      recordId: INTEGER,
      status: INTEGER,
      ms: { type: 'number' },
      request: OBJECT,
      response: OBJECT,
      fault: TEXT,
      forwarded: BOOLEAN,
      detail: TEXT,
      violations: all(object({ pointer: TEXT, parameter: TEXT, location: TEXT, message: TEXT }, ['message'])),
      ignored: all(TEXT),
    },
    ['id', 'session', 'at', 'method', 'path', 'status', 'ms', 'request', 'response'],
  ),
  Forward: {
    ...object({ url: TEXT, enabled: BOOLEAN, models: all(TEXT), write: BOOLEAN }),
    description: 'The service that answers the models, and whether requests are forwarded to it now.',
  },
  Problem: object({ type: TEXT, title: TEXT, status: INTEGER, detail: TEXT }, ['title', 'status']),
};

/** The groups of endpoints. The last one has all whose first segment no other one has. */
const TAGS = [
  { name: 'Sessions', about: 'Isolated copies of the records.', of: ['sessions'] },
  { name: 'State', about: 'The records of a session.', of: ['state', 'reset', 'snapshots'] },
  {
    name: 'Records',
    about: 'The records of a session one by one, and what was written.',
    of: ['records', 'generate', 'samples', 'counts', 'undo', 'changes'],
  },
  {
    name: 'Request log',
    about: 'The requests of a session, with their responses.',
    of: ['requests', 'events'],
  },
  { name: 'Faults', about: 'Failures on purpose, such as errors and delays.', of: ['faults'] },
  { name: 'Clock', about: 'The time of a session.', of: ['clock'] },
  { name: 'Forwarding', about: 'The service that answers some models, in all sessions.', of: ['forward'] },
  { name: 'Mock', about: 'The mock itself.', of: [''] },
];

function tagOf({ route }: Action) {
  const [, segment = ''] = route.split('/');
  return TAGS.find(({ of }) => of.includes(segment)) ?? TAGS.at(-1);
}

/** The OpenAPI document of the control plane. */
export function describeControl(actions: Readonly<Record<string, Action>>, version: string): object {
  const byPath = Map.groupBy(Object.entries(actions), ([, action]) => routeOf(action).path);
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
    tags: [...new Set(Object.values(actions).map(tagOf))].map((tag) => ({
      name: tag?.name,
      description: tag?.about,
    })),
    servers: [{ url: '/' }],
    security: [],
    paths: Object.fromEntries(
      [...byPath].map(([path, all]) => [
        CONTROL + path,
        Object.fromEntries(
          all.map(([id, action]) => [routeOf(action).method.toLowerCase(), describe(id, action)]),
        ),
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
  const inPath = routeOf(action).variables.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: TEXT,
  }));
  const inQuery = Object.entries(query).map(([name, parameter]) => ({
    name,
    in: 'query',
    ...parameter,
    ...(parameter.schema.type === 'array' && { explode: false }),
  }));
  const problem = (description: string) => ({
    description,
    content: { 'application/problem+json': { schema: schemaOf('Problem') } },
  });
  const responses = Object.entries<Action['answers'][number]>(answers).map(([status, answer]) => {
    const [description, schema] = typeof answer === 'string' ? [answer] : answer;
    if (Number(status) >= 400) return [status, problem(description)];
    return [status, { description, ...(schema && { content: { 'application/json': { schema } } }) }];
  });
  return {
    operationId: id,
    summary,
    description: `${summary} Clients on other machines need the token of --control-token.`,
    tags: [tagOf(action)?.name],
    parameters: [{ $ref: '#/components/parameters/Session' }, ...inPath, ...inQuery],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      ...Object.fromEntries(responses),
      403: problem('The client is not on this machine and did not send the token.'),
      default: problem('The reason for the rejection.'),
    },
  };
}
