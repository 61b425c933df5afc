import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { closest, UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { createAjv } from '../../spec/json-schema.ts';
import { type MockRequest, type ServedReply, splitTarget, type WhenDone } from '../http/http.ts';
import { DEEPEST_JSON, isDeeper, TOO_DEEP } from '../operations/body.ts';
import { describeErrors } from '../operations/messages.ts';
import { problemOf } from '../operations/reply.ts';
import { FixtureMistakes } from '../seed/read-seeds.ts';
import { StoreAway, StoreFull } from '../store/store.ts';
import { CONTROL } from './address.ts';
import { ControlError, type Endpoint, json } from './endpoint.ts';
import type { Guard } from './guard.ts';
import { journalEndpoints } from './journal/journal-endpoints.ts';
import type { JournalView } from './journal/journal-view.ts';
import { CONTROL_SCHEMAS, describeControl } from './openapi.ts';
import { asksForPage, type PageFacts, writePage } from './page.ts';
import type { Probe } from './probes.ts';
import { SessionsFull } from './sessions/retirement.ts';
import { type SessionEndpointsOptions, sessionEndpoints } from './sessions/session-endpoints.ts';
import type { Session } from './sessions/sessions.ts';

export type ControlOptions = SessionEndpointsOptions & {
  readonly probes: readonly Probe[];
  readonly catalogue: Catalogue;
  readonly view: JournalView;
  readonly guard: Guard;
};

/** Answers a request below `/__mock` for a session; never through the contract. */
export type Control = {
  answer(openSession: () => Promise<Session>, request: MockRequest, whenDone: WhenDone): Promise<ServedReply>;
  /** The page that a browser gets at `/`; undefined for other requests, and for whom the control plane is not open. */
  page(openSession: () => Promise<Session>, request: MockRequest): Promise<ServedReply | undefined>;
  /** Its own OpenAPI document, served at `/__mock/openapi.json`. */
  readonly document: object;
};

/** How many the page shows. */
const LAST_REQUESTS = 20;

export function createControl(options: ControlOptions): Control {
  const endpoints = [
    ...options.probes,
    ...sessionEndpoints(options),
    ...journalEndpoints(options.view, options.reader, options.refuseUnknown),
  ];
  const document = describeControl(endpoints, options.version);
  endpoints.push({
    method: 'GET',
    path: '/openapi.json',
    id: 'getControlDocument',
    summary: 'Return this document.',
    answers: { 200: { description: 'The OpenAPI 3.1 document.', schema: { type: 'object' } } },
    run: async () => json(200, document),
  });
  // A dev server has the page of its app at `/`.
  for (const path of ['', '/'])
    endpoints.push({
      method: 'GET',
      path,
      id: 'getPage',
      summary: 'Return the page of the mock.',
      answers: { 200: { description: 'The page.' } },
      run: async ({ session }) => pageOf(session, path === '' ? './' : '../'),
    });
  const validate = createBodyValidators(endpoints);
  return { answer, document, page };

  async function page(openSession: () => Promise<Session>, request: MockRequest) {
    if (!asksForPage(request) || options.guard(request) !== undefined) return undefined;
    return pageOf(await openSession(), './');
  }

  async function pageOf(session: Session, root: PageFacts['root']): Promise<ServedReply> {
    const { catalogue, profile, reader, state } = options;
    const requests = await reader.find(session, { filter: {}, limit: LAST_REQUESTS });
    const counts = await state.counts(session);
    return writePage({ catalogue, profile, counts, requests, session: session.name, root });
  }

  async function answer(
    openSession: () => Promise<Session>,
    request: MockRequest,
    whenDone: WhenDone,
  ): Promise<ServedReply> {
    const refused = options.guard(request);
    if (refused !== undefined) return problem(403, refused);
    try {
      const [path, search] = splitTarget(request.target);
      const { endpoint, name } = findEndpoint(endpoints, request.method, path.slice(CONTROL.length));
      const body = endpoint.body && readJson(request.body, validate.get(endpoint));
      const query = new URLSearchParams(search);
      const parameters = Object.keys(endpoint.query ?? {});
      for (const parameter of query.keys())
        if (!parameters.includes(parameter))
          throw new UsageError(unexpected('parameter', parameter, parameters));
      const reply = await endpoint.run({ session: await openSession(), name, query, body, whenDone });
      return reply ?? { status: 204, headers: {}, body: '' };
    } catch (error) {
      return explain(error);
    }
  }
}

function findEndpoint(endpoints: readonly Endpoint[], method: string, path: string) {
  const asked = method === 'HEAD' ? 'GET' : method;
  const segments = path.split('/');
  const here = endpoints.flatMap((endpoint) => {
    const parts = endpoint.path.split('/');
    if (parts.length !== segments.length) return [];
    const variable = parts.findIndex((part) => part.startsWith('{'));
    const fits = parts.every((part, at) => at === variable || part === segments[at]);
    return fits ? [{ endpoint, name: segments[variable] ?? '' }] : [];
  });
  const found = here.find(({ endpoint }) => endpoint.method === asked);
  if (found) return found;
  const allow = here.map(({ endpoint }) => endpoint.method).join(', ');
  if (allow !== '')
    throw new ControlError(405, `${CONTROL}${path} does not support ${method}. Use ${allow}.`, { allow });
  const near = closest(
    CONTROL + path,
    endpoints.map((one) => CONTROL + one.path),
  );
  throw new ControlError(
    404,
    `The control API has no ${CONTROL}${path}. ${near === undefined ? `GET ${CONTROL}/openapi.json lists its endpoints.` : `Did you mean ${near}?`}`,
  );
}

function readJson(body: MockRequest['body'], validate: ValidateFunction | undefined): unknown {
  if (body === 'too-large')
    throw new ControlError(413, 'The body is longer than the mock accepts. Send a shorter one.');
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body ?? []).toString());
  } catch (error) {
    throw new ControlError(400, `The body is not valid JSON: ${(error as Error).message}.`);
  }
  if (isDeeper(value, DEEPEST_JSON)) throw new ControlError(422, `The body ${TOO_DEEP}`);
  if (!validate || validate(value)) return value;
  const violations = describeErrors(validate.errors ?? [], 'member');
  const detail = violations.map(({ message, pointer }) => `${pointer || 'The body'} ${message}`).join('; ');
  throw new ControlError(422, detail, { violations });
}

