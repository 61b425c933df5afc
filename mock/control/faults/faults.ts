import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Handle } from '../../decoration.ts';
import { createRandom } from '../../generated/random.ts';
import type { MockRequest, ServedReply, WhenDone } from '../../http/http.ts';
import type { Replies, Reply } from '../../operations/reply.ts';
import { describeRequest, type RequestFacts, type Router } from '../../operations/router.ts';
import { readFaultPreference } from '../../prism/prism.ts';
import { UnknownName } from '../control-error.ts';
import { type FaultRule, matchesPath } from './fault-rule.ts';

export type Fault = FaultRule & { readonly id: string };
/** A rule with the number of requests that met it. */
export type ListedFault = Fault & { readonly enabled: boolean; readonly hits: number };

export type Faults = ReturnType<typeof createFaults>;

type Counted = { fault: Fault; seen: number; hits: number };

/** Keeps the faults of a session. A seed determines the draws, so that the same requests meet the same faults again. */
export function createFaults(beginning: readonly FaultRule[], seed: number) {
  let rules: Counted[] = [];
  let next = 1;
  let drawn = 0;
  // Each replica draws its own delays.
  let delays = createRandom(seed);
  /** Draws a number from 0 to 1, the same one for the same number of draws. */
  const draw = () => {
    drawn += 1;
    return createRandom(seed, drawn).next();
  };
  const add = (rule: FaultRule): Fault => {
    const fault = { ...rule, id: String(next) };
    next += 1;
    rules.unshift({ fault, seen: 0, hits: 0 });
    return fault;
  };
  const find = (id: string): Counted => {
    const counted = rules.find(({ fault }) => fault.id === id);
    if (counted) return counted;
    throw new UnknownName(`This session has no fault "${id}".`);
  };
  const reset = () => {
    [rules, next, drawn, delays] = [[], 1, 0, createRandom(seed)];
    for (const rule of beginning) add(rule);
  };
  reset();
  return {
    get size() {
      return rules.length;
    },
    add,
    list: (): ListedFault[] =>
      rules.map(({ fault, hits }) => ({ ...fault, enabled: fault.enabled ?? true, hits })).toReversed(),
    /** Enables or disables a fault, which keeps its counts. Throws UnknownName if there is none with the ID. */
    enable: (id: string, enabled: boolean) => {
      const counted = find(id);
      counted.fault = { ...counted.fault, enabled };
    },
    /** Removes a fault. Throws UnknownName if there is none with the ID. */
    remove: (id: string) => {
      rules.splice(rules.indexOf(find(id)), 1);
    },
    clear: () => {
      rules = [];
    },
    reset,
    /** Returns the newest fault that a request meets, and counts it. */
    meet: (target: RequestFacts) => rules.find((counted) => meets(counted, target, draw))?.fault,
    /** Whether a request can meet a fault: a rule matches, and was met less often than it can be. */
    mayMeet: (target: RequestFacts) =>
      rules.some(
        ({ fault, hits }) => matches(fault, target) && hits < (fault.times ?? Number.POSITIVE_INFINITY),
      ),
    draw: (delay: NonNullable<FaultRule['delay']>) =>
      typeof delay === 'number' ? delay : Math.round(delay.min + delays.next() * (delay.max - delay.min)),
    /** Returns the state as JSON, for other replicas. */
    save: () => ({ rules, next, drawn }),
    load: (state: { rules: Counted[]; next: number; drawn: number }) => {
      ({ drawn, next, rules } = state);
    },
  };
}

function meets(counted: Counted, target: RequestFacts, random: () => number): boolean {
  const { every, nth, probability, times } = counted.fault;
  if (!matches(counted.fault, target)) return false;
  counted.seen += 1;
  if (nth !== undefined && counted.seen !== nth) return false;
  if (every !== undefined && counted.seen % every !== 0) return false;
  if (times !== undefined && counted.hits >= times) return false;
  if (probability !== undefined && random() >= probability) return false;
  counted.hits += 1;
  return true;
}

