import type { ContractFacts } from '../../../spec/meta/meta.ts';
import type { ForwardChange, ForwardState } from '../../forwarding/forwarding.ts';
import type { RunAction } from '../action.ts';
import { ACTIONS } from '../actions.ts';
import type { FaultRule } from '../faults/fault-rule.ts';
import type { ListedFault } from '../faults/faults.ts';
import type {
  CatalogueNames,
  CreateOptions,
  ListOptions,
  OwnNames,
  RecordShapes,
  RecordsApi,
  Sample,
} from '../records/records-api.ts';
import type { LogQuestion } from '../request-log/request-log-reader.ts';
import type { RecordedRequest, RequestFilter } from '../request-log/request-log-view.ts';
import type { State } from './state.ts';

/** The time of a session. */
export type ClockApi = {
  now(): Promise<Date>;
  /** Sets the time, stops or starts the clock, or both. */
  set(change: { readonly now?: Date; readonly frozen?: boolean }): Promise<void>;
  advance(ms: number): Promise<void>;
};

/** Whose exchanges: those of the session, or with `all` those of all sessions. */
type LogOptions = { readonly sessions?: 'all' };

/** The number of exchanges, the newest ones. The default is all, or 1000 of all sessions. */
type LimitOption = { readonly limit?: number };

/**
 * The actions of a test on one session, named as in the control API. A name that the catalogue does not have rejects
 * with UsageError.
 */
