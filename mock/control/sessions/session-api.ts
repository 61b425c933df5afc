import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../../spec/contract.ts';
import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { createRecordCodec, type RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Invalid, OneRecord, UnknownRecord } from '../../engine/engine.ts';
import type { Draft, Violation } from '../../engine/violation.ts';
import { DEEPEST_JSON, isDeeper, TOO_DEEP } from '../../operations/body.ts';
import type { createValueValidators } from '../../operations/validators.ts';
import { refuseName, SESSION_NAME, SHARED } from '../address.ts';
import { refuseFaultId } from '../faults/fault-endpoints.ts';
import type { FaultRule } from '../faults/fault-rule.ts';
import type { ListedFault } from '../faults/faults.ts';
import { readOwnFault } from '../faults/read-fault.ts';
import { checkFilter, type JournalFilter } from '../journal/journal-filter.ts';
import type { JournalReader, RecordedRequest } from '../journal/journal-view.ts';
import type { NameCheck } from '../names.ts';
import type { CatalogueNames, OwnNames, RecordShapes } from '../shapes.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Snapshots } from './snapshots.ts';
import type { State, StateAccess } from './state.ts';

/** The time of a session. */
export type ClockApi = {
  now(): Promise<Date>;
  /** Sets the time, or whether it stands still, or both. */
  set(change: { readonly now?: Date; readonly frozen?: boolean }): Promise<void>;
  advance(ms: number): Promise<void>;
};

/**
 * What a test does to one session, in the words of the control plane. A name that the catalogue does not have rejects
 * with UsageError.
 */
export type SessionApi = {
  /** Back to how the session began: records, ids, clock, faults, journal. */
  reset(): Promise<void>;
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
    filter?: JournalFilter<Names>,
  ): Promise<readonly RecordedRequest[]>;
  count<Names extends CatalogueNames = OwnNames>(filter?: JournalFilter<Names>): Promise<number>;
  /** The exchanges that match, once there are `count`; rejects after `timeout` milliseconds, 5000 when absent. */
  waitFor<Names extends CatalogueNames = OwnNames>(
    filter: JournalFilter<Names>,
    options?: { readonly count?: number; readonly timeout?: number },
  ): Promise<readonly RecordedRequest[]>;
  clearRequests(): Promise<void>;
  /** Adds a fault, and gives its id. */
  fault<Names extends CatalogueNames = OwnNames>(rule: FaultRule<Names>): Promise<string>;
  faults(): Promise<readonly ListedFault[]>;
  /** Removes one fault, or all. */
  clearFaults(id?: string): Promise<void>;
  readonly clock: ClockApi;
  /** The records of one model, past HTTP and in the form of fixtures. */
  records<Name extends keyof RecordShapes>(model: Name): RecordsApi<RecordShapes[Name]>;
  records<Shape extends object = Record<string, unknown>>(model: string): RecordsApi<Shape>;
  /** Deletes the session with its records and snapshots. Rejects for the shared session. */
  delete(): Promise<void>;
  /** Answers a request as one of this session. */
  fetch(request: Request): Promise<Response>;
};

export type SessionApiOptions = {
  readonly contract: Contract;
  readonly sessions: Sessions;
  readonly snapshots: Snapshots;
  readonly state: StateAccess;
  readonly reader: JournalReader;
  readonly refuseUnknown: NameCheck;
  /** Checks values in the form of fixtures. */
  readonly validate: ReturnType<typeof createValueValidators>;
  readonly fetch: (request: Request) => Promise<Response>;
};

