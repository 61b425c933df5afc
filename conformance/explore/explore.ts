import {
  type AsyncCommand,
  asyncModelRun,
  asyncProperty,
  check as checkProperty,
  commands,
  constantFrom,
  nat,
  tuple,
} from 'fast-check';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isAccepted } from '../api/answer.ts';
import { Blocked, Skip } from '../assert/failure.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import type { CaseSetup } from '../cases/case-setup.ts';
import type { CaseContext } from '../cases/rule.ts';
import { createRunRecord, type RunRecord } from '../record/record.ts';
import { updateValues } from '../records/values/values.ts';
import type { Finding } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import { NoAnswer } from '../target/no-answer.ts';
import type { Target } from '../target/target.ts';

/** Operations to draw from. One that is listed twice is twice as likely. */
const KINDS = ['create', 'create', 'update', 'update', 'retrieve', 'list', 'delete'] as const;

/** A response contradicts an earlier one. */
class Contradicted extends Error {}

/** One operation of a sequence, on one of its models. */
class Step implements AsyncCommand<Expected, Real> {
  readonly #place: number;
  readonly #kind: (typeof KINDS)[number];
  readonly #pick: number;

  constructor(place: number, kind: (typeof KINDS)[number], pick: number) {
    this.#place = place;
    this.#kind = kind;
    this.#pick = pick;
  }

  check({ counts, models }: Readonly<Expected>): boolean {
    const model = models[this.#place];
    if (!model?.operations.includes(this.#kind)) return false;
    return this.#kind === 'create' || this.#kind === 'list' || (counts.get(model.name) ?? 0) > 0;
  }

  async run({ counts, models }: Expected, real: Real): Promise<void> {
    const model = models[this.#place];
    if (!model) return;
    try {
      await this.#send(model, real);
    } catch (error) {
      // An operation that can't be sent is omitted.
      if (!(error instanceof Blocked || error instanceof Skip)) throw error;
    }
    counts.set(model.name, real.records.get(model.name)?.length ?? 0);
    const [first] = real.state.contradictions();
    if (first) throw new Contradicted(first.message);
  }

  async #send(model: Model, { open, records }: Real): Promise<void> {
    const made = records.get(model.name) ?? [];
    records.set(model.name, made);
    const one = made[this.#pick % Math.max(1, made.length)];
    const context = open(model);
    const { api } = context;
    if (this.#kind === 'list') {
      await api.list(model.name);
    } else if (this.#kind === 'create') {
      const sent = context.samples.values(this.#pick % 2 === 0 ? 'all' : 'required');
      const answer = await api.create(model.name, context.codec.encodeNamed(model.name, sent));
      const id = context.records.adopt(answer);
      if (!isAccepted(answer) || typeof id !== 'number') return;
      made.push({ id, sent });
    } else if (one) {
      await this.#sendTo(one, model, context, made);
    }
  }

  async #sendTo(
    { id, sent }: { readonly id: number; readonly sent: RecordValues },
    model: Model,
    context: CaseContext,
    made: { id: number; sent: RecordValues }[],
  ): Promise<void> {
    const { api } = context;
    if (this.#kind === 'retrieve') {
      await api.retrieve(model.name, id);
    } else if (this.#kind === 'delete') {
      const answer = await api.delete(model.name, id);
      if (!isAccepted(answer)) return;
      made.splice(
        made.findIndex((other) => other.id === id),
        1,
      );
    } else {
      const all = Object.entries(context.samples.valuesAfter(sent));
      // Changes one field, some, or all of them.
      const tied = new Set(model.fields.filter(context.samples.isTied).map(({ name }) => name));
      const change = Object.fromEntries(
        all.filter(([name], index) => tied.has(name) || (this.#pick + index) % 3 !== 0),
      );
      const values = updateValues(model, context, change, sent);
      await api.update(model.name, id, context.codec.encodeNamed(model.name, values));
      await api.retrieve(model.name, id);
    }
  }

  toString(): string {
    return `${this.#kind} ${this.#place}`;
  }
}

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

const LONGEST = 12;
const MODELS_OF_ONE = 3;

/**
 * Runs random sequences of operations on a few models, both one at a time and two in parallel, and checks them against
 * the expected state. Returns the findings of the shortest failing sequence, with all of its exchanges. Removes all
 * records that it creates.
 */
export async function explore(options: ExploreOptions): Promise<readonly Finding[]> {
  const { isStopped, runs, seed } = options;
  const models = [...options.models].filter(({ operations }) => operations.includes('create'));
  if (models.length === 0 || runs <= 0) return [];
  let shortest: { readonly findings: readonly Finding[]; readonly length: number } | undefined;
  let sequence = 0;
  /** An error that ends all sequences. */
  let fault: unknown;

  const some = tuple(...Array.from({ length: MODELS_OF_ONE }, () => constantFrom(...models)));
  const steps = tuple(nat(MODELS_OF_ONE - 1), constantFrom(...KINDS), nat(100)).map(
    ([model, kind, pick]): Step => new Step(model, kind, pick),
  );
  const lane = commands([steps], { maxCommands: LONGEST });
  const property = asyncProperty(some, lane, lane, nat(1), async (chosen, one, other, lanes) => {
    if (isStopped() || fault !== undefined) return;
    await runOnce(chosen, lanes === 0 ? [one] : [one, other]);
  });
  const settings = { numRuns: runs, seed, endOnFailure: false };
  await checkProperty(property, settings);
  if (fault !== undefined) throw fault;
  return shortest?.findings ?? [];

  async function runOnce(
    chosen: readonly Model[],
    lanes: readonly Iterable<AsyncCommand<Expected, Real>>[],
  ): Promise<void> {
    const exchanges: Exchange[] = [];
    const state = createRunRecord(options);
    const record = (exchange: Exchange) => void exchanges.push(exchange);
    const contexts = new Map<Model, CaseContext>();
    const number = ++sequence;
    const open = (model: Model) => {
      const context = contexts.get(model) ?? options.setup.open(model, `sequence ${number}`, record, [state]);
      contexts.set(model, context);
      return context;
    };
    try {
      const start = () => ({
        model: { models: chosen, counts: new Map() } satisfies Expected,
        real: { state, open, records: new Map() } satisfies Real,
      });
      // Both lanes end before their records are removed.
      const ended = await Promise.allSettled(lanes.map((one) => asyncModelRun(start, one)));
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    } catch (error) {
      if (error instanceof NoAnswer && !error.gone) return;
      if (!(error instanceof Contradicted)) fault ??= error;
      else if (exchanges.length < (shortest?.length ?? Number.POSITIVE_INFINITY))
        shortest = {
          findings: state
            .contradictions()
            .map((finding) => ({ ...finding, exchanges: [...exchanges], sequence: true as const })),
          length: exchanges.length,
        };
      throw error;
    } finally {
      for (const context of contexts.values()) await options.setup.close(context);
    }
  }
}

/** The records that a sequence expects before it runs. */
type Expected = {
  /** Drawn for the sequence, so that its steps use each other's records. */
  readonly models: readonly Model[];
  readonly counts: Map<string, number>;
};

/** One sequence against the target. */
type Real = {
  readonly state: RunRecord;
  readonly open: (model: Model) => CaseContext;
  readonly records: Map<string, { readonly id: number; readonly sent: RecordValues }[]>;
};
