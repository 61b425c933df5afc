import type { Profile } from '../spec/profile/profile.ts';
import { createFaults } from './control/faults/faults.ts';
import { createJournal } from './control/journal/journal.ts';
import { createJournalIds } from './control/journal/journal-ids.ts';
import { createSessionClock } from './control/sessions/clock.ts';
import { shareConditions } from './control/sessions/conditions.ts';
import type { Session } from './control/sessions/sessions.ts';
import type { Decoration, Handle } from './decoration.ts';
import { createEngine } from './engine/engine.ts';
import type { RecordSemantics } from './engine/unit-of-work.ts';
import { withoutBodyForHead } from './http/http.ts';
import { createAllowance, createMemoryBudget, withinBudget } from './memory-budget.ts';
import type { ReadOptions } from './mock-options.ts';
import { createRateLimit } from './operations/access.ts';
import type { AnswerRequest } from './operations/contract-service.ts';
import type { Replies, Reply } from './operations/reply.ts';
import type { Replicas, SessionRecords } from './store/store.ts';

type SessionParts = {
  readonly options: ReadOptions;
  readonly clock: () => Date;
  readonly profile: Profile;
  readonly semantics: RecordSemantics;
  readonly decoration: Decoration;
  readonly replies: Replies;
  readonly answerRequest: AnswerRequest;
  readonly replicas: Replicas | undefined;
  /** The answer where the mock itself is wrong. */
  readonly fail: (error: unknown) => Reply;
};

/** Opens sessions: an engine on records of their own, with a clock, faults and a journal. */
export function createSessionOpener(parts: SessionParts) {
  const { answerRequest, clock, decoration, fail, options, profile, replicas, replies, semantics } = parts;
  const budget = options.maxMemory === undefined ? undefined : createMemoryBudget(options.maxMemory);
  const allowance = createAllowance(options.maxMemory);
  const nextId = replicas && createJournalIds(replicas.number);
  return openSession;

  async function openSession(name: string, opened: SessionRecords): Promise<Session> {
    const own = budget ? withinBudget(opened, budget) : opened;
    const kept = options.ongoing?.get(name);
    // Whoever comes later by the name begins anew.
    options.ongoing?.delete(name);
    const ownClock = kept?.clock ?? createSessionClock(clock, options.now);
    const plainEngine = createEngine({ semantics, records: own, clock: ownClock.now });
    const engine = decoration.engine?.(plainEngine) ?? plainEngine;
    const backend = {
      engine,
      exceedsRate: createRateLimit(profile['limits.rate'], clock),
      time: ownClock.time,
    };
    const plainAnswer: Handle = async (request) => {
      try {
        return withoutBodyForHead(request, await answerRequest(request, backend));
      } catch (error) {
        return fail(error);
      }
    };
    const faults = kept?.faults ?? createFaults(options.faults ?? [], options.seed ?? 1);
    const conditions = shareConditions(name, { clock: ownClock, faults }, replicas);
    await conditions.refresh();
    return {
      name,
      from: own.from,
      records: own,
      engine,
      clock: ownClock,
      faults,
      conditions,
      journal: kept?.journal ?? createJournal({ size: options.journal ?? 1000, allowance, nextId }),
      allowance,
      answer: decoration.handle?.(plainAnswer, { engine, replies }) ?? plainAnswer,
    };
  }
}