export type SessionApi = {
  /** Back to how the session began: records, ids, clock, faults, settings, request log. */
  reset(): Promise<void>;
  /**
   * Changes settings, such as `{ 'status.created': 200 }`. Others keep their values. null restores the value of the start of
   * the mock, and a reset restores all. Rejects for a setting that must not change while the mock runs. The settings in
   * `contract()` with `live` can change.
   */
  setProfile(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** The facts of the contract, for forms and tables: models, fields, and settings. */
  contract(): Promise<ContractFacts>;
  /** The records of some models, or of all that have any, in the form of fixtures. */
  state(models?: readonly string[]): Promise<State>;
  /** Replaces all records; rejects with FixtureMistakes, and then nothing has changed. */
  setState(state: State): Promise<void>;
  /** Replaces the records of the models that are named. */
  patchState(state: State): Promise<void>;
  /** Saves the records and IDs. The snapshot belongs to the session, and is deleted with it, unless it is shared. */
  snapshot(name: string, options?: { readonly shared?: boolean }): Promise<void>;
  restore(name: string): Promise<void>;
  /** The exchanges that match, the newest last. */
  requests<Names extends CatalogueNames = OwnNames>(
    filter?: RequestFilter<Names>,
    options?: LogOptions & LimitOption,
  ): Promise<readonly RecordedRequest[]>;
  count<Names extends CatalogueNames = OwnNames>(
    filter?: RequestFilter<Names>,
    options?: LogOptions,
  ): Promise<number>;
  /** The exchanges that match, once there are `count`; rejects after `timeout` milliseconds, 5000 when absent. */
  waitFor<Names extends CatalogueNames = OwnNames>(
    filter: RequestFilter<Names>,
    options?: LogOptions & { readonly count?: number; readonly timeout?: number },
  ): Promise<readonly RecordedRequest[]>;
  clearRequests(): Promise<void>;
  /** Adds a fault, and returns its ID. */
  fault<Names extends CatalogueNames = OwnNames>(rule: FaultRule<Names>): Promise<string>;
  faults(): Promise<readonly ListedFault[]>;
  /** Enables or disables a fault. A disabled one matches no request, and keeps its counts. */
  setFault(id: string, change: { readonly enabled: boolean }): Promise<void>;
  /** Removes one fault, or all. */
  clearFaults(id?: string): Promise<void>;
  readonly clock: ClockApi;
  /** Generates records that refer to existing ones. Returns their IDs. The same seed gives the same values. */
  generate(model: string, count: number, options?: { readonly seed?: number }): Promise<readonly number[]>;
  /** Returns the values of a valid new record. It stores nothing. */
  sample(model: string): Promise<Sample>;
  /** Returns the number of records of each model that are not deleted. */
  countRecords(): Promise<Readonly<Record<string, number>>>;
  /** Returns the service that answers some models, in all sessions. Rejects without the option `forward`. */
  forward(): Promise<ForwardState>;
  /** Starts or stops forwarding, or chooses the forwarded models, in all sessions. */
  setForward(change: ForwardChange): Promise<ForwardState>;
  /** The records of one model in the form of fixtures under every profile. */
  records<Name extends keyof RecordShapes>(model: Name): RecordsApi<RecordShapes[Name]>;
  records<Shape extends object = Record<string, unknown>>(model: string): RecordsApi<Shape>;
  /** Deletes the session with its records and snapshots. Rejects for the shared session. */
  delete(): Promise<void>;
  /** Answers a request as one of this session. */
  fetch(request: Request): Promise<Response>;
};

/** The methods of a session that are actions of the control API. */
export function sessionMethods(run: RunAction): Omit<SessionApi, 'delete' | 'fetch'> {
  const find = async (question: LogQuestion) => (await run(ACTIONS.listRequests, question)).requests;
  const done = async (action: Promise<unknown>): Promise<void> => void (await action);
  return {
    reset: () => run(ACTIONS.reset),
    setProfile: (settings) => done(run(ACTIONS.setProfile, { settings })),
    contract: () => run(ACTIONS.getContract),
    state: (models) => run(ACTIONS.getState, { models }),
    setState: (state) => run(ACTIONS.replaceState, state),
    patchState: (state) => run(ACTIONS.patchState, state),
    snapshot: (name, options) => done(run(ACTIONS.createSnapshot, { name, ...options })),
    restore: (name) => run(ACTIONS.restoreSnapshot, { name }),
    requests: (filter = {}, { limit, sessions } = {}) => find({ ...filter, limit, sessions }),
    count: async (filter = {}, { sessions } = {}) =>
      (await run(ACTIONS.countRequests, { ...filter, sessions })).count,
    waitFor: (filter, { count = 1, sessions, timeout = 5000 } = {}) =>
      find({ ...filter, sessions, wait: count, timeout }),
    clearRequests: () => run(ACTIONS.clearRequests),
    fault: async (rule) => (await run(ACTIONS.createFault, rule)).id,
    faults: async () => (await run(ACTIONS.listFaults)).faults,
    setFault: (id, { enabled }) => run(ACTIONS.setFault, { id, enabled }),
    clearFaults: (id) => (id === undefined ? run(ACTIONS.clearFaults) : run(ACTIONS.deleteFault, { id })),
    generate: async (model, count, options) =>
      (await run(ACTIONS.generateRecords, { model, count, ...options })).ids,
    sample: (model) => run(ACTIONS.getSample, { model }),
    countRecords: async () => (await run(ACTIONS.countRecords)).counts,
    records: (model: string) => recordsOf(run, model),
    forward: () => run(ACTIONS.getForward),
    setForward: (change) => run(ACTIONS.changeForward, change),
    clock: {
      now: async () => new Date((await run(ACTIONS.getClock)).now),
      set: (change) => done(run(ACTIONS.setClock, change)),
      advance: (ms) => done(run(ACTIONS.advanceClock, { ms })),
    },
  };
}

/** The records of a model, in this process or remote. */
export function recordsOf<Shape extends object>(run: RunAction, model: string): RecordsApi<Shape> {
  type Own = Shape & { readonly id: number };
  // The caller knows the fields of the model.
  const page = async ({ filters: asked, ...options }: ListOptions) => {
    const filters = asked && JSON.stringify(asked);
    const { records, total } = await run(ACTIONS.listRecords, { model, ...options, filters });
    return { records: records as readonly Own[], total };
  };
  const create = async (values: object = {}, { fill = true }: CreateOptions = {}) =>
    (await run(ACTIONS.createRecord, { model, values, fill })) as Own;
  return {
    list: async ({ limit, offset = 0, ...others } = {}) => {
      if (limit !== undefined) return page({ ...others, limit, offset });
      const found: Own[] = [];
      for (;;) {
        // One request returns at most 1000 records.
        const next = { ...others, offset: offset + found.length, limit: 1000 };
        const { records, total } = await page(next);
        found.push(...records);
        if (records.length === 0 || next.offset + records.length >= total) return { records: found, total };
      }
    },
    get: async (id) => {
      const filters = [{ field: 'id', operator: 'equal', value: id }] as const;
      return (await page({ filters, deleted: true, limit: 1 })).records[0];
    },
    create,
    createMany: async (count, values, options) => {
      const made: Own[] = [];
      while (made.length < count) made.push(await create(values, options));
      return made;
    },
    update: async (id, values) => (await run(ACTIONS.updateRecord, { model, id, values })) as Own,
    delete: (id) => run(ACTIONS.deleteRecord, { model, id }),
    links: async (id) => (await run(ACTIONS.listRecordLinks, { model, id })).links,
  };
}
