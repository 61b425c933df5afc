import { describeProfile } from '../spec/profile/profile.ts';
import { createChain } from './chain.ts';
import type { ActionParts } from './control/action.ts';
import { isForControl, isOwnPath, SHARED } from './control/address.ts';
import { type Control, createControl, isProbe, refusalOf } from './control/control.ts';
import type { Exchanged } from './control/exchange-line.ts';
import { createFaults } from './control/faults/faults.ts';
import { readFault, readOwnFault } from './control/faults/read-fault.ts';
import { createGuard } from './control/guard.ts';
import { createJournal, createJournalFeed } from './control/journal/journal.ts';
import type { JournalFilter } from './control/journal/journal-filter.ts';
import { createJournalReader, type JournalReader } from './control/journal/journal-reader.ts';
import { createJournalView } from './control/journal/journal-view.ts';
import { createNameCheck } from './control/names.ts';
import { createChangeKinds } from './control/records/record-change.ts';
import { createRecordAccess } from './control/records/records.ts';
import { createWriteLog } from './control/records/write-log.ts';
import { createSessionClock } from './control/sessions/clock.ts';
import { shareConditions } from './control/sessions/conditions.ts';
import { createOwnSession } from './control/sessions/own-session.ts';
import { createSessions, type Session, type Sessions } from './control/sessions/sessions.ts';
import { createSnapshots } from './control/sessions/snapshots.ts';
import { createStateAccess } from './control/sessions/state.ts';
import type { CatalogueNames } from './control/shapes.ts';
import type { Decoration, Handle } from './decoration.ts';
import { createEngine } from './engine/engine.ts';
import { readSemantics } from './engine/unit-of-work.ts';
import type { createForwarding, ForwardChange, Forwarding } from './forwarding/forwarding.ts';
import { createFetch } from './http/fetch.ts';
import { withoutBodyForHead } from './http/http.ts';
import { type Listening, listen, type Served } from './http/server.ts';
import { createAllowance, createMemoryBudget, withinBudget } from './memory-budget.ts';
import { type MockOptions, readOptions } from './mock-options.ts';
import { createRateLimit } from './operations/access.ts';
import { createContractService } from './operations/contract-service.ts';
import type { Reply } from './operations/reply.ts';
import { createRoutes } from './routes.ts';
import type { Mock } from './running-mock.ts';
import { startStore } from './start-store.ts';
import { forkStore } from './store/open-store.ts';
import { type Replicas, type SessionRecords, type Store, StoreAway, StoreDamaged } from './store/store.ts';
import { readUsers } from './users/users.ts';

/** Maximum number of replicas with distinct IDs in one 64th of a millisecond. */
const REPLICAS = 64;

const IN_A_MILLISECOND = 64;

export type { CatalogueNames, Exchanged, Mock, MockOptions };

const MEBIBYTE = 1024 * 1024;
const HOUR = 3_600_000;
/** Maximum length of a body of the control API, which can contain all records. */
const CONTROL_BODY_LIMIT = 16 * MEBIBYTE;

/**
 * Makes a service of a contract, the Record Model API under the default profile when none is given, that keeps its
 * records in memory or where `data` says. Throws UsageError for fixtures that do not fit the catalogue.
 */
export async function createMock(options: MockOptions = {}): Promise<Mock> {
  const beginning = await begin(options);
  const { forwarding, store } = beginning;
  // A store in memory is never written to, so that every fork begins as it did.
  const own = options.data === undefined ? forkStore(store) : store;
  return assemble(beginning, own, options.decoration, forwarding?.close);
}

type Begun = Awaited<ReturnType<typeof begin>>;

/** Creates the parts that a mock shares with its forks. */
async function begin(given: MockOptions) {
  const [options, contract] = readOptions(given);
  const { catalogue, profile } = contract;
  const { bodyLimit = MEBIBYTE, clock = () => new Date() } = options;
  const routes = createRoutes(options.routes ?? {}, catalogue.base);
  const refuseUnknown = createNameCheck(catalogue, routes);
  for (const fault of options.faults ?? []) readFault(fault, refuseUnknown);
  const users = options.users === undefined ? undefined : readUsers(options.users, contract);
  const service = await createContractService(contract, bodyLimit, users);
  const forwarding = options.forward && (await startForwarding(options.forward, contract, service.route));
  const semantics = { ...readSemantics(contract), isElsewhere: forwarding?.has };
  const { store, beginning: began } = await startStore(options, contract, semantics);
  const { records, ...beginning } = began;
  const models = [...catalogue.models.values()];
  const state = createStateAccess(contract, semantics, options.lenient);
  const operations = models.reduce((sum, model) => sum + model.operations.length, 0);
  return {
    options,
    contract,
    bodyLimit,
    clock,
    refuseUnknown,
    service,
    semantics,
    forwarding,
    store,
    beginning,
    budget: options.maxMemory === undefined ? undefined : createMemoryBudget(options.maxMemory),
    counts: { models: models.length, operations, records },
    state,
    routes,
    records: createRecordAccess(contract, semantics, { state, origin: options.origin }),
    view: createJournalView(service.route, profile),
  };
}

