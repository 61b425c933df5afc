import { headerIn, type Profile } from '../../../spec/profile/profile.ts';
import { redactBody, redactHeaders, redacting, redactUrl } from '../../../spec/redaction.ts';
import type { ShownViolation } from '../../engine/violation.ts';
import { type MockRequest, SHARED, splitTarget } from '../../http/http.ts';
import { describeRequest, type Router } from '../../operations/router.ts';
import type { CatalogueNames } from '../records/records-api.ts';
import { COUNT, given, type Parameter, TEXT } from '../schema.ts';
import type { LogEntry } from './request-log.ts';

/** Which exchanges are meant; all conditions have to hold. */
export type RequestFilter<Names extends CatalogueNames = CatalogueNames> = {
  /** The id of the exchange itself. */
  readonly id?: number;
  readonly method?: string;
  readonly path?: string;
  readonly model?: Names['model'];
  /** An `operationId` such as `createBrand`, or an operation such as `create`. */
  readonly operation?: Names['operation'];
  readonly recordId?: number;
  readonly status?: number;
  /** A text in the body of the request or of the answer, as the request log shows them. */
  readonly body?: string;
  /** A text in the place or the message of a violation; an empty one for any violation. */
  readonly violation?: string;
  /** The id of a fault; an empty text for any. */
  readonly fault?: string;
  /** The ID of an entry, which has to come later. */
  readonly since?: number;
};

/** The filters as parameters of an endpoint. */
export const FILTERS: Readonly<Record<keyof RequestFilter, Parameter>> = {
  id: given('The ID of the request in the request log.', COUNT),
  method: given('The HTTP method, such as POST.', TEXT),
  path: given('The complete path without the query.', TEXT),
  model: given('The name of the model, such as brand.', TEXT),
  operation: given('An operationId such as createBrand, or an operation such as create.', TEXT),
  recordId: given('The ID of the record.', COUNT),
  status: given('The status of the response, or 0 if a fault dropped the connection.', COUNT),
  body: given('Text in the body of the request or response, as the request log shows it.', TEXT),
  violation: given(
    'Text in the location or message of a violation. An empty value matches any violation.',
    TEXT,
  ),
  fault: given(
    'The ID of the fault that was applied, or prefer for one from the Prefer header. An empty value matches any fault.',
    TEXT,
  ),
  since: given('Only requests after this ID.', COUNT),
};

/** An exchange as the request log shows it: credentials are redacted, and JSON bodies are values. */
export type RecordedRequest = {
  readonly id: number;
  readonly session: string;
  /** By the clock of the session, as `2025-10-22T09:30:00.000Z`. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly model?: string;
  /** The `operationId` in the document, such as `createBrand`. */
  readonly operation?: string;
  readonly recordId?: number;
  /** 0 where the connection was dropped. */
  readonly status: number;
  /** Milliseconds until the answer was ready. */
  readonly ms: number;
  readonly request: { readonly query: string; readonly headers: object; readonly body?: unknown };
  readonly response: { readonly headers: object; readonly body?: unknown };
  readonly violations?: readonly ShownViolation[];
  /** The reason for the refusal. */
  readonly detail?: string;
  /** Pointers of fields that were sent and ignored: readonly or unknown ones. */
  readonly ignored?: readonly string[];
  /** The id of the fault that was met. */
  readonly fault?: string;
  /** Whether a service answered (option `forward`). The violations are then those of both sides of the exchange. */
  readonly forwarded?: true;
};

export type LogView = ReturnType<typeof createLogView>;

