import type { Catalogue, Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import { type Profile, profileAt, type SettingName } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordCodec } from '../../spec/wire/record-codec.ts';
import type { ApiCall, Watcher } from '../api/api.ts';
import { createWireCheck, type WireCheck } from '../assert/agreement.ts';
import { createRecords, type RecordsOptions, type Workplace } from '../records/records.ts';
import { writableFields } from '../records/values/values.ts';
import type { CaseResult, Level } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import { isDisposable } from '../target/place.ts';

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
    /** Removes its records. */
    [Symbol.asyncDispose](): Promise<void>;
    readonly readOnly: boolean;
    /** Whether the target is a service on this machine, so that a case may risk a record that it did not create. */
    readonly isDisposable: boolean;
    readonly codec: Pick<RecordCodec, 'encodeNamed'>;
    readonly check: WireCheck;
    /** To make records of another model; they are removed with those of the case. */
    beside(model: Model): Workplace;
    /** Returns the answer to a question that the cases of a model share. Its records stay until the last of them. */
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
  const isMore = (operation: Operation) => operation !== 'retrieve' && operation !== 'list';
  return writes === true || item.writes === true || needs.some(isMore);
}

/** One case where the rule applies under the contract. */
export function where(applies: (plan: Contract, model: Model) => boolean) {
  return (model: Model, plan: Contract): readonly Case[] => (applies(plan, model) ? [{}] : []);
}

export function eachField(wanted: (field: Field, plan: Contract) => boolean) {
  return (model: Model, plan: Contract): readonly FieldCase[] =>
    model.fields.filter((field) => wanted(field, plan)).map((field) => ({ field }));
}

export type CaseSetupOptions = Contract &
  Omit<RecordsOptions, 'check' | 'plan'> & {
    /** Returns the contract of the moment. `learn` finds out its profile while it runs. */
    readonly plan?: () => Contract;
    readonly readOnly: boolean | (() => boolean);
    /** Default: whether the URL of the target names this machine. A forwarded response rules it out. */
    readonly isDisposable?: boolean | undefined;
    /** Runs a case again if a late list made it fail. Without it, a late list counts as wrong. */
    readonly lookAgain?: (failed: CaseResult, run: () => Promise<CaseResult>) => Promise<CaseResult>;
    /** Runs under one profile can share it, because it takes long to make. Default: that of the current profile. */
    readonly check?: WireCheck | undefined;
    /** Receives each request with the case that sends it. */
    readonly onCall?: ((call: ApiCall, caseId: string) => void) | undefined;
  };

/** Sets cases up with what they need, and takes away what they made. */
export type CaseSetup = ReturnType<typeof createCaseSetup>;

