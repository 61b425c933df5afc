import type { AsyncCommand } from 'fast-check';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isAccepted } from '../api/answer.ts';
import { Blocked, Skip } from '../assert/failure.ts';
import type { CaseContext } from '../plan/rule.ts';
import type { ExpectedState } from '../state/state.ts';

/** Operations, as often as they are drawn. */
export const KINDS = ['create', 'create', 'update', 'update', 'retrieve', 'list', 'delete'] as const;
/** Which records there are, as far as a sequence can know before it is run. */
export type Expected = {
  /** Drawn for the sequence, so that its steps meet each other's records. */
  readonly models: readonly Model[];
  readonly counts: Map<string, number>;
};
export type Lane = Iterable<AsyncCommand<Expected, Real>>;
/** One sequence at the target. */
export type Real = {
  readonly state: ExpectedState;
  readonly open: (model: Model) => CaseContext;
  readonly records: Map<string, { readonly id: number; readonly sent: RecordValues }[]>;
};

/** An answer contradicts what is known. */
export class Contradicted extends Error {}

/** One operation of a sequence, on one of its models. */
export class Step implements AsyncCommand<Expected, Real> {
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
      // What can't be sent here is left out.
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
      context.records.forget(id);
      made.splice(
        made.findIndex((other) => other.id === id),
        1,
      );
    } else {
      const all = Object.entries(context.samples.valuesAfter(sent));
      // One field, some, or all of them.
      const change = Object.fromEntries(all.filter((_, index) => (this.#pick + index) % 3 !== 0));
      const values = context.profile['request.update'] === 'full' ? { ...sent, ...change } : change;
      await api.update(model.name, id, context.codec.encodeNamed(model.name, values));
      await api.retrieve(model.name, id);
    }
  }

  toString(): string {
    return `${this.#kind} ${this.#place}`;
  }
}
