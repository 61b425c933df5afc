import type { Profile } from '../spec/profile/profile.ts';
import { createChain } from './chain.ts';
import type { ActionParts } from './control/action.ts';
import { createBodyLimit, isOwnPath, SHARED } from './control/address.ts';
import { type Control, createControl, createOwnSession, refusalOf } from './control/control.ts';
import { readFault, readOwnFault } from './control/faults/fault-rule.ts';
import { createGuard } from './control/guard.ts';
import type { JournalFilter } from './control/journal/journal-filter.ts';
import { createJournalReader, type JournalReader } from './control/journal/journal-reader.ts';
import type { Exchanged } from './control/journal/journal-view.ts';
import { createJournalView } from './control/journal/journal-view.ts';
import { createNameCheck } from './control/names.ts';
import { createRecordAccess } from './control/records/records.ts';
import { createSessionOpener, systemClock } from './control/sessions/session.ts';
import { createSessions, type Sessions } from './control/sessions/sessions.ts';
import { createSnapshots } from './control/sessions/snapshots.ts';
import { createStateAccess } from './control/sessions/state.ts';
import type { CatalogueNames } from './control/shapes.ts';
import type { Decoration } from './decoration.ts';
import { readSemantics } from './engine/relations.ts';
import type { createForwarding, ForwardChange, Forwarding } from './forwarding/forwarding.ts';
import { createFetch } from './http/fetch.ts';
import { type Listening, listen, type Served } from './http/server.ts';
import { createMemoryBudget } from './memory-budget.ts';
import { type MockOptions, readOptions } from './mock-options.ts';
import { createContractService, createServices } from './operations/contract-service.ts';
import type { Reply } from './operations/reply.ts';
import { createRoutes } from './routes.ts';
import type { Mock } from './running-mock.ts';
import { startStore } from './start-records.ts';
import { forkStore } from './store/open-store.ts';
import { type Replicas, type Store, StoreAway, StoreDamaged } from './store/store.ts';
import { readUsers } from './users/users.ts';

export type { CatalogueNames, Exchanged, Mock, MockOptions };

const HOUR = 3_600_000;

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
  const { bodyLimit = 2 ** 20, clock = systemClock } = options;
  const routes = options.routes && createRoutes(options.routes, catalogue.base);
  const refuseUnknown = createNameCheck(catalogue, routes);
  for (const fault of options.faults ?? []) readFault(fault, refuseUnknown);
  const users = options.users === undefined ? undefined : readUsers(options.users, contract);
  const compile = (own: Profile) => createContractService({ ...contract, profile: own }, bodyLimit, users);
  const service = await compile(profile);
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
    serviceUnder: createServices(service, contract, compile),
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
  const { forwarding, routes, view } = begun;
  const { catalogue, profile } = contract;
  const { replies, route } = service;
  const { replicas } = ownStore;
  const [closing, closed] = [new AbortController(), new AbortController()];
  // Returns the response to an error of the mock or of its store.
  const fail = (error: unknown): Reply => {
    const refusal = refusalOf(error);
    if (!refusal || error instanceof StoreDamaged) options.onError?.(error);
    const detail = 'The mock failed because of a defect in the mock.';
    return replies.refusal(refusal ?? { status: 500, detail });
  };
  const sessions = await createSessions({
    store: ownStore,
    assemble: createSessionOpener(
      {
        ...begun,
        decoration,
        replicas,
        hide: forwarding?.hide,
        closed: closed.signal,
        fail,
      },
      options,
    ),
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
    contract,
    version: catalogue.version,
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
    routeOf: routes && ((request, name) => routes.find(request, () => apiOf(name))),
    token,
    guard,
    check: parts.check,
    control: options.control === false ? undefined : control,
    fail,
  });
  const limitOf = createBodyLimit(bodyLimit, options.control !== false);
  const served: Served = { handle, bodyLimit: limitOf, profile, refuse };
  const fetch = createFetch(served);
  const listening: Listening[] = [];
  const close = async () => {
    closing.abort();
    await Promise.all(listening.map((one) => one.close()));
    closed.abort();
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
    serves: (path) => isOwnPath(path, catalogue.base) || routes?.hasPath(path) === true,
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
