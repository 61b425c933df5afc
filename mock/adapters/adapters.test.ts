/** Every adapter behaves the same: one suite of behavior runs over each. */
import { setupServer } from 'msw/node';
import { createLogger, createServer } from 'vite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ADAPTED,
  ADAPTER_BEHAVIOR,
  type Adapted,
  initOf,
  receive,
} from '../../testing/adapters/adapter-behavior.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { createMock } from '../mock.ts';
import { createHandlers } from './msw.ts';
import { connectMock } from './remote.ts';
import { recordModelMock } from './vite.ts';
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
    const log: string[] = [];
    const mock = await createMock({ ...OPTIONS, onExchange: (one) => log.push(JSON.stringify(one)) });
    const { url } = await mock.listen();
    return {
      ...reachedAt(url),
      logged: () => log.join('\n'),
      [Symbol.asyncDispose]: () => mock.close(),
    };
  },
  'fetch in process': async () => {
    const log: string[] = [];
    const mock = await createMock({ ...OPTIONS, onExchange: (one) => log.push(JSON.stringify(one)) });
    const session = mock.session(SESSION);
    return {
      mock: session,
      ask: async (path, sent = {}) =>
        receive(await session.fetch(new Request(`http://mock.invalid${path}`, initOf(sent)))),
      logged: () => log.join('\n'),
      [Symbol.asyncDispose]: () => mock.close(),
    };
  },
  Vite: async () => {
    const log: string[] = [];
    const customLogger = createLogger('info');
    customLogger.info = (line) => log.push(line);
    const vite = await createServer({
      configFile: false,
      customLogger,
      plugins: [recordModelMock(OPTIONS)],
      server: { host: '127.0.0.1', port: 0, ws: false },
    });
    await vite.listen();
    const origin = new URL(vite.resolvedUrls?.local[0] ?? '').origin;
    return {
      ...reachedAt(origin),
      origin,
      logged: () => log.join('\n'),
      [Symbol.asyncDispose]: () => vite.close(),
    };
  },
  MSW: () => intercept('https://api.example.com'),
};

/** Starts MSW for an app that reaches the API at an origin. */
async function intercept(origin: string): Promise<Started> {
  const log: string[] = [];
  const mock = await createMock({
    ...OPTIONS,
    origin,
    onExchange: (one) => log.push(JSON.stringify(one)),
  });
  const server = setupServer(...createHandlers(mock, { origin, session: SESSION }));
  server.listen({ onUnhandledFrame: 'error' });
  return {
    mock: mock.session(SESSION),
    ask: async (path, sent = {}) => receive(await fetch(origin + path, initOf(sent))),
    origin,
    logged: () => log.join('\n'),
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

describe('Vitest', () => {
  // On a busy machine the start takes longer than a test may.
  test('starts the mock before the tests, whose timeouts it could exceed', () =>
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
});
