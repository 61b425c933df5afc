import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { closest, UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { createAjv } from '../../spec/json-schema.ts';
import { onceFor } from '../../spec/once-for.ts';
import type { TypeSchema } from '../../spec/types/wire-type.ts';
import {
  CONTROL,
  type createGuard,
  type MockRequest,
  patternOf,
  refuseName,
  SESSION_NAME,
  type ServedReply,
  SHARED,
  splitTarget,
  type WhenDone,
} from '../http/http.ts';
import { DEEPEST_JSON, isDeeper, readText, TOO_DEEP } from '../operations/body.ts';
import { describeErrors } from '../operations/messages.ts';
import { problem, type Refusal } from '../operations/reply.ts';
import { FixtureMistakes } from '../seed/read-seeds.ts';
import { StoreAway, StoreDamaged, StoreFull } from '../store/store.ts';
import { type Action, type ActionParts, routeOf } from './action.ts';
import { ACTIONS } from './actions.ts';
import { ControlError, InvalidRecord, UnknownName } from './control-error.ts';
import { DOCS_PAGES } from './docs/docs.ts';
import { FAULT_SCHEMA } from './faults/fault-rule.ts';
import {
  type ActionSchema,
  all,
  BOOLEAN,
  INTEGER,
  MOMENT,
  OBJECT,
  object,
  schemaOf,
  TEXT,
} from './schema.ts';
import type { Session } from './sessions/session.ts';
import { type SessionApi, sessionMethods } from './sessions/session-api.ts';
import { SessionsFull } from './sessions/sessions.ts';

const LOOSE = { allErrors: true, verbose: true, strict: false };

/** The actions, and those that their document does not have. */
const ALL: readonly Action[] = [
  ...Object.values(ACTIONS),
  {
    route: 'GET /openapi.json',
    summary: 'Return this document.',
    answers: { 200: 'The OpenAPI 3.1 document.' },
    run: async ({ contract }) => describeControl(ACTIONS, contract.catalogue.version),
  },
  ...DOCS_PAGES,
];

export type Control = ReturnType<typeof createControl>;

/** Returns a function that answers the requests to the control API. */
export function createControl(options: ActionParts & { readonly guard: ReturnType<typeof createGuard> }) {
  return async (
    openSession: () => Promise<Session>,
    request: MockRequest,
    whenDone: WhenDone,
  ): Promise<ServedReply> => {
    const refused = options.guard(request);
    if (refused !== undefined) return problem(403, refused);
    try {
      const [path, search] = splitTarget(request.target);
      const { action, inPath } = findAction(request.method, path.slice(CONTROL.length));
      const sent = action.body && readJson(request.body, bodyValidator(action.body));
      const texts = readGiven(action, { ...readQuery(action, search), ...inPath });
      const session = await openSession();
      const given = {
        ...(action.bodyAs === undefined ? (sent as object) : { [action.bodyAs]: sent }),
        ...texts,
      };
      const context = { ...options, session, whenDone };
      const body = await action.stream?.(context, given as never);
      if (body) return { ...writeResult(action, {}), body };
      return writeResult(action, await action.run(context, given as never));
    } catch (error) {
      // The caller reports it in the log, too.
      if (error instanceof StoreDamaged) throw error;
      return explain(error);
    }
  };
}

function findAction(method: string, path: string) {
  const asked = method === 'HEAD' ? 'GET' : method;
  const here = ALL.flatMap((action) => {
    const { method: own, path: template } = routeOf(action);
    const found = patternOf(template).exec(path);
    return found ? [{ action, inPath: { ...found.groups }, own }] : [];
  });
  const found = here.find(({ own }) => own === asked);
  if (found) return found;
  const allow = here.map(({ own }) => own).join(', ');
  if (allow !== '')
    throw new ControlError(405, `${CONTROL}${path} does not support ${method}. Use ${allow}.`, { allow });
  const paths = ALL.map((one) => CONTROL + routeOf(one).path);
  const near = closest(CONTROL + path, paths);
  throw new ControlError(
    404,
    `The control API has no ${CONTROL}${path}. ${near === undefined ? `GET ${CONTROL}/openapi.json lists its endpoints.` : `Did you mean ${near}?`}`,
  );
}

/** Returns the first text of each parameter. Throws UsageError for a parameter that the action does not have. */
function readQuery({ query = {} }: Action, search: string): Readonly<Record<string, string>> {
  const texts = [...new URLSearchParams(search)];
  for (const [name] of texts)
    if (!Object.hasOwn(query, name)) throw new UsageError(unexpected('parameter', name, Object.keys(query)));
  return Object.fromEntries(texts.toReversed());
}

/** Returns the values of an action by their schemas. Throws UsageError for an unknown or invalid one. */
function readGiven(action: Action, given: object): object {
  const { query = {} } = action;
  const known = [...Object.keys(query), ...routeOf(action).variables, action.bodyAs];
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!known.includes(name)) throw new UsageError(unexpected('parameter', name, Object.keys(query)));
    const { schema } = query[name] ?? {};
    if (schema?.type === 'array' && typeof value === 'string')
      values[name] = value.split(',').filter(Boolean);
    else values[name] = schema ? readText(schema as TypeSchema, value) : value;
  }
  const validate = queryValidator(query);
  const [wrong] = validate(values) ? [] : describeErrors(validate.errors ?? []);
  if (wrong) throw new UsageError(`${wrong.pointer.slice(1)} ${wrong.message}.`);
  return values;
}

