import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import { type Call, createApi, type Watcher } from '../api/api.ts';
import { Blocked } from '../assert/failure.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import type { Target } from '../target/target.ts';
import { type Bystanders, createBystanders } from './bystanders.ts';
import type { Contradiction } from './judge/contradiction.ts';
import { createJudge } from './judge/judge.ts';
import type { Doubt } from './judge/list-judge.ts';
import { createKnownRecords } from './known-record.ts';
import { type Meaning, meaningOf } from './request-meaning.ts';
import type { Seen } from './seen.ts';
import { createTies } from './ties.ts';

/**
 * What the run knows of each record: what was sent and accepted, and what was shown. Every exchange is judged against
 * it, whichever case asked.
 */
export type ExpectedState = Required<Watcher> & {
  /** Judges what can only be judged at the end. */
  readonly finish: () => void;
  /** What was contradicted so far, each case once. */
  readonly contradictions: () => readonly Contradiction[];
  /** What others made or changed meanwhile, a line each; known at the end. */
  readonly strangers: () => readonly string[];
  /** Records that no case is about. They are read through the watchers; this one has to be among them. */
  bystanders(models: ReadonlySet<Model>, isStopped: () => boolean, watchers: readonly Watcher[]): Bystanders;
  /** The records that are held in memory, never more than some ten thousand. */
  readonly size: () => number;
};

export type StateOptions = Contract & {
  readonly check: WireCheck;
  /** Where it looks again. */
  readonly target: Target;
  /** Milliseconds until a list that shows something else than expected is asked for again. Default 1000. */
  readonly recheckDelay?: number | undefined;
  /** Told of a model whose list was right only when it was asked for again. */
  readonly onLate?: ((model: string) => void) | undefined;
};

/** Waits for lists that were not late; more of them say nothing new. */
const MOST_VAIN = 5;
/** Records that a list shows otherwise than expected and that are retrieved to find the cause. */
const MOST_RETRIEVED = 100;

type Pending = {
  readonly meaning: Meaning;
  readonly asked: number;
  readonly end: ((at: number, seen: Seen | undefined) => void) | undefined;
};

export function createExpectedState(options: StateOptions): ExpectedState {
  const { catalogue, recheckDelay = 1000, profile, target } = options;
  const known = createKnownRecords();
  const ties = createTies(catalogue, options.references, known);
  const judge = createJudge({ ...options, known, ties });
  const api = createApi({ target, catalogue, profile: () => profile, watchers: [{ isOwn }] });
  const pending = new WeakMap<Call, Pending>();
  let tick = 0;
  let retrieved = 0;
  let vain = 0;
  return {
    before,
    answered,
    isOwn,
    failed: (call) => pending.get(call)?.end?.(++tick, undefined),
    finish: judge.finish,
    contradictions: judge.contradictions,
    strangers: judge.strangers,
    bystanders: (models, isStopped, watchers) =>
      createBystanders({
        catalogue,
        models,
        api: createApi({ target, catalogue, profile: () => profile, watchers }),
        ties,
        ownOf: (model) =>
          [...known.of(model)].filter(({ isOwn, life }) => isOwn && life === 'live').map(({ id }) => id),
        isStopped,
      }),
    size: known.size,
  };

  function isOwn(name: string, id: unknown): boolean {
    const model = catalogue.models.get(name);
    return model !== undefined && typeof id === 'number' && known.get(model, id)?.isOwn === true;
  }

  function before(call: Call): void {
    const meaning = meaningOf(catalogue, call);
    if (!meaning) return;
    const isRead = meaning.operation === 'retrieve' || meaning.operation === 'list';
    const why = isRead ? undefined : judge.whyNoMore(meaning.model, meaning.operation);
    if (why !== undefined) throw new Blocked(why);
    pending.set(call, { meaning, asked: ++tick, end: isRead ? undefined : judge.begin(meaning) });
  }

  async function answered(call: Call, answer: Answer): Promise<void> {
    const { asked, end, meaning } = pending.get(call) ?? {};
    pending.delete(call);
    if (!meaning || !asked) return;
    const seen = see(meaning, answer, asked);
    if (end) end(++tick, seen);
    else await look(seen, call);
  }

  function see(meaning: Meaning, answer: Answer, asked: number): Seen {
    const one = meaning.operation === 'list' ? undefined : api.recordIn(answer);
    const records = meaning.operation === 'list' ? api.recordsIn(answer) : one && [one];
    const outcome = isAccepted(answer) ? 'accepted' : isRefused(answer) ? 'refused' : 'broken';
    const { exchange, status } = answer;
    return { meaning, outcome, status, records, exchange, asked, answered: ++tick };
  }

  /**
   * A list that shows something else than expected: a retrieve tells whether it is the record that is wrong; and some
   * lists are late by a moment.
   */
  async function look(seen: Seen, { request }: Call): Promise<void> {
    const doubts = judge.read(seen);
    if (doubts.length === 0) return;
    const { model } = seen.meaning;
    for (const { record } of doubts) {
      const { id } = record;
      if (++retrieved > MOST_RETRIEVED) break;
      const asked = ++tick;
      const answer = await api.retrieve(model.name, id);
      judge.read(see({ model, operation: 'retrieve', id, query: {} }, answer, asked));
    }
    const still = judge.read(seen);
    if (still.length === 0) return;
    if (recheckDelay === 0 || vain >= MOST_VAIN) {
      hold(still);
      return;
    }
    await delay(recheckDelay);
    const asked = ++tick;
    const again = await api.list(model.name, request.query);
    const wrong = judge.read(see(seen.meaning, again, asked));
    if (wrong.length === 0) options.onLate?.(model.name);
    else vain++;
    hold(wrong);
  }
}

function hold(doubts: readonly Doubt[]): void {
  for (const doubt of doubts) doubt.hold();
}
