/** Every adapter behaves the same: one suite of behavior runs over each. */
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ADAPTED,
  ADAPTER_BEHAVIOR,
  type Adapted,
  initOf,
  receive,
} from '../../testing/adapters/adapter-behavior.ts';
import { startVite } from '../../testing/adapters/use-vite.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { createMock, type MockOptions } from '../mock.ts';
import { createHandlers } from './msw.ts';
import { connectMock } from './remote.ts';
import { createMockTest } from './vitest.ts';

type Started = Adapted & AsyncDisposable;

/** Few models, so that documents are small. */
const models = new Map([...catalogue.models].filter(([name]) => name === 'brand' || name === 'customer'));
const OPTIONS = { ...ADAPTED, catalogue: { ...catalogue, models }, references };

const SESSION = 'mine';

/** An adapted session at an address. */
function reachedAt(url: string): Pick<Adapted, 'ask' | 'mock'> {
  return {
    mock: connectMock(url).session(SESSION),
    ask: async (path, sent = {}) => {
      const { headers, ...init } = initOf(sent);
      return receive(
        await fetch(url + path, { ...init, headers: { 'x-mock-session': SESSION, ...headers } }),
      );
    },
  };
}

const ADAPTERS: Readonly<Record<string, () => Promise<Started>>> = {
  HTTP: async () => {
    const { mock, ...logging } = await startLogging();
    const { url } = await mock.listen();
    return { ...logging, ...reachedAt(url) };
  },
  'fetch in process': async () => {
    const { mock, ...logging } = await startLogging();
    const session = mock.session(SESSION);
    return {
      ...logging,
      mock: session,
      ask: async (path, sent = {}) =>
        receive(await session.fetch(new Request(`http://mock.invalid${path}`, initOf(sent)))),
    };
  },
  Vite: async () => {
    const { log, origin, vite } = await startVite(OPTIONS);
    return {
      ...reachedAt(origin()),
      origin: origin(),
      logged: () => log.join('\n'),
      [Symbol.asyncDispose]: () => vite.close(),
    };
  },
  MSW: () => intercept('https://api.example.com'),
};

/** Starts a mock, and keeps what it reports. */
async function startLogging(options: MockOptions = {}) {
  const log: string[] = [];
  const onExchange = (one: object) => log.push(JSON.stringify(one));
  const mock = await createMock({ ...OPTIONS, ...options, onExchange });
  return { mock, logged: () => log.join('\n'), [Symbol.asyncDispose]: () => mock.close() };
}

/** Starts MSW for an app that reaches the API at an origin. */
async function intercept(origin: string): Promise<Started> {
  const { mock, ...logging } = await startLogging({ origin });
  const server = setupServer(...createHandlers(mock, { origin, session: SESSION }));
  server.listen({ onUnhandledFrame: 'error' });
  return {
    ...logging,
    mock: mock.session(SESSION),
    ask: async (path, sent = {}) => receive(await fetch(origin + path, initOf(sent))),
    origin,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await mock.close();
    },
  };
}

describe.each(Object.entries(ADAPTERS))('%s', (_, start) => {
  let adapted: Started;
  beforeAll(async () => {
    adapted = await start();
  });
  beforeEach(() => adapted.mock.reset());
  afterAll(() => adapted[Symbol.asyncDispose]());

  test.each(Object.entries(ADAPTER_BEHAVIOR))('%s', (_, holds) => holds(adapted));
});

// Vitest accepts a fixture of a file only at the top of the file.
const vitestLog: string[] = [];
let isStarted = false;
const mockTest = createMockTest({
  ...OPTIONS,
  get catalogue() {
    isStarted = true;
    return OPTIONS.catalogue;
  },
  onExchange: (one) => vitestLog.push(JSON.stringify(one)),
});

// On a busy machine the start takes longer than a test may.
test('Vitest starts the mock before the tests, because a start can exceed their timeouts', () =>
  expect(isStarted).toBe(true));

for (const [title, holds] of Object.entries(ADAPTER_BEHAVIOR))
  mockTest(title, async ({ mock }) => {
    const { origin, pathname } = new URL(mock.url);
    // A path that names another session is not below the address of this one.
    const addressOf = (path: string) =>
      path.startsWith('/__mock/sessions/') ? origin + path : origin + pathname + path;
    await holds({
      mock,
      ask: async (path, sent = {}) => receive(await fetch(addressOf(path), initOf(sent))),
      origin,
      logged: () => vitestLog.join('\n'),
    });
    expect(mock.url).toContain('/__mock/sessions/');
  });
