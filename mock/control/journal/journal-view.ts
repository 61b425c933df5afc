import { operationId } from '../../../spec/binding.ts';
import type { Operation } from '../../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../../spec/profile/profile.ts';
import { redactBody, redactHeaders, redactRepeated, redactUrl } from '../../../spec/redaction.ts';
import type { ShownViolation } from '../../engine/violation.ts';
import { type MockRequest, splitTarget, type WhenDone } from '../../http/http.ts';
import type { Route } from '../../operations/router.ts';
import type { Replicas } from '../../store/store.ts';
import { ControlError } from '../endpoint.ts';
import type { Session } from '../sessions/sessions.ts';
import { cutText, type JournalEntry } from './journal.ts';
import type { JournalFilter } from './journal-filter.ts';

/** Until the others are asked again, in milliseconds. */
const PAUSE = 100;

/** An exchange as the journal shows it: credentials are redacted, JSON bodies are values. */
export type RecordedRequest = {
  readonly id: number;
  /** By the clock of the session, as `2025-10-22T09:30:00.000Z`. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly model?: string;
  /** The `operationId` in the document, such as `createBrand`. */
  readonly operation?: string;
  readonly recordId?: number;
  readonly status: number;
  /** Milliseconds until the answer was ready. */
  readonly ms: number;
  readonly request: { readonly query: string; readonly headers: object; readonly body?: unknown };
  readonly response: { readonly headers: object; readonly body?: unknown };
  readonly violations?: readonly ShownViolation[];
  /** Why it was refused. */
  readonly detail?: string;
  /** Pointers of fields that were sent and ignored: readonly or unknown ones. */
  readonly ignored?: readonly string[];
  readonly fault?: string;
};

type Identity = Pick<RecordedRequest, 'method' | 'path' | 'model' | 'operation' | 'recordId'> & {
  readonly kind?: Operation;
};

export type JournalView = {
  /** Whether an entry is meant. */
  matches(entry: JournalEntry, filter: JournalFilter): boolean;
  show(entry: JournalEntry): RecordedRequest;
};

export function createJournalView(
  route: (method: string, path: string) => Route,
  profile: Profile,
): JournalView {
  return { matches, show };

  function matches(entry: JournalEntry, filter: JournalFilter): boolean {
    const { id, reply } = entry;
    const ms = shownMs(entry);
    const seen = { ...identify(entry), id, status: statusOf(entry) };
    const method = filter.method?.toUpperCase();
    for (const name of ['id', 'path', 'model', 'recordId', 'status'] as const)
      if (filter[name] !== undefined && filter[name] !== seen[name]) return false;
    if (method !== undefined && method !== seen.method) return false;
    const { body, fault, ignored, maxMs = ms, minMs = ms, operation, since, until, violation } = filter;
    if (operation !== undefined && operation !== seen.operation && operation !== seen.kind) return false;
    if (ms < minMs || ms > maxMs) return false;
    if (fault !== undefined && (fault === '' ? entry.fault === undefined : fault !== entry.fault))
      return false;
    if (since !== undefined && !isAfter(entry, since)) return false;
    if (until !== undefined && isAfter(entry, until)) return false;
    const wrong = reply?.violations?.map((one) => Object.values(one).join(' '));
    if (violation !== undefined && !holds(wrong, violation)) return false;
    if (ignored !== undefined && !holds(reply?.ignored, ignored)) return false;
    if (body === undefined) return true;
    const { request, response } = show(entry);
    return holds([request.body, response.body].map(textOfBody), body);
  }

  function show(entry: JournalEntry): RecordedRequest {
    const { fault, reply, request } = entry;
    const text = reply?.rewrite ? cutText(reply.rewrite()) : (reply?.body ?? '');
    const { kind: _, ...identity } = identify(entry);
    const own = profile['auth.header'];
    const { detail, ignored, violations } = reply ?? {};
    const answer = {
      response: { headers: redactHeaders(reply?.headers ?? {}, own), ...showBody(text) },
      ...(violations && { violations }),
      ...(detail !== undefined && { detail }),
      ...(ignored && { ignored }),
    };
    return {
      id: entry.id,
      at: new Date(entry.at).toISOString(),
      ...identity,
      status: statusOf(entry),
      ms: shownMs(entry),
      request: {
        query: redactUrl(splitTarget(request.target)[1]),
        headers: redactHeaders(request.headers, own),
        ...showBody(textOf(request.body)),
      },
      ...mapStrings(answer, redactAsked(request)),
      ...(fault !== undefined && { fault }),
    };
  }

  function identify({ reply, request }: JournalEntry): Identity {
    const [path] = splitTarget(request.target);
    const found = route(request.method, path);
    if (found.kind !== 'operation') return { method: request.method, path };
    const { model, operation } = found.endpoint;
    const location =
      reply && reply.status < 300 && operation === 'create' ? reply.headers.location : undefined;
    const made = location?.split('/').at(-1);
    const recordId = found.id ?? (made === undefined ? undefined : Number(made));
    return {
      method: request.method,
      path,
      model: model.name,
      operation: operationId(operation, model.name),
      kind: operation,
      ...(recordId !== undefined && { recordId }),
    };
  }
}

