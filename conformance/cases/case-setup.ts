import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import { type Profile, profileAt } from '../../spec/profile/profile.ts';
import { findCodecFaults } from '../../spec/types/vectors.ts';
import type { ApiCall, Watcher } from '../api/api.ts';
import { createWireCheck, type WireCheck } from '../assert/wire-check.ts';
import { createRecords, type MakingOptions, type RecordsOptions } from '../records/records.ts';
import { writableFields } from '../records/values/values.ts';
import type { CaseResult } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import { isDisposable } from '../target/place.ts';
import type { CaseContext, SharedRequests } from './rule.ts';

/** Returns the result of a case. If a late list made it fail, runs it again. */
export type LookAgain = (failed: CaseResult, run: () => Promise<CaseResult>) => Promise<CaseResult>;

export type CaseSetupOptions = Contract &
  MakingOptions &
  Omit<RecordsOptions, 'check' | 'plan'> & {
    /** Returns the contract of the moment. `learn` finds out its profile while it runs. */
    readonly plan?: () => Contract;
    readonly readOnly: boolean | (() => boolean);
    /** Default: whether the URL of the target names this machine. A forwarded response rules it out. */
    readonly isDisposable?: boolean | undefined;
    /** Without it, a late list counts as wrong. */
    readonly lookAgain?: LookAgain | undefined;
    /** Runs under one profile can share it, because it takes long to make. Default: that of the current profile. */
    readonly check?: WireCheck | undefined;
    /** Receives each request with the case that sends it. */
    readonly onCall?: ((call: ApiCall, caseId: string) => void) | undefined;
  };

/** Returns the check of responses. Throws if the formats of values are not those of the vectors. */
export function createCheck(plan: Contract): WireCheck {
  const faults = findCodecFaults(plan.profile);
  if (faults.length > 0)
    throw new Error(
      `The wire formats differ from spec/types/vectors.yaml: ${faults.join('; ')}. This is a bug; please report it.`,
    );
  return createWireCheck(plan);
}

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
  const answers = createAnswers((model, key, record, caseId) =>
    openFor(model, key, record, model, [], caseId),
  );

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
    /** The context of the case with the id; its exchanges are handed to `record`. */
    open: (
      model: Model,
      id: string,
      record: (exchange: Exchange) => void,
      watchers?: readonly Watcher[],
    ): CaseContext => openFor(model, id, record, {}, watchers),
    /** Removes what a case made, newest first. */
    close: ({ owner }: CaseContext) => records.removeOf(owner),
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

  function openFor(
    model: Model,
    key: string,
    record: (exchange: Exchange) => void,
    owner: object,
    more: readonly Watcher[] = [],
    caseId = key,
  ): CaseContext {
    const watchers = [{ before: (call: ApiCall) => options.onCall?.(call, caseId) }, ...more];
    const show = (exchanges: readonly Exchange[]) => exchanges.forEach(record);
    return {
      ...plan(),
      profile: profileAt(plan().profile, model.name),
      ...records.open(model, key, { owner, record, watchers }),
      model,
      owner,
      readOnly: isReadOnly(),
      get isDisposable() {
        return isDisposable(target, options.isDisposable);
      },
      codec: records.codec(plan().profile),
      check: check(),
      beside: (other) => records.open(other, key, { owner, record, watchers }),
      ask: (question, of = model) => answers.ask({ caseId, model: of, show }, question),
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

type Asker = Pick<CaseContext, 'model' | 'show'> & { readonly caseId: string };

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
    async ask<T>({ caseId, model, show }: Asker, question: SharedRequests<T>): Promise<T> {
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
    /** Forgets the answers of a model. */
    forget: (model: Model) => void memory.delete(model),
  };

  async function askOnce<T>(model: Model, question: SharedRequests<T>, caseId: string): Promise<Shared> {
    const exchanges: Exchange[] = [];
    const context = open(model, question.name, (exchange) => exchanges.push(exchange), caseId);
    return { found: await question.ask(context), exchanges };
  }
}
