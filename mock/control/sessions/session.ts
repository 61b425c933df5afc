import type { Contract } from '../../../spec/contract.ts';
import { onceFor } from '../../../spec/once-for.ts';
import { changeLive, type Profile } from '../../../spec/profile/profile.ts';
import { EARLIEST, LATEST } from '../../../spec/types/times.ts';
import type { Decoration, Handle } from '../../decoration.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import { type RecordSemantics, readSemantics } from '../../engine/relations.ts';
import { withoutBodyForHead } from '../../http/http.ts';
import type { MemoryBudget } from '../../memory-budget.ts';
import type { ContractService, createServices } from '../../operations/contract-service.ts';
import type { Reply } from '../../operations/reply.ts';
import { createRateLimit } from '../../operations/router.ts';
import { type Replicas, type SessionRecords, StoreAway } from '../../store/store.ts';
import type { FaultRule } from '../faults/fault-rule.ts';
import { createFaults, type Faults } from '../faults/faults.ts';
import { createLogFeed, createRequestLog } from '../request-log/request-log.ts';

/** An isolated copy of the mock's state. */
export type Session = {
  readonly name: string;
  /** The snapshot it began with. */
  readonly from: string;
  readonly records: SessionRecords;
  readonly engine: Engine;
  readonly clock: SessionClock;
  readonly faults: Faults;
  /** The settings, which a client can change. */
  readonly profile: SessionProfile;
  /** Runs the changes to its clock, its faults, and its profile. */
  readonly conditions: Conditions;
  readonly requestLog: ReturnType<typeof createRequestLog>;
  /** Answers requests to the contract, without faults and request log. */
  readonly answer: Handle;
};

/** Returns a function that opens a session with its records. */
export function createSessionOpener(options: {
  readonly contract: Contract;
  readonly semantics: RecordSemantics;
  readonly decoration: Decoration;
  readonly serviceUnder: ReturnType<typeof createServices>;
  readonly clock: () => Date;
  readonly budget: MemoryBudget | undefined;
  readonly replicas: Replicas | undefined;
  /** Hides the records of the models that a service has. */
  readonly hide: ((records: SessionRecords) => SessionRecords) | undefined;
  /** Aborts when the store closes. */
  readonly closed: AbortSignal;
  readonly fail: (error: unknown) => Reply;
  readonly now?: Date | undefined;
  readonly faults?: readonly FaultRule[] | undefined;
  readonly seed?: number | undefined;
  readonly requestLog?: number | undefined;
  readonly maxMemory?: number | undefined;
}): (name: string, records: SessionRecords) => Promise<Session> {
  const { budget, clock: base, closed, contract, decoration, fail, hide, replicas, serviceUnder } = options;
  const { maxMemory, now, requestLog: size = 1000, seed = 1 } = options;
  const { handle: decorate, readDraft } = decoration;
  const answerOf = onceFor(({ answerWith }: ContractService) => answerWith(readDraft));
  const semanticsUnder = onceFor((profile: Profile) => {
    if (profile === contract.profile) return options.semantics;
    return { ...readSemantics({ ...contract, profile }), isElsewhere: options.semantics.isElsewhere };
  });
  const feed = createLogFeed(maxMemory);
  return async (session, opened) => {
    const stored = hide?.(opened) ?? opened;
    const clock = createSessionClock(base, now);
    const records: SessionRecords = {
      ...stored,
      transaction: async (work) => {
        // A request can outlast the mock.
        if (closed.aborted) throw new StoreAway('The mock has stopped. Nothing was stored.');
        return stored.transaction((own) => work(budget?.isSpent() ? budget.limit(own) : own));
      },
    };
    const profile = createSessionProfile(contract);
    // The parts that depend on the profile, which can change.
    const partsUnder = onceFor((own: Profile) => {
      const plainEngine = createEngine(semanticsUnder(own), records, clock.now);
      const engine = decoration.engine?.(plainEngine) ?? plainEngine;
      const backend = { engine, exceedsRate: createRateLimit(own['limits.rate'], base), time: clock.time };
      const service = serviceUnder(own);
      const handle = answerOf(service)(backend);
      const plainAnswer: Handle = (request) =>
        handle(request).then((reply) => withoutBodyForHead(request, reply), fail);
      const answer = decorate?.(plainAnswer, { engine, replies: service.replies }) ?? plainAnswer;
      return { engine, answer };
    });
    const faults = createFaults(options.faults ?? [], seed);
    const conditions = shareConditions(session, { clock, faults, profile }, replicas);
    await conditions.refresh();
    return {
      name: session,
      from: stored.from,
      records,
      get engine() {
        return partsUnder(profile.current).engine;
      },
      clock,
      faults,
      profile,
      conditions,
      requestLog: createRequestLog(session, size, feed),
      get answer() {
        return partsUnder(profile.current).answer;
      },
    };
  };
}

