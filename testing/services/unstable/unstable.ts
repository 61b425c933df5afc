import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { createRandom } from '../draw.ts';
import { type Forwarded, forward, serveBefore } from '../http-server.ts';
import type { Service } from '../service.ts';

/** Disturbances by proxies in front of a service. */
export const DISTURBANCES = ['busy', 'rate', 'resets', 'redirect', 'gzip', 'late-lists'] as const;
export type Disturbance = (typeof DISTURBANCES)[number];

type Row = { readonly id: number };

/** Two of a hundred. */
const BUSY = 0.02;
/** Requests a second, with `rate`. */
const PER_SECOND = 400;
/** Answers after which a connection is closed without a word. */
const KEPT = 40;

/**
 * Puts an unstable proxy before a service, which stays as it is. Closing it closes the service too. Lists show after
 * `late` milliseconds what was written.
 */
export async function startUnstable(
  service: Service,
  disturbances: readonly Disturbance[],
  late = 300,
): Promise<Service> {
  const random = createRandom(1);
  const has = (disturbance: Disturbance) => disturbances.includes(disturbance);
  const served = new WeakMap<object, number>();
  /** The times of writes by record, such as `brand/7`, with the record before; undefined for a new one. */
  const written = new Map<string, { readonly at: number; readonly before: Row | undefined }>();
  let second = 0;
  let inSecond = 0;
  return serveBefore(service, async (incoming, outgoing) => send(outgoing, incoming, await answer(incoming)));

  async function answer(incoming: IncomingMessage): Promise<Forwarded> {
    const body = await buffer(incoming);
    if (has('rate') && isTooMuch()) return refuse(429);
    if (has('busy') && random() < BUSY) return refuse(503);
    const url = incoming.url ?? '';
    if (has('redirect') && !url.startsWith('/v2'))
      return { status: 308, headers: { location: `/v2${url}` }, body: Buffer.of() };
    const path = url.replace(/^\/v2/, '');
    const one = has('late-lists') && incoming.method !== 'GET' ? ofRecord(path) : undefined;
    const before = one && (await forward(service.url + path, { method: 'GET', headers: {} }));
    const given = await forward(service.url + path, incoming, body);
    if (one && before && before.status < 300 && given.status < 300) {
      const last = written.get(one);
      // Until lists show a write, they show what was before it.
      const isPending = last && Date.now() - last.at < late;
      const row = isPending ? last.before : findRow(JSON.parse(before.body.toString()));
      written.set(one, { at: Date.now(), before: row });
    }
    if (!has('late-lists')) return given;
    const model = modelOfList(path);
    if (model === undefined || given.status >= 300) return given;
    return incoming.method === 'GET' ? showOld(model, given) : noteNew(model, given);
  }

  function isTooMuch(): boolean {
    const now = Math.floor(Date.now() / 1000);
    inSecond = now === second ? inSecond + 1 : 1;
    second = now;
    return inSecond > PER_SECOND;
  }

  function noteNew(model: string, answer: Forwarded): Forwarded {
    const id = /"id":\s*(\d+)/.exec(answer.body.toString())?.[1];
    if (id !== undefined) written.set(`${model}/${id}`, { at: Date.now(), before: undefined });
    return answer;
  }

  /** Lists come from a replica, which is a while behind. */
  function showOld(model: string, answer: Forwarded): Forwarded {
    const now = Date.now();
    const old = (row: Row): Row[] => {
      const last = written.get(`${model}/${row.id}`);
      if (!last || now - last.at >= late) return [row];
      return last.before ? [last.before] : [];
    };
    const text = JSON.stringify(JSON.parse(answer.body.toString()), (key, value) =>
      Array.isArray(value) && (key === '' || key === 'data' || key === 'items') ? value.flatMap(old) : value,
    );
    return { ...answer, body: Buffer.from(text) };
  }

  function send(
    outgoing: ServerResponse,
    incoming: IncomingMessage,
    { body, headers, status }: Forwarded,
  ): void {
    const isPacked = has('gzip') && body.length > 0;
    const bytes = isPacked ? gzipSync(body) : body;
    outgoing.writeHead(status, {
      ...headers,
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
      ...(status === 204 ? {} : { 'content-length': bytes.length }),
    });
    const count = (served.get(incoming.socket) ?? 0) + 1;
    served.set(incoming.socket, count);
    // As a balancer ends what it kept alive: the answer is whole, and then there is no connection.
    outgoing.end(bytes, () => {
      if (has('resets') && count >= KEPT) incoming.socket.destroy();
    });
  }
}

function refuse(status: number): Forwarded {
  return {
    status,
    headers: { 'retry-after': '1', 'content-type': 'text/plain' },
    body: Buffer.from('try again'),
  };
}

/** The model of a path without an id. */
function modelOfList(path: string): string | undefined {
  return /^\/api\/model\/(\w+)\/?(\?|$)/.exec(path)?.[1];
}

/** `brand/7` of a path with an id. */
function ofRecord(path: string): string | undefined {
  return /^\/api\/model\/(\w+\/\d+)\/?(\?|$)/.exec(path)?.[1];
}

/** The record in an answer, or in an object around it. */
function findRow(json: unknown): Row | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  return 'id' in json ? (json as Row) : Object.values(json).map(findRow).find(Boolean);
}
