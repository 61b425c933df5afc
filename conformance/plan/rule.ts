import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { SettingName } from '../../spec/profile/profile.ts';
import type { Level } from '../results/outcome.ts';
import type { CaseContext } from './case-context.ts';
import type { PlanContext } from './plan-context.ts';

/** One thing the target has to do, as a value: the plan turns it into cases, the run into outcomes. */
export type Rule = {
  /** A slug, the same whether it passes or fails: `update.keeps-other-fields`. */
  readonly id: string;
  /** What is sent and what is observed, without modal verbs. */
  readonly title: string;
  /** The row of `spec/requirements.yaml` it tests. */
  readonly requirement: string;
  readonly level: Level;
  /** The setting of the profile an assumed rule is about. */
  readonly setting?: SettingName;
  /** The operations a model needs to have, so that the rule applies to it. */
  readonly needs: readonly Operation[];
  /** Sends other methods than GET although it needs no operation that does. */
  readonly writes?: true;
  /** Judges the shape of an answer: one that is wrong breaks the rule, also where the next one is right. */
  readonly provenByAnswer?: true;
  /** The cases of one model that has the operations; none when the rule does not apply to it. */
  cases(model: Model, plan: PlanContext): readonly Case[];
};

/** One try of a rule. It makes its own records; the run removes them. */
export type Case = {
  readonly field?: Field;
  readonly operation?: Operation;
  /** Tells apart the cases of one field: a member of its value list, say. */
  readonly detail?: string;
  /** Returns when the rule holds; throws Failure, Blocked or Skip when it does not, can't be told, does not apply. */
  run(context: CaseContext): Promise<void>;
};

/** Whether a rule sends more than GET, so that a read-only run passes it over. */
export function sendsMore({ needs, writes }: Rule): boolean {
  return writes === true || needs.some((operation) => operation !== 'retrieve' && operation !== 'list');
}

/** A rule with a single case a model. */
export function once(run: Case['run'], extra: Omit<Case, 'run'> = {}): () => Case[] {
  return () => [{ ...extra, run }];
}

/** A rule with a case for each field that the filter lets through. */
export function eachField(
  wanted: (field: Field, plan: PlanContext) => boolean,
  run: (context: CaseContext, field: Field) => Promise<void>,
): Rule['cases'] {
  return (model, plan) =>
    model.fields
      .filter((field) => wanted(field, plan))
      .map((field) => ({ field, run: (context) => run(context, field) }));
}