function isAfter({ at, id }: JournalEntry, since: number | string): boolean {
  return typeof since === 'number' ? id > since : at >= Date.parse(since);
}

function holds(texts: readonly string[] | undefined, part: string): boolean {
  return texts?.some((text) => text.includes(part)) ?? false;
}

function textOfBody(body: unknown): string {
  return typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
}

function shownMs({ ms }: JournalEntry): number {
  return Math.round(ms * 10) / 10;
}

/** A connection that was dropped has no status. */
function statusOf({ reply }: JournalEntry): number {
  return reply?.status ?? 0;
}

function textOf(body: MockRequest['body']): string {
  return body instanceof Uint8Array
    ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
    : '';
}

function showBody(text: string): { readonly body?: unknown } {
  return text === '' ? {} : { body: redactBody(text) };
}

/** Returns the function that redacts what a response repeats of the secrets that its request names. */
export function redactAsked({ body, target }: MockRequest): (text: string) => string {
  const found = new Set<string>();
  redactUrl(target, found);
  redactBody(textOf(body), found);
  return redactRepeated(found);
}

/** Changes the strings in a value that was redacted, and so isn't nested deep. */
function mapStrings<Value>(value: Value, change: (text: string) => string): Value {
  if (change === String) return value;
  return JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === 'string' ? change(member) : member,
  );
}

export type JournalQuestion = {
  readonly filter: JournalFilter;
  /** The newest so many; all when absent. */
  readonly limit?: number | undefined;
  /** Answers once there are so many; at once when absent. */
  readonly count?: number;
  /** Milliseconds to wait at most. */
  readonly timeout?: number;
  readonly whenDone?: WhenDone;
};

/** Questions to the journal of a session, in all replicas. Each rejects with ControlError 408 when it waited in vain. */
export type JournalReader = {
  find(session: Session, question: JournalQuestion): Promise<readonly RecordedRequest[]>;
  count(session: Session, question: JournalQuestion): Promise<number>;
  clear(session: Session): Promise<void>;
  /** The same of this replica alone, at once. */
  readonly own: {
    find(session: Session, question: JournalQuestion): RecordedRequest[];
    count(session: Session, question: JournalQuestion): number;
  };
};

export function createJournalReader(view: JournalView, replicas: Replicas | undefined): JournalReader {
  const matching = ({ journal }: Session, { filter }: JournalQuestion) =>
    journal.entries().filter((entry) => view.matches(entry, filter));
  const own: JournalReader['own'] = {
    count: (session, question) => matching(session, question).length,
    find: (session, { limit, ...question }) => newest(matching(session, question), limit).map(view.show),
  };
  return {
    own,
    find: async (session, question) => {
      await enough(session, question);
      if (!replicas) return own.find(session, question);
      const { filter, limit } = question;
      const others = await replicas.ask({ kind: 'find', session: session.name, filter, limit });
      const all = [...own.find(session, question), ...(others.flat() as RecordedRequest[])];
      return newest(
        all.toSorted((one, other) => one.id - other.id),
        limit,
      );
    },
    count: enough,
    clear: async ({ journal, name }) => {
      journal.clear();
      await replicas?.ask({ kind: 'clear', session: name });
    },
  };

  /** How many match, once there are as many as are wanted. Given up when who asked goes away. */
  async function enough(session: Session, question: JournalQuestion): Promise<number> {
    const { count: wanted = 0, timeout = 0, whenDone } = question;
    const end = performance.now() + timeout;
    let isGone = false;
    let look = () => {};
    const stop = session.journal.subscribe(() => look());
    whenDone?.(() => {
      isGone = true;
      look();
    });
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          look = resolve;
        });
        const seen = await count(session, question);
        if (seen >= wanted) return seen;
        const left = end - performance.now();
        if (isGone || left <= 0)
          throw new ControlError(
            408,
            `Only ${seen} of ${wanted} requests matched within ${timeout} ms. Send them, or pass a longer timeout.`,
          );
        const timer = setTimeout(look, replicas ? Math.min(left, PAUSE) : left);
        await changed;
        clearTimeout(timer);
      }
    } finally {
      stop();
    }
  }

  async function count(session: Session, { filter, ...question }: JournalQuestion): Promise<number> {
    const others = (await replicas?.ask({ kind: 'count', session: session.name, filter })) ?? [];
    return others.reduce(
      (sum: number, one) => sum + Number(one),
      own.count(session, { filter, ...question }),
    );
  }
}

function newest<One>(all: readonly One[], limit: number | undefined): readonly One[] {
  if (limit === undefined) return all;
  return limit === 0 ? [] : all.slice(-limit);
}