function matches(fault: FaultRule, target: RequestFacts): boolean {
  const { enabled = true, match = {} } = fault;
  if (!enabled) return false;
  const { id, method, model, operation, path } = match;
  if (method !== undefined && method.toUpperCase() !== target.method) return false;
  if (model !== undefined && model !== target.model) return false;
  if (id !== undefined && id !== target.id) return false;
  if (operation !== undefined && operation !== target.operation && operation !== target.operationId)
    return false;
  return path === undefined || matchesPath(path, target.path);
}

const PAUSE = 100;

export type FaultOptions = {
  readonly route: Router;
  readonly replies: Replies;
  /** Milliseconds before every answer. */
  readonly latency?: FaultRule['delay'] | undefined;
  /** Aborts when the mock closes. */
  readonly closing: AbortSignal;
};

/** The part of a session that decides which faults a request meets. */
type Faulty = {
  readonly faults: Faults;
  readonly conditions: { change<Result>(run: () => Result, counted: 'counted'): Promise<Result> };
};

/** Returns the function that answers with the delays and the fault of a request. Without a reply, it drops it. */
export function createFaultyAnswer({ closing, latency, replies, route }: FaultOptions) {
  /** `answerPlain` answers without the delays and the fault. */
  return async (
    session: Faulty,
    request: MockRequest,
    answerPlain: Handle,
    whenDone: WhenDone,
  ): Promise<{ readonly fault?: Fault | undefined; readonly reply: Reply | undefined }> => {
    const { faults } = session;
    if (latency === undefined && faults.size === 0 && request.headers.prefer === undefined)
      return { reply: await answerPlain(request) };
    const fault = await faultOf(session, request);
    const delays = [latency, fault?.delay].filter((delay) => delay !== undefined);
    const ms = delays.reduce((sum: number, delay) => sum + faults.draw(delay), 0);
    const isAwaited = delays.length === 0 || (await passes(ms, whenDone));
    if (!isAwaited || fault?.drop === 'before') return { fault, reply: undefined };
    const isAnswer = fault?.status !== undefined || fault?.body !== undefined;
    return { fault, reply: isAnswer ? writeFault(fault) : await answerPlain(request) };
  };

  /** Waits for a time. Returns false if the client disconnects or the mock closes meanwhile. */
  async function passes(ms: number, whenDone: WhenDone): Promise<boolean> {
    const left = new AbortController();
    whenDone(() => left.abort());
    const signal = AbortSignal.any([closing, left.signal]);
    await wait(ms, undefined, { signal }).catch(() => {});
    return !signal.aborted;
  }

  /** The fault that the request itself asks for, or else the one of a rule. */
  function faultOf(session: Faulty, request: MockRequest): Fault | Promise<Fault | undefined> | undefined {
    const { prefer } = request.headers;
    const preferred = prefer === undefined ? undefined : readFaultPreference(prefer);
    if (preferred) return { ...preferred, id: 'prefer' };
    const { faults } = session;
    if (faults.size === 0) return undefined;
    const target = describeRequest(route, request);
    return faults.mayMeet(target)
      ? session.conditions.change(() => faults.meet(target), 'counted')
      : undefined;
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
  const damaged = Readable.from(damagedParts(body, drop, bytesPerSecond), { objectMode: false });
  return { ...reply, headers: { ...reply.headers, ...length }, body: damaged };
}

/** Yields a body at a limited speed, or half of its first part, after which the connection breaks. */
async function* damagedParts(
  body: ServedReply['body'],
  drop: Fault['drop'],
  bytesPerSecond = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  const step = Math.max(1, Math.ceil((bytesPerSecond * PAUSE) / 1000));
  const pause = Math.max(PAUSE, (step / bytesPerSecond) * 1000);
  let isFirst = true;
  for await (const part of body instanceof Readable ? body : [body]) {
    const whole = Buffer.from(part);
    const bytes = drop === 'mid-body' ? whole.subarray(0, Math.floor(whole.byteLength / 2)) : whole;
    for (let at = 0; at < bytes.byteLength; at += step) {
      if (!isFirst) await wait(pause);
      isFirst = false;
      yield bytes.subarray(at, at + step);
    }
    if (drop !== 'mid-body') continue;
    // The half has to be on its way first.
    await wait(10);
    throw new Error('A fault of the mock closed the connection.');
  }
}
