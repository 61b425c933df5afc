import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import type { SettingName } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordCodec } from '../../spec/wire/record-codec.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import type { Workplace } from '../records/records.ts';
import type { Level } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';

/** A row of the list of rules: the plan turns it into cases, the run into outcomes. */
export type Rule = {
  /** A slug, the same whether it passes or fails: `update.keeps-other-fields`. */
  readonly id: string;
  /** The requests and the expected result, without modal verbs. */
  readonly title: string;
  /** The row of `spec/requirements.yaml` it tests. */
  readonly requirement: string;
  readonly level: Level;
  /** The setting of the profile an assumed rule is about. */
  readonly setting?: SettingName;
  /** The operations a model needs to have, so that the rule applies to it. */
  readonly needs: readonly Operation[];
  /** The operation that the case of a model is about. */
  readonly operation?: Operation;
  /** Sends other methods than GET although it needs no operation that does. */
  readonly writes?: true;
  /** Runs after all other cases, because a service that breaks the rule could delete their records. */
  readonly afterAll?: true;
  /** Is tried also where the service refuses creates with all fields, or with the field of the case. */
  readonly triesRefused?: true;
  /** Judges the shape of an answer: one that is wrong breaks the rule, also where the next one is right. */
  readonly provenByAnswer?: true;
  /** The cases of one model that has the operations. Default: one case. */
  cases?(model: Model, plan: Contract): readonly Case[];
  /** The requests for a model, sent once for all rules that judge them. */
  readonly requests?: SharedRequests<unknown>;
  /**
   * Judges what the requests found. Throws `failure` if the rule is broken, `blocked` if it can't be judged, and `skip` if it
   * does not apply. The records that it makes are removed by the run.
   */
  judge(context: CaseContext, item: Case, found: unknown): Promise<void>;
  /** Sends more requests at the end of the run. `pause` waits until a second has passed since the last case of the model. */
  later?(context: CaseContext, pause: () => Promise<void>): Promise<void>;
};

/** A rule in the list of its folder, which gives it its level. */
export type ListedRule = Omit<Rule, 'level'>;

/** A rule about a setting; without an id it has that of the setting: `profile.list.sort`. */
export type Assumption = Omit<Rule, 'id' | 'level'> & { readonly id?: string; readonly setting: SettingName };

/** The subject of a case. It distinguishes the cases of a model. */
export type Case = {
  readonly field?: Field;
  /** The field of the lines in `field` that it is about. */
  readonly part?: Field;
  readonly operation?: Operation;
  /** Tells apart the cases of one field: a member of its value list, say. */
  readonly detail?: string;
  /** The valid values that it sends to its field, so that a pin can exclude it. */
  readonly values?: readonly Value[];
  /** Sends other methods than GET although its rule needs no operation that does. */
  readonly writes?: true;
};

export type FieldCase = Case & { readonly field: Field };

/** A rule with the types of its cases and of the result of its requests. */
type Typed<Row, Item extends Case, Found> = Omit<Row, 'cases' | 'requests' | 'judge'> & {
  cases?(model: Model, plan: Contract): readonly Item[];
  readonly requests?: SharedRequests<Found>;
  judge(context: CaseContext, item: Item, found: Found): Promise<void>;
};

/** Checks that `judge` gets the cases of its rule and the result of its requests. */
export function row<Item extends Case = Case, Found = undefined>(
  rule: Typed<Assumption, Item, Found>,
): Assumption;
export function row<Item extends Case = Case, Found = undefined>(
  rule: Typed<ListedRule, Item, Found>,
): ListedRule;
export function row(rule: ListedRule | Assumption): ListedRule | Assumption {
  return rule;
}

/** Finds out something about a model by a few requests, once for all its cases. */
export type SharedRequests<T> = {
  /** Unique for a model. The samples depend on it. */
  readonly name: string;
  /** An answer that met a 5xx is asked for again by the next case, instead of failing all of them. */
  readonly againAfter5xx?: true;
  ask(context: CaseContext): Promise<T>;
};

/** The tools of a case. The records that they create are removed when the case ends, newest first. */
export type CaseContext = Contract &
  Workplace & {
    readonly model: Model;
    /** Its records are removed when the case ends. */
    readonly owner: object;
    /** Only GET is sent. */
    readonly readOnly: boolean;
    /** Whether the target is a service on this machine, so that a case may risk a record that it did not create. */
    readonly isDisposable: boolean;
    readonly codec: Pick<RecordCodec, 'encodeNamed'>;
    readonly check: WireCheck;
    /** To make records of another model; they are removed with those of the case. */
    beside(model: Model): Workplace;
    /**
     * Returns the answer to a question that the cases of a model share, by default those of the model of the case. What
     * it makes stays until the last of them.
     */
    ask<T>(question: SharedRequests<T>, of?: Model): Promise<T>;
    /** Gets records for the required links of a model that the run does not test, without the left-out fields. */
    prepareLinks(model: Model, leaveOut: readonly Field[]): Promise<void>;
    /** Whether the list of any other model shows more records than the number. */
    showsMore(than: number): Promise<boolean>;
    /** Adds exchanges that others share to those of the case. */
    show(exchanges: readonly Exchange[]): void;
  };

/** Whether a case of a rule sends more than GET, so that a read-only run passes it over. */
export function sendsMore(
  { needs, writes }: Pick<Rule, 'needs' | 'writes'>,
  item: Pick<Case, 'writes'> = {},
): boolean {
  return (
    writes === true ||
    item.writes === true ||
    needs.some((operation) => operation !== 'retrieve' && operation !== 'list')
  );
}

/** One case where the rule applies under the contract. */
export function where(applies: (plan: Contract, model: Model) => boolean) {
  return (model: Model, plan: Contract): readonly Case[] => (applies(plan, model) ? [{}] : []);
}

/** A case for each field that the filter lets through. */
export function eachField(wanted: (field: Field, plan: Contract) => boolean) {
  return (model: Model, plan: Contract): readonly FieldCase[] =>
    model.fields.filter((field) => wanted(field, plan)).map((field) => ({ field }));
}
