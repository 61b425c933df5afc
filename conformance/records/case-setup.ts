import type { Model } from '../../spec/catalogue/catalogue.ts';
import { findCodecFaults } from '../../spec/types/vectors.ts';
import { createRecordCodec } from '../../spec/wire/record-codec.ts';
import type { Watcher } from '../api/api.ts';
import { type BodyCheck, createBodyCheck } from '../assert/body-check.ts';
import { createWireCheck, type WireCheck } from '../assert/wire-check.ts';
import type { PlanContext } from '../plan/plan-context.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import type { Bindings } from './bindings.ts';
import { openContext } from './case-context.ts';
import type { CaseContext } from './context.ts';
import { createKnownRecords } from './known-records.ts';
import { createLinks } from './links.ts';
import { createRemoval, type Made } from './removal.ts';
import { createSampleNumbers } from './sample-numbers.ts';
import { createSharedAnswers } from './shared-answers.ts';

/** Makes the records that cases need, and takes them away again. */
export type Arrangement = {
  readonly readOnly: boolean;
  /** Gets hold of what the models link to; what fails blocks only the cases that need it. */
  prepare(models: ReadonlySet<Model>): Promise<void>;
  /** Asks anew for the answers that the cases of a model share; what is tried again has the samples of its first try. */
  startAgain(model: Model): void;
  /** The context of the case with the id; its exchanges are handed to `record`. */
  open(model: Model, id: string, record: (exchange: Exchange) => void): CaseContext;
  /** Removes what a case made, newest first. */
  close(context: CaseContext): Promise<void>;
  /** Removes what the cases of models shared, newest first: nothing links to it. */
  finishModels(models: ReadonlySet<Model>): Promise<void>;
  /** Removes everything else that was made, newest first. */
  finish(): Promise<void>;
  /** What could not be removed, as `model/id`. */
  leftovers(): readonly string[];
  /** What there is to remove still, as `model/id`. */
  unremoved(): readonly string[];
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
  /** See every request of the run. */
  readonly watchers?: readonly Watcher[];
};

/** What judges answers, and the suite's own bodies. */
export type Instruments = { readonly check: WireCheck; readonly checkBody: BodyCheck };

export function createInstruments(plan: PlanContext): Instruments {
  const faults = findCodecFaults(plan.profile);
  if (faults.length > 0)
    throw new Error(
      `this kit writes or reads values otherwise than spec/types/vectors.yaml: ${faults.join('; ')}`,
    );
  return { check: createWireCheck(plan), checkBody: createBodyCheck(plan) };
}

export function createArrangement(options: ArrangementOptions): Arrangement {
  const { catalogue, profile, readOnly, references, target, watchers = [] } = options;
  const plan: PlanContext = { catalogue, profile, references };
  const { check, checkBody } = options.instruments ?? createInstruments(plan);
  const known = createKnownRecords();
  const removal = createRemoval(plan, target, {
    isMarked: (model, record) => check.read(model, record).deleted === true,
    mayHoldStrays: (model) => known.mayHoldStrays(openFor(model, createRemoval, () => {}, linked)),
    looks: options.looks,
    watchers,
  });
  const madeBy = new Map<CaseContext, Made[]>();
  /** What the records of other models link to, and what the cases of each model share. */
  const linked: Made[] = [];
  const sharedBy = new Map<Model, Made[]>([...catalogue.models.values()].map((model) => [model, []]));
  const sharedOf = (model: Model) => sharedBy.get(model) ?? linked;
  const deleted: Made[] = [];
  const links = createLinks(plan, options.bindings, (model) => openFor(model, createLinks, () => {}, linked));
  // What is asked for all cases is known by the question.
  const answers = createSharedAnswers((model, question, record) =>
    openFor(model, question, record, sharedOf(model)),
  );
  const parts = {
    ...plan,
    target,
    watchers,
    readOnly,
    check,
    checkBody,
    codec: createRecordCodec(catalogue, profile),
    links,
    answers,
    known,
    deleted,
  };
  const numbers = createSampleNumbers(options.seed);

  return {
    readOnly,
    prepare: links.prepare,
    startAgain(model) {
      answers.forget(model);
      numbers.repeat(model);
    },
    open(model, id, record) {
      const made: Made[] = [];
      const context = openFor(model, id, record, made);
      madeBy.set(context, made);
      return context;
    },
    async close(context) {
      await removal.removeAll(madeBy.get(context) ?? []);
      madeBy.delete(context);
    },
    async finishModels(models) {
      for (const model of models) await removal.removeAll(sharedOf(model));
    },
    async finish() {
      for (const made of [...sharedBy.values(), linked]) await removal.removeAll(made);
      await removal.settle(deleted);
    },
    leftovers: () => removal.leftovers,
    unremoved: () => removal.unremoved([linked, ...sharedBy.values(), ...madeBy.values()].flat()),
    conceal: (text) => target.conceal?.(text) ?? text,
  };

  function openFor(
    model: Model,
    key: unknown,
    record: (exchange: Exchange) => void,
    made: Made[],
  ): CaseContext {
    const shared = sharedOf(model);
    return openContext({ ...parts, model, record, made, shared, number: numbers.of(model, key) });
  }
}
