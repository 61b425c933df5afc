import type { ContractDocument } from '../generator/generate.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import type { Profile } from '../spec/profile/profile.ts';
import { createChain } from './chain.ts';
import type { ActionParts } from './control/action.ts';
import { createControl, createOwnSession, refusalOf } from './control/control.ts';
import { createNameCheck, readFault } from './control/faults/fault-rule.ts';
import { createRecordAccess } from './control/records/records.ts';
import type { CatalogueNames } from './control/records/records-api.ts';
import { createLogReader } from './control/request-log/request-log-reader.ts';
import { createLogView, type Exchanged } from './control/request-log/request-log-view.ts';
import { createSessionOpener, systemClock } from './control/sessions/session.ts';
import type { SessionApi } from './control/sessions/session-api.ts';
import { createSessions, createSnapshots, type Sessions } from './control/sessions/sessions.ts';
import { createStateAccess } from './control/sessions/state.ts';
import type { Decoration, Handle } from './decoration.ts';
import { readSemantics } from './engine/relations.ts';
import type { ForwardChange, Forwarding } from './forwarding/forwarding.ts';
import {
  type Answer,
  createBodyLimit,
  createGuard,
  type MockRequest,
  SHARED,
  type WhenDone,
} from './http/http.ts';
import { createFetch, type Listening, type ListenOptions, listen, type Served } from './http/server.ts';
import { createMemoryBudget } from './memory-budget.ts';
import { type MockOptions, readOptions } from './mock-options.ts';
import { createContractService, createServices } from './operations/contract-service.ts';
import type { Reply } from './operations/reply.ts';
import { createRoutes, isOwnPath } from './routes.ts';
import { type Beginning, startStore } from './start-records.ts';
import { type Replicas, type Store, StoreDamaged } from './store/store.ts';
import { readUsers } from './users/users.ts';

export type { CatalogueNames, Exchanged, MockOptions };

const HOUR = 3_600_000;

/** A running mock. Its own methods act on the shared session. */
export type Mock = SessionApi &
  Served &
  Omit<Beginning, 'records'> & {
    /** Answers a request without a port, the control plane and the sessions too. */
    fetch(request: Request): Promise<Response>;
    /** Like `fetch`, without the objects of the Fetch standard, which take most of the time. Never rejects. */
    handle(request: MockRequest, whenDone?: WhenDone): Promise<Answer>;
    /** Answers a request to the contract for the shared session, without faults and request log. Never rejects. */
    readonly answer: Handle;
    /** The isolated session of a name, made when it is first used. */
    session(name: string): SessionApi;
    /** The parts that a mock in place of this one takes over (`carryOver`). */
    readonly parts: MockParts;
    /** The names of the sessions. The shared one comes first. */
    sessions(): Promise<readonly string[]>;
    /** Serves the mock over HTTP; without a port on a free one of 127.0.0.1. */
    listen(options?: Partial<ListenOptions>): Promise<Listening>;
    /** Stops listening, and closes the file or database of `data`. The mock does not answer after that. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    readonly document: ContractDocument;
    /** The path before the models, such as `/api/model`. */
    readonly base: string;
    /** Whether a path belongs to the mock where an app has the same origin. */
    serves(path: string): boolean;
    readonly profile: Profile;
    readonly counts: { readonly models: number; readonly operations: number; readonly records: number };
    /** Another mock with the same start records, and the given decoration or none. */
    fork(decoration?: Decoration): Promise<Mock>;
  };

export type MockParts = Pick<ActionParts, 'sessions' | 'state' | 'forward'>;

/**
 * Makes a service of a contract, the Record Model API under the default profile when none is given, that keeps its
 * records in memory or where `data` says. Throws UsageError for fixtures that do not fit the catalogue.
 */
