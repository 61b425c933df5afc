import type { Contract } from '../../../spec/contract.ts';
import { onceFor } from '../../../spec/once-for.ts';
import type { Profile } from '../../../spec/profile/profile.ts';
import type { Decoration, Handle } from '../../decoration.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import { type RecordSemantics, readSemantics } from '../../engine/relations.ts';
import { withoutBodyForHead } from '../../http/http.ts';
import type { MemoryBudget } from '../../memory-budget.ts';
import type { ContractService, createServices } from '../../operations/contract-service.ts';
import type { Reply } from '../../operations/reply.ts';
import { createRateLimit } from '../../operations/router.ts';
import { type Replicas, type SessionRecords, StoreAway } from '../../store/store.ts';
import { SHARED } from '../address.ts';
import type { FaultRule } from '../faults/fault-rule.ts';
import { createFaults, type Faults } from '../faults/faults.ts';
import { createAllowance, createJournal, createJournalFeed } from '../journal/journal.ts';
import {
  type Conditions,
  createSessionClock,
  createSessionProfile,
  type SessionClock,
  type SessionProfile,
  shareConditions,
} from './conditions.ts';

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
  readonly journal: ReturnType<typeof createJournal>;
  /** Answers requests to the contract, without faults and journal. */
  readonly answer: Handle;
};

/** The data of sessions in addition to their records, by name. */
export type Ongoing = Map<string, Pick<Session, 'clock' | 'faults' | 'journal'>>;

/** Returns a function that opens a session with its records. */
export function createSessionOpener(
  options: {
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
  },
  start: {
    readonly now?: Date | undefined;
    readonly faults?: readonly FaultRule[] | undefined;
    readonly seed?: number | undefined;
    readonly journal?: number | undefined;
    readonly maxMemory?: number | undefined;
    readonly ongoing?: Ongoing | undefined;
  },
): (name: string, records: SessionRecords) => Promise<Session> {
  const { budget, clock: base, closed, contract, decoration, fail, hide, replicas, serviceUnder } = options;
  const { handle: decorate, readDraft } = decoration;
  const answerOf = onceFor(({ answerWith }: ContractService) => answerWith(readDraft));
  const semanticsUnder = onceFor((profile: Profile) => {
    if (profile === contract.profile) return options.semantics;
    return { ...readSemantics({ ...contract, profile }), isElsewhere: options.semantics.isElsewhere };
  });
  const { journal: size = 1000, ongoing, seed = 1 } = start;
  const allowance = createAllowance(start.maxMemory);
  // The journals of a replaced mock still have its feed.
  const feed = ongoing?.get(SHARED)?.journal.feed ?? createJournalFeed(replicas?.number);
  return async (session, opened) => {
    const stored = hide?.(opened) ?? opened;
    const kept = ongoing?.get(session);
    // A later session of the name starts new.
    ongoing?.delete(session);
    const clock = kept?.clock ?? createSessionClock(base, start.now);
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
      const plainEngine = createEngine({ semantics: semanticsUnder(own), records, clock: clock.now });
      const engine = decoration.engine?.(plainEngine) ?? plainEngine;
      const backend = { engine, exceedsRate: createRateLimit(own['limits.rate'], base), time: clock.time };
      const service = serviceUnder(own);
      const handle = answerOf(service)(backend);
      const plainAnswer: Handle = async (request) => {
        try {
          return withoutBodyForHead(request, await handle(request));
        } catch (error) {
          return fail(error);
        }
      };
      const answer = decorate?.(plainAnswer, { engine, replies: service.replies }) ?? plainAnswer;
      return { engine, answer };
    });
    const faults = kept?.faults ?? createFaults(start.faults ?? [], seed);
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
      journal: kept?.journal ?? createJournal({ size, allowance, session, feed }),
      get answer() {
        return partsUnder(profile.current).answer;
      },
    };
  };
}

export const systemClock = () => new Date();