export function createCaseSetup(options: CaseSetupOptions) {
  const { catalogue, profile, references, target } = options;
  const isReadOnly = () => (typeof options.readOnly === 'function' ? options.readOnly() : options.readOnly);
  const fixed: Contract = { catalogue, profile, references };
  const plan = options.plan ?? (() => fixed);
  const checkFor = onceFor((spoken: Profile) => createWireCheck({ ...fixed, profile: spoken }));
  const check = () => options.check ?? checkFor(plan().profile);
  const records = createRecords({ ...options, plan, check });
  const prepared = new Set<Model>();
  const showsMore = searchingLists(catalogue, records.lengthOf);
  const answers = createAnswers((model, key, record, caseId) => open(model, key, record, [], model, caseId));

  return {
    records,
    get readOnly() {
      return isReadOnly();
    },
    lookAgain: options.lookAgain,
    /** Finds or creates records that the models link to. If that fails, only the cases that need them are blocked. */
    async prepare(models: ReadonlySet<Model>): Promise<void> {
      for (const model of models) prepared.add(model);
      await records.links.prepare(models);
    },
    /** Forgets the shared answers of a model. By default, a second try sends the samples of the first one. */
    startAgain(model: Model, repeatsSamples = true): void {
      answers.forget(model);
      if (repeatsSamples) records.repeatSamples(model);
    },
    open,
    /** Removes what the cases of models shared, newest first: nothing links to it. */
    async finishModels(models: ReadonlySet<Model>): Promise<void> {
      for (const model of models) await records.removeOf(model);
    },
    /** Retrieves a record, without a case. */
    look: (model: Model, id: number) => records.open(model, 'look', {}).api.retrieve(model.name, id),
    finish: records.finish,
    leftovers: records.leftovers,
    unremoved: records.unremoved,
    /** A text with the credentials of the target redacted. */
    redact: (text: string) => target.redact?.(text) ?? text,
  };

  async function prepareLinks(model: Model, leaveOut: readonly Field[]): Promise<void> {
    if (prepared.has(model)) return;
    prepared.add(model);
    const fields = writableFields(model).filter((field) => field.required && !leaveOut.includes(field));
    await records.links.prepareFields(model, fields);
  }

  /** Returns the context of a case or question, by the name of its samples. `record` receives its exchanges. */
  function open(
    model: Model,
    key: string,
    record: (exchange: Exchange) => void,
    more: readonly Watcher[] = [],
    owner: object = {},
    caseId = key,
  ): CaseContext {
    const watchers = [{ before: (call: ApiCall) => options.onCall?.(call, caseId) }, ...more];
    const show = (exchanges: readonly Exchange[]) => exchanges.forEach(record);
    return {
      ...plan(),
      profile: profileAt(plan().profile, model.name),
      ...records.open(model, key, { owner, record, watchers }),
      model,
      [Symbol.asyncDispose]: () => records.removeOf(owner),
      readOnly: isReadOnly(),
      get isDisposable() {
        return isDisposable(target, options.isDisposable);
      },
      codec: records.codec(plan().profile),
      check: check(),
      beside: (other) => records.open(other, key, { owner, record, watchers }),
      ask: (question, of = model) => answers.ask({ model: of, show }, caseId, question),
      prepareLinks,
      showsMore,
      show,
    };
  }
}

/**
 * Returns a function that reads the lists of a service until one shows more records than wanted. In a whole run it reads
 * each list at most twice: once, and again because lists grow.
 */
function searchingLists(
  { models }: Pick<Catalogue, 'models'>,
  lengthOf: (model: Model) => Promise<number>,
): CaseContext['showsMore'] {
  const listed = [...models.values()].filter(({ operations }) => operations.includes('list'));
  let longest = 0;
  let read = 0;
  let last = Promise.resolve();
  return async (than) => {
    last = last.catch(() => {}).then(() => search(than));
    await last;
    return longest > than;
  };

  async function search(than: number): Promise<void> {
    for (const model of listed) {
      if (longest > than || read >= 2 * listed.length) return;
      read++;
      longest = Math.max(longest, await lengthOf(model));
    }
  }
}

type Shared = { readonly found: unknown; readonly exchanges: readonly Exchange[] };

/** Asks a question of a model at most this often, if it ends blocked or with a 5xx. */
const MOST_TRIES = 3;

/** Answers that many cases of a model judge, and that are asked for once. */
function createAnswers(
  open: (model: Model, key: string, record: (exchange: Exchange) => void, caseId: string) => CaseContext,
) {
  const memory = new Map<Model, Map<string, { tries: number; asked: Promise<Shared> | undefined }>>();
  return {
    /** Asks a question once, and shows its exchanges to every asker. */
    async ask<T>(
      { model, show }: Pick<CaseContext, 'model' | 'show'>,
      caseId: string,
      question: SharedRequests<T>,
    ): Promise<T> {
      const known = memory.get(model) ?? new Map();
      const entry = known.get(question.name) ?? { tries: 0, asked: undefined };
      memory.set(model, known.set(question.name, entry));
      const asked: Promise<Shared> = entry.asked ?? askOnce(model, question, caseId);
      entry.asked = asked;
      const tryAgain = () => {
        if (entry.asked === asked && ++entry.tries < MOST_TRIES) entry.asked = undefined;
      };
      const { exchanges, found } = await asked.catch((error) => {
        tryAgain();
        throw error;
      });
      show(exchanges);
      if (question.againAfter5xx && exchanges.some(({ response }) => response.status >= 500)) tryAgain();
      return found as T;
    },
    forget: (model: Model) => void memory.delete(model),
  };

  async function askOnce<T>(model: Model, question: SharedRequests<T>, caseId: string): Promise<Shared> {
    const exchanges: Exchange[] = [];
    const context = open(model, question.name, (exchange) => exchanges.push(exchange), caseId);
    return { found: await question.ask(context), exchanges };
  }
}
