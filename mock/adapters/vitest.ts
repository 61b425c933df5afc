import { test as base } from 'vitest';
import type { SessionApi } from '../control/sessions/session-api.ts';
import { freePort } from '../http/http.ts';
import { createMock, type Mock, type MockOptions } from '../mock.ts';
import { withDemoRecords } from '../mock-options.ts';

/** The session of a test, and where the app under test reaches it. */
export type TestMock = SessionApi & { readonly url: string };

/**
 * The `test` of Vitest with a `mock` that no other test sees: a session of a mock that each file starts, with the demo
 * records unless `fixtures` or another catalogue is given. The app under test uses `mock.url` as the address of the API.
 */
export function createMockTest(options: MockOptions = {}) {
  const test = base.extend<{ mockServer: { mock: Mock; url: string }; mock: TestMock }>({
    mockServer: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures are needed.
      async ({}, use) => {
        // The records contain the address of their images, so the port comes first.
        const port = await freePort('127.0.0.1');
        const origin = `http://127.0.0.1:${port}`;
        await using mock = await createMock({ origin, ...withDemoRecords(options) });
        await use({ mock, url: (await mock.listen({ port })).url });
      },
      { scope: 'file' },
    ],
    mock: async ({ mockServer: { mock, url }, task }, use) => {
      const name = `test-${task.id}`.slice(0, 64);
      const session = mock.session(name);
      // A retried test starts with a new session.
      await session.reset();
      await use({ ...session, url: `${url}/__mock/sessions/${name}` });
    },
  });
  // On a busy machine the start takes longer than the first test may.
  test.beforeAll(({ mockServer }) => void mockServer, 60_000);
  return test;
}
