import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { operationId } from '../../../spec/binding.ts';
import { type MockRequest, type ServedReply, splitTarget } from '../../http/http.ts';
import type { Replies, Reply } from '../../operations/reply.ts';
import type { Route } from '../../operations/router.ts';
import { readFaultPreference } from '../../prism/prism.ts';
import type { Session } from '../sessions/sessions.ts';
import type { FaultRule } from './fault-rule.ts';
import type { Fault, FaultTarget } from './faults.ts';

const PAUSE = 100;

export type FaultOptions = {
  readonly route: (method: string, path: string) => Route;
  readonly replies: Replies;
  /** Milliseconds before every answer. */
  readonly latency?: FaultRule['delay'] | undefined;
};

/**
 * Returns the function that answers a request to the contract, with the delays and the fault that it meets. Without a
 * reply the connection is dropped before anything is done.
 */
export function createFaultyAnswer({ latency, replies, route }: FaultOptions) {
  return async (session: Session, request: MockRequest) => {
    const fault = await faultOf(session, request);
    return { fault, reply: await answer(session, request, fault) };
  };

  /** The fault that the request itself asks for, or else the one of a rule. */
  function faultOf(session: Session, request: MockRequest): Fault | Promise<Fault | undefined> | undefined {
    const { prefer } = request.headers;
    const preferred = prefer === undefined ? undefined : readFaultPreference(prefer);
    if (preferred) return { ...preferred, id: 'prefer' };
    const { faults } = session;
    if (faults.size === 0) return undefined;
    const target = targetOf(session, request);
    return faults.mayMeet(target)
      ? session.conditions.change(() => faults.meet(target), 'counted')
      : undefined;
  }

  function targetOf(session: Session, { method, target }: MockRequest): FaultTarget {
    const asked = { session: session.name, method, path: splitTarget(target)[0] };
    const found = route(method, asked.path);
    if (found.kind !== 'operation') return asked;
    const { model, operation } = found.endpoint;
    const named = { model: model.name, operation, operationId: operationId(operation, model.name) };
    return { ...asked, ...named, id: found.id };
  }

  async function answer(
    session: Session,
    request: MockRequest,
    fault: Fault | undefined,
  ): Promise<Reply | undefined> {
    for (const delay of [latency, fault?.delay])
      if (delay !== undefined) await wait(session.faults.draw(delay));
    if (fault?.drop === 'before') return undefined;
    const isAnswer = fault?.status !== undefined || fault?.body !== undefined;
    return isAnswer ? writeFault(fault) : session.answer(request);
  }

  function writeFault({ body, headers = {}, id, status = 200 }: Fault): Reply {
    const own = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const more = status === 429 ? { 'retry-after': '1', ...own } : own;
    if (body === undefined)
      return replies.refusal({ status, detail: `Fault ${id} produced this response.`, headers: more });
    const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { status, headers: { 'content-type': type, ...more }, body: text };
  }
}

/** Applies the part of a fault that damages the response. */
export function damage(reply: Reply, { bytesPerSecond, drop }: Fault): ServedReply {
  if (drop !== 'mid-body' && bytesPerSecond === undefined) return reply;
  const headers = { ...reply.headers, 'content-length': String(Buffer.byteLength(reply.body)) };
  const body = drop === 'mid-body' ? brokenBody(reply.body) : slowBody(reply.body, bytesPerSecond ?? 1);
  return { ...reply, headers, body };
}

/** Returns a body that is sent at a limited speed. */
function slowBody(text: string, bytesPerSecond: number): Readable {
  const bytes = Buffer.from(text);
  const step = Math.max(1, Math.ceil((bytesPerSecond * PAUSE) / 1000));
  const pause = Math.max(PAUSE, (step / bytesPerSecond) * 1000);
  return Readable.from(
    (async function* () {
      for (let at = 0; at < bytes.byteLength; at += step) {
        if (at > 0) await wait(pause);
        yield bytes.subarray(at, at + step);
      }
    })(),
    { objectMode: false },
  );
}

/** The first half of a body, after which the connection breaks. */
function brokenBody(text: string): Readable {
  const bytes = Buffer.from(text);
  return Readable.from(
    (async function* () {
      yield bytes.subarray(0, Math.floor(bytes.byteLength / 2));
      // The half has to be on its way first.
      await wait(10);
      throw new Error('A fault of the mock closed the connection.');
    })(),
    { objectMode: false },
  );
}
