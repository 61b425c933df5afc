import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordCodec } from '../../spec/wire/record-codec.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import type { Workplace } from '../records/records.ts';
import type { Exchange } from '../target/exchange.ts';
import type { PlanContext } from './plan-context.ts';

/** Something to find out of a model by a few requests: asked once a model, whichever cases want to know. */
export type Question<T> = {
  /** Tells the questions of a model apart; its samples depend on it. */
  readonly name: string;
  /** An answer that met a 5xx is asked for again by the next case, instead of failing all of them. */
  readonly againAfter5xx?: true;
  ask(context: CaseContext): Promise<T>;
};

/** What a case works with. Every record made through it is removed when the case ends, newest first. */
export type CaseContext = PlanContext &
  Workplace & {
    readonly model: Model;
    /** Only GET is sent. */
    readonly readOnly: boolean;
    readonly codec: RecordCodec;
    readonly check: WireCheck;
    /** The answer to a question that cases of the model share. What it makes stays until the last of them. */
    ask<T>(question: Question<T>): Promise<T>;
    /** Adds exchanges that others share to those of the case. */
    show(exchanges: readonly Exchange[]): void;
  };
