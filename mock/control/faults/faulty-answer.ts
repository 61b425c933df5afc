import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { operationId } from '../../../spec/binding.ts';
import type { Handle } from '../../decoration.ts';
import { type MockRequest, type ServedReply, splitTarget, type WhenDone } from '../../http/http.ts';
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
  /** Aborts when the mock closes. */
  readonly closing: AbortSignal;
};

/**
 * Returns the function that answers a request to the contract, with the delays and the fault that it meets. Without a
 * reply the connection is dropped before anything is done.
 */
export function createFaultyAnswer({ closing, latency, replies, route }: FaultOptions) {
  /** `answerPlain` answers without the delays and the fault. */
  return async (
    session: Session,
    request: MockRequest,
    answerPlain: Handle,
    whenDone: WhenDone,
  ): Promise<{ readonly fault?: Fault | undefined; readonly reply: Reply | undefined }> => {
    const { faults } = session;
    if (latency === undefined && faults.size === 0 && request.headers.prefer === undefined)
      return { reply: await answerPlain(request) };
    const fault = await faultOf(session, request);
    const delays = [latency, fault?.delay].filter((delay) => delay !== undefined);
    const isAwaited = delays.length === 0 || (await passes(delays, session, whenDone));
    return { fault, reply: isAwaited ? await answer(request, fault, answerPlain) : undefined };
  };

  /** Waits for the delays. Returns false if the client disconnects or the mock closes meanwhile. */
  async function passes(
    delays: readonly NonNullable<FaultRule['delay']>[],
    { faults }: Session,
    whenDone: WhenDone,
  ): Promise<boolean> {
    const left = new AbortController();
    whenDone(() => left.abort());
    const signal = AbortSignal.any([closing, left.signal]);
    const sum = delays.reduce((before: number, delay) => before + faults.draw(delay), 0);
    await wait(sum, undefined, { signal }).catch(() => {});
    return !signal.aborted;
  }

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
    request: MockRequest,
    fault: Fault | undefined,
    answerPlain: Handle,
  ): Promise<Reply | undefined> {
    if (fault?.drop === 'before') return undefined;
    const isAnswer = fault?.status !== undefined || fault?.body !== undefined;
    return isAnswer ? writeFault(fault) : answerPlain(request);
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
export function damage(reply: ServedReply, { bytesPerSecond, drop }: Fault): ServedReply {
  if (drop !== 'mid-body' && bytesPerSecond === undefined) return reply;
  const { body } = reply;
  // The length of a stream is unknown, unless its headers have it.
  const length = body instanceof Readable ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const damaged = drop === 'mid-body' ? brokenBody(body) : slowBody(body, bytesPerSecond ?? 1);
  return { ...reply, headers: { ...reply.headers, ...length }, body: damaged };
}

/** Returns a body that is sent at a limited speed. */
function slowBody(body: ServedReply['body'], bytesPerSecond: number): Readable {
  const step = Math.max(1, Math.ceil((bytesPerSecond * PAUSE) / 1000));
  const pause = Math.max(PAUSE, (step / bytesPerSecond) * 1000);
  return Readable.from(
    (async function* () {
      let isFirst = true;
      for await (const bytes of chunksOf(body))
        for (let at = 0; at < bytes.byteLength; at += step) {
          if (!isFirst) await wait(pause);
          isFirst = false;
          yield bytes.subarray(at, at + step);
        }
    })(),
    { objectMode: false },
  );
}

async function* chunksOf(body: ServedReply['body']): AsyncGenerator<Uint8Array> {
  if (body instanceof Readable) for await (const chunk of body) yield Buffer.from(chunk);
  else yield Buffer.from(body);
}

/** The first half of a body, or of the first part of a stream, after which the connection breaks. */
function brokenBody(body: ServedReply['body']): Readable {
  return Readable.from(
    (async function* () {
      for await (const bytes of chunksOf(body)) {
        yield bytes.subarray(0, Math.floor(bytes.byteLength / 2));
        break;
      }
      // The half has to be on its way first.
      await wait(10);
      throw new Error('A fault of the mock closed the connection.');
    })(),
    { objectMode: false },
  );
}