export function createLogView(route: Router, profile: Profile) {
  return { matches, show };

  function matches(entry: LogEntry, filter: RequestFilter): boolean {
    const { id, reply } = entry;
    const [facts, recordId] = identify(entry);
    const seen = { ...facts, id, recordId, status: statusOf(entry) };
    const { body, fault, method, operation, since = 0, violation } = filter;
    const wrong = reply?.violations?.map((one) => Object.values(one).join(' '));
    const isSame = (['id', 'path', 'model', 'recordId', 'status'] as const).every(
      (name) => filter[name] === undefined || filter[name] === seen[name],
    );
    return (
      isSame &&
      (method === undefined || method.toUpperCase() === seen.method) &&
      (operation === undefined || operation === seen.operation || operation === seen.operationId) &&
      (fault === undefined || (fault === '' ? entry.fault !== undefined : fault === entry.fault)) &&
      id > since &&
      (violation === undefined || holds(wrong, violation)) &&
      (body === undefined || holds(bodiesOf(entry), body))
    );
  }

  /** Returns the bodies of an exchange as text, as the request log shows them. */
  function bodiesOf(entry: LogEntry): string[] {
    const { request, response } = show(entry);
    return [request.body, response.body].map((body) =>
      typeof body === 'string' ? body : (JSON.stringify(body) ?? ''),
    );
  }

  function show(entry: LogEntry): RecordedRequest {
    const { fault, reply, request } = entry;
    const [{ method, model, operationId: operation, path }, recordId] = identify(entry);
    const own = headerIn(profile.auth) ?? '';
    const { detail, ignored, violations } = reply ?? {};
    const answer = {
      response: { headers: redactHeaders(reply?.headers ?? {}, own), ...showBody(reply?.body ?? '') },
      ...(violations && { violations }),
      ...(detail !== undefined && { detail }),
      ...(ignored && { ignored }),
    };
    return {
      id: entry.id,
      session: entry.session,
      at: new Date(entry.at).toISOString(),
      ...{ method, path },
      ...(model !== undefined && operation !== undefined && { model, operation }),
      ...(recordId !== undefined && { recordId }),
      status: statusOf(entry),
      ms: Math.round(entry.ms * 10) / 10,
      request: {
        query: redactUrl(splitTarget(request.target)[1]),
        headers: redactHeaders(request.headers, own),
        ...showBody(textOf(request.body)),
      },
      ...mapStrings(answer, redactAsked(request, reply?.forwarded && own)),
      ...(fault !== undefined && { fault }),
      ...(reply?.forwarded && { forwarded: true }),
    };
  }

  /** Returns what a request is about, and the ID of its record, which can be in the response. */
  function identify({ reply, request }: LogEntry) {
    const facts = describeRequest(route, request);
    const isMade = facts.operation === 'create' && reply && reply.status < 300;
    const made = isMade ? reply.headers.location?.split('/').at(-1) : undefined;
    return [facts, facts.id ?? (made === undefined ? undefined : Number(made))] as const;
  }
}

function holds(texts: readonly string[] | undefined, part: string): boolean {
  return texts?.some((text) => text.includes(part)) ?? false;
}

/** Returns the status; 0 for a dropped connection. */
function statusOf({ reply }: Pick<LogEntry, 'reply'>): number {
  return reply?.status ?? 0;
}

function textOf(body: MockRequest['body']): string {
  return body instanceof Uint8Array ? Buffer.from(body).toString() : '';
}

function showBody(text: string): { readonly body?: unknown } {
  return text === '' ? {} : { body: redactBody(text) };
}

/** Returns the function that redacts the secrets of a request in texts of its response. */
function redactAsked({ body, headers, target }: MockRequest, own?: string): (text: string) => string {
  const found = new Set<string>();
  if (own !== undefined) redactHeaders(headers, own, found);
  redactUrl(target, found);
  redactBody(textOf(body), found);
  return redacting([...found]);
}

/** Changes the strings in a redacted value, which is not deeply nested. */
function mapStrings<Value>(value: Value, change: (text: string) => string): Value {
  if (change === String) return value;
  return JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === 'string' ? change(member) : member,
  );
}

/** The part of an exchange that the log of the mock shows. */
export type Exchanged = Pick<
  RecordedRequest,
  'method' | 'path' | 'status' | 'ms' | 'detail' | 'fault' | 'forwarded'
> & {
  /** Absent for the one that all share. */
  readonly session?: string;
  /** The query with its question mark, without secrets; or an empty string. */
  readonly query: string;
  readonly violations: readonly ShownViolation[];
};

/** Returns an exchange without its secrets. */
export function exchanged(session: string, entry: Omit<LogEntry, 'id' | 'session'>): Exchanged {
  const { fault, ms, reply, request } = entry;
  const { method, target } = request;
  const [path, search] = splitTarget(target);
  // Only a refusal repeats what the client sent.
  const { detail, violations = [] } = reply ?? {};
  const hide = detail === undefined && violations.length === 0 ? String : redactAsked(request);
  return {
    ...(session === SHARED ? {} : { session }),
    method,
    path,
    query: redactUrl(search),
    status: statusOf(entry),
    ms,
    violations: violations.map((one) => ({ ...one, message: hide(one.message) })),
    ...(detail === undefined ? {} : { detail: hide(detail) }),
    ...(fault === undefined ? {} : { fault }),
    ...(reply?.forwarded && { forwarded: true }),
  };
}

/** Formats an exchange, such as `POST /api/model/customer 422 12 ms /email must be an email address`. */
export function exchangeLine(exchange: Exchanged): string {
  const { detail = '', fault, forwarded, method, ms, path, query, session, status, violations } = exchange;
  const wrong = violations.map(({ message, ...at }) => `${Object.values(at)} ${message}`).join('; ');
  const by = forwarded ? 'forwarded ' : '';
  const why = fault === undefined ? by + (wrong || detail) : `${by}fault ${fault} ${wrong}`;
  return [
    ...(session === undefined ? [] : [`[${session}]`]),
    `${method} ${path}${query} ${status === 0 ? 'dropped' : status} ${Math.round(ms)} ms ${why}`,
  ].join(' ');
}
