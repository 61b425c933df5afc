import { DEFAULT_PROFILE } from '../spec/profile/profile.ts';
import { SHARED } from './control/address.ts';
import { type Control, createControl } from './control/control.ts';
import { readFault } from './control/faults/read-fault.ts';
import { createGuard, createSenderCheck } from './control/guard.ts';
import { createJournalView } from './control/journal/journal-view.ts';
import { createJournalReader } from './control/journal/reader.ts';
import { createNameCheck } from './control/names.ts';
import { createProbes, isProbe } from './control/probes.ts';
import { answerReplicas } from './control/replica-answers.ts';
import { SessionsFull } from './control/sessions/retirement.ts';
import { createSessionApi } from './control/sessions/session-api.ts';
import { createSessions } from './control/sessions/sessions.ts';
import { createSnapshots } from './control/sessions/snapshots.ts';
import { createStateAccess } from './control/sessions/state.ts';
import type { CatalogueNames } from './control/shapes.ts';
import { createTraffic, type Exchanged } from './control/traffic.ts';
import type { Decoration } from './decoration.ts';
import { readSemantics } from './engine/unit-of-work.ts';
import { createHandler, isForControl } from './handler.ts';
import { createFetch } from './http/fetch.ts';
import { type Listening, listen, type Served } from './http/server.ts';
import { type MockOptions, type ReadOptions, readOptions } from './mock-options.ts';
import { createSessionOpener } from './open-session.ts';
import { createContractService } from './operations/contract-service.ts';
import type { Replies, Reply } from './operations/reply.ts';
import { createValueValidators } from './operations/validators.ts';
import type { Mock } from './running-mock.ts';
import { startStore } from './start-records.ts';
import { forkStore } from './store/open-store.ts';
import { type Store, StoreAway, StoreFull } from './store/store.ts';
import { readUsers } from './users/users.ts';

export type { CatalogueNames, Exchanged, Mock, MockOptions };

const MEBIBYTE = 1024 * 1024;
const HOUR = 3_600_000;
/** State is put as a whole. */
const CONTROL_BODY_LIMIT = 16 * MEBIBYTE;

/**
 * Makes a service of a contract, the Record Model API under the default profile when none is given, that keeps its
 * records in memory or where `data` says. Throws UsageError for fixtures that do not fit the catalogue.
 */
export async function createMock(options: MockOptions = {}): Promise<Mock> {
  const beginning = await begin(options);
  const { store } = beginning;
  // A store in memory is never written to, so that every fork begins as it did.
  return assemble(beginning, options.data === undefined ? forkStore(store) : store, options.decoration);
}

type Begun = Awaited<ReturnType<typeof begin>>;

/** What a mock and its forks have in common. */
async function begin(given: MockOptions) {
  const [options, contract] = readOptions(given);
  const { catalogue, profile } = contract;
  const { bodyLimit = MEBIBYTE, clock = () => new Date() } = options;
  const refuseUnknown = createNameCheck(catalogue);
  for (const fault of options.faults ?? []) readFault(fault, refuseUnknown);
  const users = options.users === undefined ? undefined : readUsers(options.users, contract);
  const service = await createContractService(contract, bodyLimit, users);
  const semantics = readSemantics(contract);
  const { store, beginning: began } = await startStore(options, contract, semantics);
  const { records, ...beginning } = began;
  const models = [...catalogue.models.values()];
  const operations = models.reduce((sum, model) => sum + model.operations.length, 0);
  return {
    options,
    contract,
    bodyLimit,
    clock,
    refuseUnknown,
    service,
    semantics,
    store,
    beginning,
    counts: { models: models.length, operations, records },
    state: createStateAccess(contract, semantics),
    view: createJournalView(service.route, profile),
    validate: createValueValidators(DEFAULT_PROFILE),
  };
}

/** Wires the rooms over a store. */
async function assemble(begun: Begun, ownStore: Store, decoration: Decoration = {}): Promise<Mock> {
  const { beginning, bodyLimit, contract, counts, options, refuseUnknown, service, state, store } = begun;
  const { validate, view } = begun;
  const { catalogue, profile } = contract;
  const { replies, route } = service;
  const { replicas } = ownStore;
  const fail = (error: unknown) => explain(error, replies, options);
  const answerRequest = service.answerWith(decoration.readDraft);
  const sessions = await createSessions({
    store: ownStore,
    assemble: createSessionOpener({ ...begun, profile, replies, decoration, answerRequest, fail, replicas }),
    idle: options.sessionIdle ?? HOUR,
    max: options.maxSessions ?? 1000,
  });
  const snapshots = createSnapshots(ownStore);
  const { latency, onExchange } = options;
  const traffic = createTraffic({ replies, route, latency, onExchange });
  const token = options.control ? options.control.token : undefined;
  const guard = createGuard(token);
  const reader = createJournalReader(view, replicas);
  if (replicas) answerReplicas(replicas, sessions, reader);
  const probes = createProbes(ownStore);
  const known = { sessions, snapshots, state, view, reader, refuseUnknown, probes };
  const { version } = catalogue;
  let made: Control | undefined;
  // Most forks are never asked for it.
  const control = () => {
    made ??= createControl({ ...known, catalogue, profile, version, guard });
    return made;
  };
  const refuse: Mock['refuse'] = (code, detail) => replies.refusal({ status: code, detail });
  const handle = createHandler({
    sessions,
    traffic,
    senderOf: createSenderCheck(token),
    probes,
    control: options.control === false ? undefined : control,
    fail,
    refuse,
  });
  const limitOf = (target: string) =>
    options.control !== false && isForControl(target) ? CONTROL_BODY_LIMIT : bodyLimit;
  const served: Served = { handle, bodyLimit: limitOf, profile, refuse, isOpen: isProbe };
  const fetch = createFetch(served);
  const listening = new Set<Listening>();
  const close = async () => {
    const open = [...listening];
    // Who closes it again, meanwhile, has nothing left to close.
    listening.clear();
    await Promise.all(open.map((one) => one.close()));
    if (ownStore === store) await store.close();
  };
  const apiOf = (name: string) =>
    createSessionApi(name, {
      ...known,
      contract,
      validate,
      fetch,
    });
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
    counts,
    ...beginning,
    profile,
    close,
    [Symbol.asyncDispose]: close,
    session: apiOf,
    parts: known,
    sessions: async () => (await sessions.all()).map(({ name }) => name),
    listen: async (where = {}) => {
      const server = await listen(served, { port: 0, host: '127.0.0.1', ...where });
      listening.add(server);
      return server;
    },
    fork: async (other) => assemble(begun, forkStore(store), other),
  };
}

/** The answer where the mock failed, or what it rests on. */
function explain(error: unknown, replies: Replies, { onError }: ReadOptions): Reply {
  if (error instanceof SessionsFull) return replies.refusal({ status: 429, detail: error.message });
  if (error instanceof StoreFull) return replies.refusal({ status: 507, detail: error.message });
  if (error instanceof StoreAway)
    return replies.refusal({ status: 503, detail: error.message, headers: { 'retry-after': '1' } });
  onError?.(error);
  return replies.refusal({ status: 500, detail: 'The mock failed because of a defect in the mock.' });
}
