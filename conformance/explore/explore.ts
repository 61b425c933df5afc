import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isAccepted } from '../api/answer.ts';
import type { WireCheck } from '../assert/agreement.ts';
import { unlessEnded } from '../assert/ending.ts';
import type { CaseContext, CaseSetup } from '../cases/rule.ts';
import { createRunRecord } from '../record/record.ts';
import { hashOf, updateValues } from '../records/values/values.ts';
import type { Finding } from '../results/results.ts';
import { type Exchange, isUnanswered } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';

export type ExploreOptions = Contract & {
  readonly target: Target;
  readonly check: WireCheck;
  /** Creates the records that sequences need, and removes them. */
  readonly setup: CaseSetup;
  readonly models: ReadonlySet<Model>;
  /** Number of sequences. */
  readonly runs: number;
  /** Equal seeds give equal sequences. */
  readonly seed: number;
  readonly isStopped: () => boolean;
};

/** Operations to draw from. One that is listed twice is twice as likely. */
const KINDS = ['create', 'create', 'update', 'update', 'retrieve', 'list', 'delete'] as const;
const LONGEST = 12;
const MODELS_OF_ONE = 3;

/** One operation on a model. `pick` selects a record of the sequence, and the fields that change. */
type Step = { readonly model: Model; readonly kind: (typeof KINDS)[number]; readonly pick: number };

/** Steps that run one after the other. Two lanes run in parallel. */
type Lanes = readonly (readonly Step[])[];

type Made = { readonly id: number; readonly sent: RecordValues };

/**
 * Runs random sequences of operations on a few models, alternating one at a time and two in parallel, and checks them
 * against the expected state. Returns the findings of the first failing sequence, without the steps that it fails
 * without. Removes all records that it creates.
 */
export async function explore(options: ExploreOptions): Promise<readonly Finding[]> {
  const models = [...options.models].filter(({ operations }) => operations.includes('create'));
  if (models.length === 0) return [];
  let sequence = 0;
  for (let run = 1; run <= options.runs && !options.isStopped(); run++) {
    let lanes = draw(models, hashOf(`${options.seed} ${run}`));
    let found = await runLanes(lanes);
    if (found.length === 0) continue;
    for (let at = lanes.flat().length - 1; at >= 0 && !options.isStopped(); at--) {
      const removed = lanes.flat()[at];
      const fewer = lanes.map((lane) => lane.filter((step) => step !== removed));
      const again = await runLanes(fewer);
      if (again.length > 0) [lanes, found] = [fewer, again];
    }
    return found;
  }
  return [];

  async function runLanes(lanes: Lanes): Promise<readonly Finding[]> {
    const exchanges: Exchange[] = [];
    const state = createRunRecord(options);
    const opened: CaseContext[] = [];
    const key = `sequence ${++sequence}`;
    const open = onceFor((model: Model) => {
      const context = options.setup.open(model, key, (exchange) => exchanges.push(exchange), [state]);
      opened.push(context);
      return context;
    });
    const runLane = async (lane: readonly Step[]) => {
      const madeOf = onceFor((_model: Model): Made[] => []);
      for (const step of lane) {
        if (state.contradictions().length > 0) return;
        // An operation that can't be sent is omitted.
        await unlessEnded(() => send(step, open(step.model), madeOf(step.model)));
      }
    };
    try {
      // Both lanes end before their records are removed.
      const ended = await Promise.allSettled(lanes.map(runLane));
      for (const one of ended) if (one.status === 'rejected' && !isUnanswered(one.reason)) throw one.reason;
      return state.contradictions().map((finding) => ({ ...finding, exchanges, sequence: true as const }));
    } finally {
      for (const context of opened) await context[Symbol.asyncDispose]();
    }
  }
}

/** Draws one or two lanes of steps on a few models, so that steps use each other's records. */
function draw(models: readonly Model[], seed: number): Lanes {
  let state = seed;
  // The high bits of this sequence (Numerical Recipes) are the random ones.
  const number = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const one = <T>(items: readonly T[]) => items[number(items.length)] as T;
  const chosen = Array.from({ length: MODELS_OF_ONE }, () => one(models));
  const step = (): Step => ({ model: one(chosen), kind: one(KINDS), pick: number(100) });
  const lane = () => Array.from({ length: 1 + number(LONGEST) }, step);
  return number(2) === 0 ? [lane()] : [lane(), lane()];
}

async function send({ kind, model, pick }: Step, context: CaseContext, made: Made[]): Promise<void> {
  const { api, codec, records, samples } = context;
  if (!model.operations.includes(kind)) return;
  const one = made[pick % Math.max(1, made.length)];
  if (kind === 'list') {
    await api.list(model.name);
  } else if (kind === 'create') {
    const sent = samples.values(pick % 2 === 0 ? 'all' : 'required');
    const answer = await api.create(model.name, codec.encodeNamed(model.name, sent));
    const id = records.adopt(answer);
    if (isAccepted(answer) && typeof id === 'number') made.push({ id, sent });
  } else if (one && kind === 'delete') {
    if (!isAccepted(await api.delete(model.name, one.id))) return;
    made.splice(made.indexOf(one), 1);
  } else if (one) {
    if (kind === 'update') {
      // Changes one field, some, or all of them.
      const all = Object.entries(samples.valuesAfter(one.sent));
      const tied = new Set(model.fields.filter(samples.isTied).map(({ name }) => name));
      const change = all.filter(([name], index) => tied.has(name) || (pick + index) % 3 !== 0);
      const values = updateValues(model, context, Object.fromEntries(change), one.sent);
      await api.update(model.name, one.id, codec.encodeNamed(model.name, values));
    }
    await api.retrieve(model.name, one.id);
  }
}