export const systemClock = () => new Date();

type SessionClock = ReturnType<typeof createSessionClock>;

/** Creates the clock of a session. It runs with `base` at an offset, or is stopped. With `start`, it begins there. */
function createSessionClock(base: () => Date, start?: Date) {
  /** Milliseconds from the base clock. */
  let offset = 0;
  /** Milliseconds since 1970 of a stopped clock. */
  let stopped: number | undefined;
  const read = () => stopped ?? base().getTime() + offset;
  const jump = (time: number) => {
    const bounded = Math.min(Math.max(time, EARLIEST), LATEST);
    if (stopped === undefined) offset = bounded - base().getTime();
    else stopped = bounded;
  };
  const reset = () => {
    stopped = undefined;
    offset = start ? start.getTime() - base().getTime() : 0;
  };
  reset();
  return {
    now: () => new Date(read()),
    time: read,
    get frozen() {
      return stopped !== undefined;
    },
    /** Sets the time, or whether the clock is stopped, or both. */
    set: ({ frozen, now }: { readonly now?: Date; readonly frozen?: boolean }) => {
      const time = now?.getTime() ?? read();
      if (frozen !== undefined) stopped = frozen ? time : undefined;
      jump(time);
    },
    /** Moves the time forward by a number of milliseconds, even if the clock is stopped. */
    advance: (ms: number) => jump(read() + ms),
    reset,
    /** Returns the state as JSON, for other replicas. */
    save: () => ({ offset, stopped }),
    load: (state: { offset: number; stopped?: number }) => {
      ({ offset, stopped } = state);
    },
  };
}

type SessionProfile = ReturnType<typeof createSessionProfile>;

type SettingChanges = Readonly<Record<string, unknown>>;

/** Creates the settings of a session, which start as those of the mock. */
function createSessionProfile({ catalogue, profile: start }: Contract) {
  let changes: SettingChanges = {};
  let current = start;
  const load = (all: SettingChanges) => {
    current = changeLive(start, all, catalogue);
    changes = all;
  };
  return {
    get current() {
      return current;
    },
    /** Changes some settings, or restores them with null. Throws UsageError, and then changes nothing. */
    set: (wanted: SettingChanges) => load({ ...changes, ...wanted }),
    reset: () => load({}),
    /** Returns the state as JSON, for other replicas. */
    save: () => changes,
    load,
  };
}

/** The clock, the faults, and the profile of a session, which all replicas share. */
type Conditions = {
  /**
   * Runs a change, and notifies the other replicas before it resolves. With `counted`, the change concerns only the
   * counts of faults. It sends no notice, because each replica reads the counts before a request meets a fault.
   */
  change<Result>(run: () => Result, counted?: 'counted'): Promise<Result>;
  refresh(): Promise<void>;
  reset(): Promise<void>;
};

type Shared = { save(): unknown; load(state: never): void; reset(): void };

function shareConditions(
  session: string,
  given: { readonly clock: SessionClock; readonly faults: Faults; readonly profile: SessionProfile },
  replicas: Replicas | undefined,
): Conditions {
  const parts: [string, Shared][] = Object.entries(given);
  const reset = () => {
    for (const [, part] of parts) part.reset();
  };
  if (!replicas) return { change: async (run) => run(), refresh: async () => {}, reset: async () => reset() };
  let version = 0;
  const text = () =>
    JSON.stringify({ version, ...Object.fromEntries(parts.map(([name, part]) => [name, part.save()])) });
  const load = (text: string | undefined) => {
    if (text === undefined) return;
    const state = JSON.parse(text);
    // The text can be older than a change that this replica wrote meanwhile.
    if (state.version <= version) return;
    version = state.version;
    for (const [name, part] of parts) part.load(state[name] as never);
  };
  const change: Conditions['change'] = async (run, counted) => {
    let before: string | undefined;
    const done = await replicas
      .change(session, (extra) => {
        load(extra);
        before = text();
        const result = run();
        version += 1;
        return { extra: text(), result };
      })
      .catch((error) => {
        // The store did not keep the change.
        version = -1;
        load(before);
        throw error;
      });
    if (!counted) await replicas.ask({ kind: 'conditions', session });
    return done;
  };
  return { change, refresh: async () => load(await replicas.extra(session)), reset: () => change(reset) };
}