export async function createMock(options: MockOptions = {}): Promise<Mock> {
  const [read, contract] = readOptions(options);
  const { catalogue, profile } = contract;
  const { bodyLimit = 2 ** 20, clock = systemClock, latency, onExchange } = read;
  const routes = read.routes && createRoutes(read.routes, catalogue.base);
  const refuseUnknown = createNameCheck(catalogue, routes);
  for (const fault of read.faults ?? []) readFault(fault, refuseUnknown);
  const users = read.users === undefined ? undefined : readUsers(read.users, contract);
  const compile = (own: Profile) => createContractService({ ...contract, profile: own }, bodyLimit, users);
  const service = compile(profile);
  const serviceUnder = createServices(service, contract, compile);
  const { replies, route } = service;
  // Loaded on use, because its HTTP client takes long to load.
  const { createForwarding } = read.forward ? await import('./forwarding/forwarding.ts') : {};
  const forwarding = read.forward && createForwarding?.(read.forward, contract, service);
  const semantics = { ...readSemantics(contract), isElsewhere: forwarding?.has };
  const { store, beginning: begun } = await startStore(read, contract, semantics);
  const { records: count, ...beginning } = begun;
  const models = [...catalogue.models.values()];
  const operations = models.reduce((sum, model) => sum + model.operations.length, 0);
  const counts = { models: models.length, operations, records: count };
  const state = createStateAccess(contract, semantics, read.lenient);
  const records = createRecordAccess(contract, semantics, state.show, read.origin);
  const budget = read.maxMemory === undefined ? undefined : createMemoryBudget(read.maxMemory);
  const view = createLogView(route, profile);
  const token = read.control ? read.control.token : undefined;
  const guard = createGuard(token);
  const limitOf = createBodyLimit(bodyLimit, read.control !== false);
  const refuse: Mock['refuse'] = (code, detail) => replies.refusal({ status: code, detail });
  // A store in memory is never written to, so that every fork begins as it did.
  const own = read.data === undefined ? (store.fork?.() ?? store) : store;
  return assemble(own, read.decoration, forwarding?.close);

  function fail(error: unknown): Reply {
    const refusal = refusalOf(error);
    if (!refusal || error instanceof StoreDamaged) read.onError?.(error);
    const detail = 'The mock failed because of a defect in the mock.';
    return replies.refusal(refusal ?? { status: 500, detail });
  }

  /** Creates a mock over a store. `release` is called when it closes. */
  async function assemble(ownStore: Store, decoration: Decoration = {}, release = () => {}): Promise<Mock> {
    const { replicas } = ownStore;
    const [closing, closed] = [new AbortController(), new AbortController()];
    const sessions = await createSessions({
      store: ownStore,
      assemble: createSessionOpener({
        ...read,
        ...{ contract, semantics, serviceUnder, clock, budget, decoration, replicas, fail },
        hide: forwarding?.hide,
        closed: closed.signal,
      }),
      idle: read.sessionIdle ?? HOUR,
      max: read.maxSessions ?? 1000,
    });
    const reader = createLogReader(view, refuseUnknown, () => sessions.list());
    if (replicas) answerReplicas(replicas, sessions, forwarding);
    const check = async () => ownStore.check?.();
    const parts: ActionParts = {
      sessions,
      snapshots: createSnapshots(ownStore),
      state,
      records,
      reader,
      contract,
      forward: forwarding && {
        ...forwarding,
        change: async (forward) => {
          forwarding.change(forward);
          await replicas?.ask({ kind: 'forward', session: SHARED, forward });
        },
      },
      readFault: (rule) => readFault(rule, refuseUnknown),
      check,
      needMemory: () => budget?.need(),
    };
    const handle = createChain({
      ...{ sessions, replies, route, latency, onExchange, forwarding, token, guard, check, fail },
      closing: closing.signal,
      routeOf: routes && ((request, name) => routes.find(request, () => apiOf(name))),
      control: read.control === false ? undefined : createControl({ ...parts, guard }),
    });
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
    const apiOf = (name: string) => createOwnSession(name, parts, fetch);
    return {
      ...apiOf(SHARED),
      ...served,
      fetch,
      answer: (request) => sessions.shared.answer(request),
      get document() {
        return service.document();
      },
      base: catalogue.base,
      serves: (path) => isOwnPath(path, catalogue.base) || routes?.hasPath(path) === true,
      counts,
      ...beginning,
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
      fork: async (other) => {
        if (store.fork) return assemble(store.fork(), other);
        throw new UsageError(
          "A mock with a PostgreSQL database can't be forked. Use a data file, or keep the records in memory.",
        );
      },
    };
  }
}

type Question = {
  readonly kind: 'conditions' | 'drop' | 'forward';
  readonly session: string;
  readonly forward?: ForwardChange;
};

function answerReplicas(replicas: Replicas, sessions: Sessions, forwarding: Forwarding | undefined): void {
  replicas.answer(
    async (asked) => {
      const { forward = {}, kind, session } = asked as Question;
      if (kind === 'forward') forwarding?.change(forward);
      else if (kind === 'drop') sessions.letGo(session);
      else await (await sessions.held(session))?.conditions.refresh();
    },
    () => sessions.letGo(),
  );
}
