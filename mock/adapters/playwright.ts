import { test as base } from '@playwright/test';
import { connectMock, type RemoteSession } from './remote.ts';

/**
 * The `test` of Playwright with a `mock` that no other worker sees: a session of the mock at `address`, begun anew for
 * each test. Every request of the pages names it, so that no route is needed; other origins that they ask have to allow
 * the header x-mock-session. Without an address the mock is asked by
 * the `baseURL` of the project, as where Vite passes `/__mock` on to it.
 */
export function createMockTest(address?: string) {
  return base.extend<{ mock: RemoteSession }>({
    mock: async ({ baseURL }, use, { parallelIndex, project }) => {
      const at = address ?? baseURL;
      if (at === undefined)
        throw new Error(
          'The address of the mock is missing. Pass it, or set baseURL in the Playwright config.',
        );
      const name = `${project.name}-${parallelIndex}`.replaceAll(/[^A-Za-z0-9._-]/g, '-').slice(-64);
      const session = connectMock(at).session(name);
      await session.reset();
      await use(session);
    },
    extraHTTPHeaders: async ({ extraHTTPHeaders, mock }, use) => {
      await use({ ...extraHTTPHeaders, 'x-mock-session': mock.name });
    },
  });
}