const queryValidator = onceFor((query: NonNullable<Action['query']>) => {
  const schemas = Object.entries(query).map(([name, { schema }]) => [name, schema]);
  return ajv().compile({ type: 'object', properties: Object.fromEntries(schemas) });
});

const bodyValidator = onceFor(({ $ref, ...schema }: ActionSchema) =>
  ajv().compile($ref ? { $ref: `control${$ref}` } : schema),
);

let made: ReturnType<typeof createAjv> | undefined;

/** Created on its first use, because it takes long to load. */
function ajv() {
  made ??= createAjv(LOOSE).addSchema({ $id: 'control', components: { schemas: CONTROL_SCHEMAS } });
  return made;
}

function readJson(body: MockRequest['body'], validate: ValidateFunction): unknown {
  if (body === 'too-large')
    throw new ControlError(413, 'The body is longer than the mock accepts. Send a shorter one.');
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body ?? []).toString());
  } catch (error) {
    throw new ControlError(400, `The body is not valid JSON: ${(error as Error).message}.`);
  }
  if (isDeeper(value, DEEPEST_JSON)) throw new ControlError(422, `The body ${TOO_DEEP}`);
  if (validate(value)) return value;
  const isName = ({ keyword, params }: ErrorObject) =>
    keyword === 'pattern' && params.pattern === SESSION_NAME.source;
  const name = validate.errors?.find(isName);
  if (name) throw new ControlError(422, refuseName(String(name.data), name.instancePath.slice(1)));
  const violations = describeErrors(validate.errors ?? [], 'member');
  const detail = violations.map(({ message, pointer }) => `${pointer || 'The body'} ${message}`).join('; ');
  throw new ControlError(422, detail, { violations });
}

/** Writes the result of an action as JSON, unless the action has its own format. */
function writeResult({ answers, write }: Action, result: unknown): ServedReply {
  if (write) return write(result as never);
  if (result === undefined) return { status: 204, headers: {}, body: '' };
  return {
    status: Number(Object.keys(answers)[0]),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(result),
  };
}

/** Returns the response to an error that the control API reports. Throws any other error. */
export function explain(error: unknown): ServedReply {
  if (error instanceof ControlError) {
    const { allow, ...more } = error.more as { allow?: string };
    return problem(error.status, error.message, more, allow === undefined ? {} : { allow });
  }
  if (error instanceof FixtureMistakes) return problem(422, error.message, { mistakes: error.mistakes });
  if (error instanceof InvalidRecord) return problem(422, error.message, { violations: error.violations });
  if (error instanceof UsageError) return problem(error instanceof UnknownName ? 404 : 422, error.message);
  const refusal = refusalOf(error);
  if (refusal) return problem(refusal.status, refusal.detail, {}, refusal.headers);
  throw error;
}

/** Returns the refusal if the mock has no space or no database; undefined for other errors. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof SessionsFull) return { status: 429, detail: error.message };
  if (error instanceof StoreFull) return { status: 507, detail: error.message };
  if (error instanceof StoreDamaged) return { status: 500, detail: error.message };
  if (error instanceof StoreAway)
    return { status: 503, detail: error.message, headers: { 'retry-after': '1' } };
  return undefined;
}

/** Answers a probe. No cache keeps the response, because it holds only now. */
export async function answerProbe(target: string, check: ActionParts['check']): Promise<ServedReply> {
  const isReady = splitTarget(target)[0] === CONTROL + routeOf(ACTIONS.getReady).path;
  const probe = isReady ? ACTIONS.getReady : ACTIONS.getLive;
  const reply = await probe.run({ check }).then((result) => writeResult(probe, result), explain);
  return { ...reply, headers: { ...reply.headers, 'cache-control': 'no-store' } };
}

/** A session of a mock in this process. Throws UsageError for a name that no session can have. */
export function createOwnSession(
  name: string,
  parts: ActionParts,
  fetch: (request: Request) => Promise<Response>,
): SessionApi {
  if (!SESSION_NAME.test(name)) throw new UsageError(refuseName(name));
  return {
    ...sessionMethods(async (action, given) => {
      const read = action.query && given ? readGiven(action, given) : given;
      return action.run({ ...parts, session: await parts.sessions.use(name) }, read as never);
    }),
    delete: async () => {
      if (name === SHARED) throw new UsageError("The shared session can't be deleted. Reset it instead.");
      await parts.sessions.delete(name);
    },
    fetch: (request) => {
      const own = new Request(request);
      own.headers.set('x-mock-session', name);
      return fetch(own);
    },
  };
}

const CONTROL_SCHEMAS: Readonly<Record<string, ActionSchema>> = {
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
    about: 'The records of a session one by one.',
    of: ['records', 'generate', 'samples', 'counts'],
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

export function describeControl(actions: Readonly<Record<string, Action>>, version: string): object {
  const byPath = Map.groupBy(Object.entries(actions), ([, action]) => routeOf(action).path);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the mock',
      version,
      description:
        'Records, sessions, snapshots, faults, clock, and request log of the mock. Most requests concern one session.',
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