/** Throws UsageError for a name that no session can have. */
export function createSessionApi(name: string, options: SessionApiOptions): SessionApi {
  const { contract, reader, refuseUnknown, sessions, snapshots, state } = options;
  if (!SESSION_NAME.test(name)) throw new UsageError(refuseName(name));
  const on = async <Result>(run: (session: Session) => Result | Promise<Result>): Promise<Result> =>
    run(await sessions.use(name));
  const read = (filter: object) => checkFilter(filter, refuseUnknown);
  /** The clock or the faults. */
  const change = <Result>(run: (session: Session) => Result): Promise<Result> =>
    on((session) => session.conditions.change(() => run(session)));
  return {
    reset: () =>
      on(async (session) => {
        await sessions.reset(session);
        await reader.clear(session);
      }),
    state: (models) => on((session) => state.read(session, models)),
    setState: (records) => on((session) => state.write(session, records, 'all')),
    patchState: (records) => on((session) => state.write(session, records, 'named')),
    snapshot: (snapshot, { shared } = {}) => on((session) => snapshots.save(session, snapshot, shared)),
    restore: (snapshot) => on((session) => snapshots.restore(session, snapshot)),
    requests: (filter = {}) => on((session) => reader.find(session, { filter: read(filter) })),
    count: (filter = {}) => on((session) => reader.count(session, { filter: read(filter) })),
    waitFor: (filter, { count = 1, timeout = 5000 } = {}) =>
      on((session) => reader.find(session, { filter: read(filter), count, timeout })),
    clearRequests: () => on((session) => reader.clear(session)),
    fault: (rule) =>
      on((session) => {
        const own = readOwnFault(rule, name, refuseUnknown);
        return session.conditions.change(() => session.faults.add(own).id);
      }),
    faults: () => on((session) => session.conditions.change(() => session.faults.list(), 'counted')),
    clearFaults: (id) =>
      change(({ faults }) => {
        if (id === undefined) faults.clear();
        else if (!faults.remove(id)) throw new UsageError(refuseFaultId(id));
      }),
    clock: {
      now: () => on(({ clock }) => clock.now()),
      set: (to) => change(({ clock }) => clock.set(to)),
      advance: (ms) => change(({ clock }) => clock.advance(ms)),
    },
    records: <Shape extends object>(model: string) =>
      createRecordsApi(contract, options.validate, model, () => sessions.use(name)) as RecordsApi<Shape>,
    delete: async () => {
      if (name === SHARED) throw new UsageError("The shared session can't be deleted. Reset it instead.");
      await sessions.delete(name);
    },
    fetch: (request) => {
      const own = new Request(request);
      own.headers.set('x-mock-session', name);
      return options.fetch(own);
    },
  };
}

/** Records of one model in the form of fixtures; what is done to them has all its effects. */
type RecordsApi<Shape extends object> = {
  list(): Promise<readonly (Shape & { readonly id: number })[]>;
  get(id: number): Promise<(Shape & { readonly id: number }) | undefined>;
  /** Rejects with UsageError for values that do not fit, as `update` does. */
  create(values: Partial<Shape>): Promise<Shape & { readonly id: number }>;
  /** Changes the values that are given. Rejects with UsageError where there is no such record. */
  update(id: number, values: Partial<Shape>): Promise<Shape & { readonly id: number }>;
  delete(id: number): Promise<void>;
};

type Shown = Record<string, Value> & { readonly id: number };

/** Throws UsageError for a model that there is not. */
function createRecordsApi(
  { catalogue }: Contract,
  validate: ReturnType<typeof createValueValidators>,
  name: string,
  open: () => Promise<Session>,
): RecordsApi<Record<string, unknown>> {
  const found = catalogue.models.get(name);
  if (!found) throw new UsageError(unexpected('model', name, [...catalogue.models.keys()]));
  const model = found;
  const codec = createRecordCodec(catalogue, DEFAULT_PROFILE);
  const show = (record: RecordValues) => codec.encode(name, record) as Shown;
  return {
    list: async () => (await (await open()).engine.list(model, {})).records.map(show),
    get: async (id) => {
      const result = await (await open()).engine.retrieve(model, id);
      return result.kind === 'record' ? show(result.record) : undefined;
    },
    create: async (values) => {
      const draft = readDraft(
        values,
        model.fields.filter((field) => field.required && !field.readonly),
      );
      return show(recordOf(await (await open()).engine.create(model, draft), model));
    },
    update: async (id, values) =>
      show(recordOf(await (await open()).engine.update(model, id, readDraft(values, [])), model)),
    delete: async (id) => {
      recordOf(await (await open()).engine.delete(model, id), model);
    },
  };

  function readDraft(given: object, required: Model['fields']): Draft {
    if (isDeeper(given, DEEPEST_JSON)) throw new UsageError(`The ${name} ${TOO_DEEP}`);
    const writable = model.fields.filter((field) => !field.readonly);
    const violations: Violation[] = [];
    for (const [member, value] of Object.entries(given)) {
      const field = writable.find((one) => one.name === member);
      if (!field)
        throw new UsageError(
          unexpected(
            'field',
            member,
            writable.map((one) => one.name),
            `of ${name}`,
          ),
        );
      if (value === null || field.lines !== undefined) continue;
      for (const { message, pointer } of validate(field, value))
        violations.push({ pointer: `/${member}${pointer}`, message });
    }
    for (const field of required)
      if ((given as RecordValues)[field.name] === undefined)
        violations.push({ pointer: `/${field.name}`, message: 'is required' });
    return violations.length > 0
      ? { values: {}, violations }
      : { values: codec.decode(name, given as RecordValues), violations };
  }
}

function recordOf(result: OneRecord | UnknownRecord | Invalid, { name }: Model): RecordValues {
  switch (result.kind) {
    case 'record':
      return result.record;
    case 'unknown-record':
      throw new UsageError(`There is no ${name} with this ID.`);
    case 'invalid':
      throw new UsageError(
        `The ${name} is invalid: ${result.violations.map(({ message, pointer }) => `${pointer} ${message}`).join('; ')}`,
      );
  }
}