/** Loads the forwarding only where it is used, because its HTTP client takes long to load. */
async function startForwarding(...given: Parameters<typeof createForwarding>): Promise<Forwarding> {
  return (await import('./forwarding/forwarding.ts')).createForwarding(...given);
}

/** Creates a mock from its parts and a store. `release` is called when it closes. */
async function assemble(
  begun: Begun,
  ownStore: Store,
  decoration: Decoration = {},
  release = () => {},
): Promise<Mock> {
  const { beginning, bodyLimit, contract, counts, options, refuseUnknown, service, state, store } = begun;
  const { forwarding, view } = begun;
  const { catalogue, profile } = contract;
  const { replies, route } = service;
  const { replicas } = ownStore;
  const closing = new AbortController();
  let isClosed = false;
  // Returns the response to an error of the mock or of its store.
  const fail = (error: unknown): Reply => {
    const refusal = refusalOf(error);
    if (!refusal || error instanceof StoreDamaged) options.onError?.(error);
    const detail = 'The mock failed because of a defect in the mock.';
    return replies.refusal(refusal ?? { status: 500, detail });
  };
  const sessions = await createSessions({
    store: ownStore,
    assemble: createSessionOpener(begun, { decoration, fail, isClosed: () => isClosed, replicas }),
    idle: options.sessionIdle ?? HOUR,
    max: options.maxSessions ?? 1000,
  });
  const snapshots = createSnapshots(ownStore);
  const { latency, onExchange } = options;
  const token = options.control ? options.control.token : undefined;
  const guard = createGuard(token);
  const reader = createJournalReader(view, refuseUnknown, () => sessions.list(), replicas);
  if (replicas) answerReplicas(replicas, sessions, reader, forwarding);
  const parts: ActionParts = {
    sessions,
    snapshots,
    state,
    records: begun.records,
    reader,
    profile,
    contract,
    version: catalogue.version,
    describeProfile: () => describeProfile(profile),
    forward: forwarding && {
      ...forwarding,
      change: async (forward) => {
        forwarding.change(forward);
        await replicas?.ask({ kind: 'forward', session: SHARED, forward });
      },
    },
    readFault: (rule, session) => readOwnFault(rule, session, refuseUnknown),
    check: () => checkStore(ownStore),
    needMemory: () => begun.budget?.need(),
  };
  let made: Control | undefined;
  // Created on its first use, because most forks need none.
  const control = () => {
    made ??= createControl({ ...parts, guard });
    return made;
  };
  const refuse: Mock['refuse'] = (code, detail) => replies.refusal({ status: code, detail });
  const handle = createChain({
    sessions,
    replies,
    route,
    latency,
    closing: closing.signal,
    onExchange,
    forwarding,
    routeOf: (request, name) => begun.routes.find(request, () => apiOf(name)),
    token,
    guard,
    check: parts.check,
    control: options.control === false ? undefined : control,
    fail,
  });
  const limitOf = (target: string) =>
    options.control !== false && isForControl(target) ? CONTROL_BODY_LIMIT : bodyLimit;
  const served: Served = { handle, bodyLimit: limitOf, profile, refuse, isOpen: isProbe };
  const fetch = createFetch(served);
  const listening: Listening[] = [];
  const close = async () => {
    closing.abort();
    await Promise.all(listening.map((one) => one.close()));
    isClosed = true;
    release();
    if (ownStore === store) await store.close();
  };
  const apiOf = (name: string) => createOwnSession(name, { parts, fetch });
  return {
    ...apiOf(SHARED),
    fetch,
    handle,
    answer: (request) => sessions.shared.answer(request),
    bodyLimit: limitOf,
    refuse,
    get document() {
      return service.document();
    },
    base: catalogue.base,
    serves: (path) => isOwnPath(path, catalogue.base) || begun.routes.hasPath(path),
    counts,
    ...beginning,
    profile,
    close,
    [Symbol.asyncDispose]: close,
    session: apiOf,
    parts,
    sessions: async () => (await sessions.all()).map(({ name }) => name),
    listen: async (where = {}) => {
      const server = await listen(served, { port: 0, host: '127.0.0.1', ...where });
      listening.push(server);
      return server;
    },
    fork: async (other) => assemble(begun, forkStore(store), other),
  };
}

