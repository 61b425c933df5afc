import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { CaseResult, Results } from '../conformance/results/results.ts';
import type { Decoration } from '../mock/decoration.ts';
import { decorateWith, parseDefect } from '../mock/defects/defects.ts';
import { createMock, type Mock, type MockOptions } from '../mock/mock.ts';
import type { Contract } from '../spec/contract.ts';
import { createProfile } from '../spec/profile/profile.ts';
import { type Checking, catalogue, check, references } from './checks.ts';
import { useClosing } from './closing.ts';
import { credentialsFor } from './in-process-target.ts';
import { type Meddle, type RecordingProxy, startRecordingProxy } from './proxies/recording-proxy.ts';
import { opened, type Served, serve } from './services/http-server.ts';

export type ServiceOptions = {
  /** Default: the contract of the source. */
  readonly contract?: Pick<Contract, 'catalogue' | 'references'>;
  /** The settings that differ from the default profile. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A defect at its places: `absent.put-works:brand`. */
  readonly defect?: string;
  /** Another change of the mock. */
  readonly decoration?: Decoration;
  /** Default: two tasks and no other records. */
  readonly fixtures?: MockOptions['fixtures'];
};

export type MockService = Served & {
  /** The headers that prove who asks. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The number of records that are not deleted. */
  count(): Promise<number>;
};

type Reply = {
  readonly status: number;
  /** Read from JSON where it is JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Returns the response to a request and its body. */
export type Answer = (request: IncomingMessage, body: string) => Promise<Reply>;

/** The path of the only model without writes. */
export const TASKS = '/api/model/subscriptionTask';

/** A record of it. */
export const task = (id: number, more: object = {}) => ({
  id,
  type: 1,
  created: '2026-01-01T00:00:00Z',
  createUser: 1,
  updated: '2026-01-01T00:00:00Z',
  updateUser: 1,
  ...more,
});

/** The mocks of the last profiles, to fork: each has megabytes of compiled schemas. */
const mocks = new Map<string, Promise<Mock>>();
const MOST_MOCKS = 4;

function mockOf(contract: Contract, given: MockOptions['fixtures']): Promise<Mock> {
  const isSource = contract.catalogue === catalogue;
  const fixtures = given ?? (isSource ? { subscriptionTask: [1, 2].map((id) => ({ id, type: 1 })) } : {});
  if (!isSource || given) return createMock({ ...contract, fixtures });
  const key = JSON.stringify(contract.profile);
  const mock = mocks.get(key) ?? createMock({ ...contract, fixtures });
  mocks.delete(key);
  mocks.set(key, mock);
  for (const oldest of mocks.keys()) if (mocks.size > MOST_MOCKS) mocks.delete(oldest);
  return mock;
}

/** Serves a mock. `change` replaces responses. */
export async function startMockService(
  {
    contract: given = { catalogue, references },
    settings = {},
    defect,
    decoration: other,
    fixtures,
  }: ServiceOptions = {},
  change: (answer: Answer) => Answer = (answer) => answer,
): Promise<MockService> {
  const profile = createProfile(settings, given.catalogue);
  const contract = { ...given, profile };
  const decoration = defect === undefined ? other : decorateWith(parseDefect(defect, contract), contract);
  const mock = await (await mockOf(contract, fixtures)).fork(decoration);
  const answer = change(async ({ headers, method = 'GET', url = '' }, sent) => {
    const asked = { method, target: url, headers: headers as Record<string, string> };
    const { body, ...reply } = await mock.answer({ ...asked, ...(sent && { body: Buffer.from(sent) }) });
    const text = String(body ?? '');
    return { ...reply, body: /^[[{]/.test(text) ? JSON.parse(text) : text };
  });
  const served = await serve(async (request, response) => {
    const { body, headers, status } = await answer(request, await text(request));
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body === undefined || body === '' ? undefined : JSON.stringify(body));
  });
  return {
    ...served,
    credentials: credentialsFor(profile),
    count: async () =>
      Object.values(await mock.state())
        .flat()
        .filter(({ deleted }) => deleted !== true).length,
  };
}

/** Serves a mock for one check, and returns its results. `change` replaces responses. */
export async function checkMock(
  plan: Checking,
  change?: (answer: Answer) => Answer,
  options?: ServiceOptions,
): Promise<Results> {
  await using service = await opened(startMockService(options, change));
  return await check(service.url, plan);
}

/** Starts mocks behind recording proxies, and closes them after each test of the file. */
export function useService() {
  const closing = useClosing();
  return { closing, start, startUrl: async (meddle?: Meddle) => (await start(meddle)).url };

  async function start(meddle: Meddle = () => undefined, options: ServiceOptions = {}) {
    const service: MockService = closing(await startMockService(options));
    const recorder: RecordingProxy = closing(await startRecordingProxy(service.url, meddle));
    return { service, url: recorder.url, asked: recorder.asked };
  }
}

/** Returns the result of a case. */
export function find({ cases }: { readonly cases: readonly CaseResult[] }, id: string): CaseResult {
  const found = cases.find((result) => result.id === id);
  if (found) return found;
  throw new Error(`no case ${id}`);
}

/** Returns the outcome and the message of a case: `skip: there is no record`. */
export function said(results: { readonly cases: readonly CaseResult[] }, id: string): string {
  const { message, outcome } = find(results, id);
  return `${outcome}: ${message}`;
}
