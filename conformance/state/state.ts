import { setTimeout as delay } from 'node:timers/promises';
import { createApi, isAccepted, isRefused, pathOf } from '../api/api.ts';
import { isErrorInside } from '../api/error-form.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import type { PlanContext } from '../plan/plan-context.ts';
import type { Exchange, TargetResponse } from '../target/exchange.ts';
import type { Target, TargetRequest } from '../target/target.ts';
import { createAnswerJudge } from './answer-judge.ts';
import type { Contradiction } from './contradiction.ts';
import { createKnownRecords } from './known-record.ts';
import { type Meaning, meaningOf, readJson } from './request-meaning.ts';
import type { Seen } from './seen.ts';
import { createTies } from './ties.ts';

/**
 * What the run knows of each record: what was sent and accepted, and what was shown. Every exchange is judged against
 * it, whichever case asked.
 */
export type ExpectedState = {
  /** The same target; all that passes through it is judged. */
  watch(target: Target): Target;
  /** Takes in what only the end shows. */
  readonly finish: () => void;
  /** What was contradicted so far, each case once. */
  readonly contradictions: () => readonly Contradiction[];
  /** The models whose lists showed only at a second look what they should have shown. */
  readonly late: () => readonly string[];
  /** The records that are held in memory, never more than some ten thousand. */
  readonly size: () => number;
};

export type StateOptions = PlanContext & {
  readonly check: WireCheck;
  /** Milliseconds until a list that shows something else than expected is asked for again. Default 1000. */
  readonly patience?: number;
};

/** Looks again at lists; more of them say nothing new. */
const MOST_LOOKS = 5;
/** Of the records that one list shows wrong: the others are wrong in the same way, or come again. */
const MOST_RETRIEVED = 3;

export function createExpectedState(options: StateOptions): ExpectedState {
  const { catalogue, patience = 1000, profile } = options;
  const known = createKnownRecords();
  const ties = createTies(catalogue, options.references, known);
  const judge = createAnswerJudge({ ...options, known, ties });
  const late = new Set<string>();
  let tick = 0;
  let looks = 0;
  return {
    watch,
    finish: judge.finish,
    contradictions: judge.contradictions,
    late: () => [...late],
    size: known.size,
  };

  function watch(target: Target): Target {
    const { recordIn, recordsIn } = createApi(target, catalogue, profile, () => {});
    return { ...target, send };

    async function send(
      request: TargetRequest,
      record: (exchange: Exchange) => void,
    ): Promise<TargetResponse> {
      const meaning = meaningOf(catalogue, request);
      if (!meaning) return target.send(request, record);
      const end = isWrite(meaning) ? judge.begin(meaning) : undefined;
      let seen: Seen | undefined;
      try {
        const asked = await ask(request, meaning, record);
        seen = asked.seen;
        if (!end) await look(seen, request, record);
        return asked.response;
      } finally {
        end?.(++tick, seen);
      }
    }

    async function ask(request: TargetRequest, meaning: Meaning, record: (exchange: Exchange) => void) {
      const asked = ++tick;
      let exchange: Exchange | undefined;
      const response = await target.send(request, (sent) => {
        exchange = sent;
        record(sent);
      });
      const json = response.status < 300 ? readJson(response.body) : undefined;
      const answer = { ...response, json, asked: '' };
      const says = isErrorInside(answer) ? { ...answer, saysNo: true as const } : answer;
      const one = meaning.operation === 'list' ? undefined : recordIn(says);
      const records = meaning.operation === 'list' ? recordsIn(says) : one && [one];
      const outcome = isAccepted(says) ? 'accepted' : isRefused(says) ? 'refused' : 'broken';
      const { status } = response;
      const seen: Seen = { meaning, outcome, status, records, exchange, asked, answered: ++tick };
      return { seen, response };
    }

    /**
     * A list that shows something else than expected: a retrieve tells whether it is the record that is wrong; and
     * some lists are late by a moment.
     */
    async function look(seen: Seen, request: TargetRequest, record: (exchange: Exchange) => void) {
      const doubt = judge.read(seen);
      if (!doubt) return;
      if (looks++ >= MOST_LOOKS) return doubt.hold();
      for (const { id, model } of doubt.records.slice(0, MOST_RETRIEVED)) {
        const path = `${catalogue.base}${pathOf(model.name, id)}`;
        const retrieve = { ...request, query: versionOnly(request.query), path };
        const one = { model, operation: 'retrieve', id, query: {} } as const;
        judge.read((await ask(retrieve, one, record)).seen);
      }
      const still = judge.read(seen);
      if (!still) return;
      if (patience === 0) return still.hold();
      await delay(patience);
      const again = judge.read((await ask(request, seen.meaning, record)).seen);
      if (again) again.hold();
      else late.add(seen.meaning.model.name);
    }
  }

  /** Where the version stands in the query, it does so in that of each request. */
  function versionOnly(query: TargetRequest['query'] = {}): Readonly<Record<string, string>> {
    const version = query[profile['version.name']];
    return version === undefined ? {} : { [profile['version.name']]: version };
  }
}

function isWrite({ operation }: Meaning): boolean {
  return operation !== 'retrieve' && operation !== 'list';
}