/** Rejects if the database does not respond. */
async function checkStore({ check }: Store): Promise<void> {
  try {
    await check?.();
  } catch (error) {
    // The address of the database is for the log and the control API only.
    if (error instanceof StoreAway)
      throw new StoreAway('The database does not respond. Send the request again.');
    throw error;
  }
}

type Question = {
  readonly kind: 'conditions' | 'drop' | 'clear' | 'count' | 'find' | 'forward';
  readonly session: string;
  readonly sessions?: 'all';
  readonly filter?: JournalFilter;
  readonly limit?: number;
  readonly forward?: ForwardChange;
};

/** Answers the questions and messages of other replicas. */
function answerReplicas(
  replicas: Replicas,
  sessions: Sessions,
  reader: JournalReader,
  forwarding: Forwarding | undefined,
): void {
  replicas.answer(
    async (asked) => {
      const { filter = {}, forward = {}, kind, limit, session: name, sessions: scope } = asked as Question;
      if (kind === 'forward') return forwarding?.change(forward);
      if (kind === 'drop') return sessions.letGo(name);
      if (scope === 'all')
        return kind === 'find' ? reader.own.find('all', filter, limit) : reader.own.count('all', filter);
      const session = await sessions.held(name);
      if (!session) return kind === 'find' ? [] : 0;
      switch (kind) {
        case 'conditions':
          return session.conditions.refresh();
        case 'clear':
          return session.journal.clear();
        case 'count':
          return reader.own.count(session, filter);
        case 'find':
          return reader.own.find(session, filter, limit);
      }
    },
    () => sessions.letGo(),
  );
}

/** Returns a function that opens a session: an engine with its records, a clock, faults, and a journal. */
function createSessionOpener(
  { budget, clock, contract, forwarding, options, semantics, service }: Begun,
  own: {
    readonly decoration: Decoration;
    readonly fail: (error: unknown) => Reply;
    readonly isClosed: () => boolean;
    readonly replicas: Replicas | undefined;
  },
) {
  const { decoration, fail, isClosed, replicas } = own;
  const answerWith = service.answerWith(decoration.readDraft);
  const allowance = createAllowance(options.maxMemory);
  const kindOf = createChangeKinds(contract.catalogue);
  // The journals of a replaced mock still have its feed.
  const feed =
    options.ongoing?.get(SHARED)?.journal.feed ??
    createJournalFeed(replicas && createJournalIds(replicas.number));
  return openSession;

  async function openSession(name: string, opened: SessionRecords): Promise<Session> {
    const shown = forwarding ? forwarding.hide(opened) : opened;
    const kept = options.ongoing?.get(name);
    // A later session of the name starts new.
    options.ongoing?.delete(name);
    const ownClock = kept?.clock ?? createSessionClock(clock, options.now);
    const writes = createWriteLog({ records: shown, allowance, time: ownClock.time, kindOf });
    // The budget doesn't limit an undo, because its records are in memory already.
    const own = unlessClosed(budget ? withinBudget(writes.records, budget) : writes.records, isClosed);
    const plainEngine = createEngine({ semantics, records: own, clock: ownClock.now });
    const engine = decoration.engine?.(plainEngine) ?? plainEngine;
    const exceedsRate = createRateLimit(contract.profile['limits.rate'], clock);
    const handle = answerWith({ engine, exceedsRate, time: ownClock.time });
    const plainAnswer: Handle = async (request) => {
      try {
        return withoutBodyForHead(request, await handle(request));
      } catch (error) {
        return fail(error);
      }
    };
    const faults = kept?.faults ?? createFaults(options.faults ?? [], options.seed ?? 1);
    const conditions = shareConditions(name, { clock: ownClock, faults }, replicas);
    await conditions.refresh();
    return {
      name,
      from: own.from,
      records: own,
      engine,
      writes,
      clock: ownClock,
      faults,
      conditions,
      journal:
        kept?.journal ?? createJournal({ size: options.journal ?? 1000, allowance, session: name, feed }),
      allowance,
      answer: decoration.handle?.(plainAnswer, { engine, replies: service.replies }) ?? plainAnswer,
    };
  }
}

/** Returns records that a request can't change after the mock has closed, because the store is closed, too. */
function unlessClosed(records: SessionRecords, isClosed: () => boolean): SessionRecords {
  return {
    ...records,
    transaction: async (work) => {
      if (isClosed()) throw new StoreAway('The mock has stopped. Nothing was stored.');
      return records.transaction(work);
    },
  };
}

/**
 * Ids that no other replica gives and that are in the order of time, as far as the clocks of their machines agree;
 * whole numbers that JSON keeps until 2039.
 */
function createJournalIds(replica: number): () => number {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Date.now() * IN_A_MILLISECOND);
    return last * REPLICAS + (replica % REPLICAS);
  };
}
