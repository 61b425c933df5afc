import { randomUUID } from 'node:crypto';
import { test as base } from '@playwright/test';
import { connectMock, type RemoteSession } from './remote.ts';

/** Stops the clocks of the mock and of all pages at a time, such as `2026-01-31T10:00:00Z`, until the test ends. */
export type FreezeTime = (time: Date | string) => Promise<void>;

/**
 * Returns the `test` of Playwright with a fixture `mock`: a session of the mock at `address` for each worker, reset before
 * each test. All requests of its pages name the session, so no route is needed. Other origins that the pages use must
 * allow the header x-mock-session. The fixture `freezeTime` stops the clocks of the mock and of all pages at one time. The session name has a random part, so several runs can use one mock. The session and
 * its snapshots are deleted when the worker stops. The default address is the `baseURL` of the project, for example the
 * dev server of Vite.
 */
export function createMockTest(address?: string) {
  return base.extend<
    { mock: RemoteSession; freezeTime: FreezeTime },
    { mockSessions: Map<string, RemoteSession> }
  >({
    mockSessions: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of required fixtures from the pattern.
      async ({}, use) => {
        const sessions = new Map<string, RemoteSession>();
        await use(sessions);
        for (const session of sessions.values()) await session.delete();
      },
      { scope: 'worker' },
    ],
    mock: async ({ baseURL, mockSessions }, use, { parallelIndex, project }) => {
      const at = address ?? baseURL;
      if (at === undefined)
        throw new Error(
          'The address of the mock is missing. Pass it, or set baseURL in the Playwright config.',
        );
      const session = mockSessions.get(at) ?? connectMock(at).session(nameOf(project.name, parallelIndex));
      mockSessions.set(at, session);
      await session.reset();
      await use(session);
    },
    freezeTime: async ({ context, mock }, use) => {
      await use(async (time) => {
        const now = new Date(time);
        await mock.clock.set({ now, frozen: true });
        await context.clock.setFixedTime(now);
      });
    },
    extraHTTPHeaders: async ({ extraHTTPHeaders, mock }, use) => {
      await use({ ...extraHTTPHeaders, 'x-mock-session': mock.name });
    },
  });
}

/** Returns a session name that no other run has, such as `chromium-0-3f2a9c51b07d`. */
function nameOf(project: string, worker: number): string {
  const run = randomUUID().replaceAll('-', '').slice(-12);
  const readable = project.replaceAll(/[^A-Za-z0-9._-]/g, '-').slice(-40);
  return `${readable || 'test'}-${worker}-${run}`;
}
