import type { Model } from '../spec/catalogue.ts';
import { createRecordCodec } from '../spec/record-codec.ts';
import type { Bindings } from './bindings.ts';
import { type BodyCheck, createBodyCheck } from './body-check.ts';
import { openContext } from './case-context.ts';
import type { CaseContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import { createKnownRecords } from './known-records.ts';
import { createLinks } from './links.ts';
import type { PlanContext } from './plan-context.ts';
import { createRemoval, type Made } from './removal.ts';
import { createSharedAnswers } from './shared-answers.ts';
import type { Target } from './target.ts';
import { createWireCheck, type WireCheck } from './wire-check.ts';

/** Makes the records that cases need, and takes them away again. */
export type Arrangement = {
  readonly readOnly: boolean;
  /** Gets hold of what the models link to; what fails blocks only the cases that need it. */
  prepare(models: ReadonlySet<Model>): Promise<void>;
  /** Asks anew for the answers that the cases of a model share. */
  forgetAnswers(model: Model): void;
  /** The context of one case; its exchanges are handed to `record`. */
  open(model: Model, record: (exchange: Exchange) => void): CaseContext;
  /** Removes what a case made, newest first. */
  close(context: CaseContext): Promise<void>;
  /** Removes everything else that was made, newest first. */
  finish(): Promise<void>;
  /** What could not be removed, as `model/id`. */
  leftovers(): readonly string[];
  /** A text with the credentials of the target blotted out. */
  conceal(text: string): string;
};

export type ArrangementOptions = PlanContext & {
  readonly target: Target;
  readonly readOnly: boolean;
  readonly seed: number;
  /** Ids to link to instead of records that are made or found. */
  readonly bindings?: Bindings;
  /** Milliseconds before each late look at what seems not to be removed; a target in this process needs none. */
  readonly looks?: readonly number[];
  /** Costly to make; runs under one profile may share them. Made anew when absent. */
  readonly instruments?: Instruments;
};

/** What judges answers, and the suite's own bodies. */
export type Instruments = { readonly check: WireCheck; readonly checkBody: BodyCheck };

export function createInstruments(plan: PlanContext): Instruments {
  return { check: createWireCheck(plan), checkBody: createBodyCheck(plan) };
}

/** More numbers than the cases of any one model use. */
const NUMBERS_PER_MODEL = 20_000;

export function createArrangement(options: ArrangementOptions): Arrangement {
  const { catalogue, profile, readOnly, references, target, unknownForms } = options;
  const plan: PlanContext = { catalogue, profile, references, unknownForms };
  const { check, checkBody } = options.instruments ?? createInstruments(plan);
  const removal = createRemoval(
    plan,
    target,
    (model, record) => check.read(model, record).deleted === true,
    options.looks,
  );
  const madeBy = new Map<CaseContext, Made[]>();
  const shared: Made[] = [];
  const deleted: Made[] = [];
  const openShared = (model: Model, record: (exchange: Exchange) => void = () => {}) =>
    openFor(model, record, shared);
  const links = createLinks(plan, options.bindings, openShared);
  const answers = createSharedAnswers(openShared);
  const parts = {
    ...plan,
    target,
    readOnly,
    check,
    checkBody,
    codec: createRecordCodec(catalogue, profile),
    links,
    answers,
    known: createKnownRecords(),
    shared,
    deleted,
  };
  // Numbers of its own for each model: what is sent does not depend on what runs beside it.
  const numbers = new Map(
    [...catalogue.models.keys()].map((name, index) => [name, options.seed + index * NUMBERS_PER_MODEL]),
  );

  return {
    readOnly,
    prepare: links.prepare,
    forgetAnswers: answers.forget,
    open(model, record) {
      const made: Made[] = [];
      const context = openFor(model, record, made);
      madeBy.set(context, made);
      return context;
    },
    async close(context) {
      const made = madeBy.get(context) ?? [];
      madeBy.delete(context);
      await removal.removeAll(made);
    },
    async finish() {
      await removal.removeAll(shared);
      await removal.settle(deleted);
    },
    leftovers: () => removal.leftovers,
    conceal: (text) => target.conceal?.(text) ?? text,
  };

  function openFor(model: Model, record: (exchange: Exchange) => void, made: Made[]): CaseContext {
    return openContext({ ...parts, model, record, made, number: () => nextNumber(model) });
  }

  function nextNumber({ name }: Model): number {
    const number = (numbers.get(name) ?? options.seed) + 1;
    numbers.set(name, number);
    return number;
  }
}