function createBodyValidators(endpoints: readonly Endpoint[]): ReadonlyMap<Endpoint, ValidateFunction> {
  const ajv = createAjv({ allErrors: true, verbose: true, strict: false });
  ajv.addSchema({ $id: 'control', components: { schemas: CONTROL_SCHEMAS } });
  return new Map(
    endpoints.flatMap((endpoint) => {
      if (!endpoint.body) return [];
      const { $ref } = endpoint.body;
      return [[endpoint, ajv.compile($ref ? { $ref: `control${$ref}` } : endpoint.body)] as const];
    }),
  );
}

/** Returns the problem of an error that the control API reports. Throws any other. */
export function explain(error: unknown): ServedReply {
  if (error instanceof ControlError) {
    const { allow, ...more } = error.more as { allow?: string };
    return problem(error.status, error.message, more, allow === undefined ? {} : { allow });
  }
  if (error instanceof FixtureMistakes) return problem(422, error.message, { mistakes: error.mistakes });
  if (error instanceof UsageError) return problem(422, error.message);
  if (error instanceof SessionsFull) return problem(429, error.message);
  if (error instanceof StoreFull) return problem(507, error.message);
  if (error instanceof StoreAway) return problem(503, error.message, {}, { 'retry-after': '1' });
  throw error;
}

/** An answer of the mock itself, always in the form of RFC 9457: the contract may have another. */
export function problem(
  status: number,
  detail: string,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): ServedReply {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ ...problemOf(status, detail), ...more }),
  };
}
