import { HttpResponse, http, type RequestHandler } from 'msw';
import type { Mock } from '../mock.ts';

export type HandlerOptions = {
  /** The origin that the app asks, such as `https://api.example.com`; any when absent. */
  readonly origin?: string;
  /** The session whose records are meant; the one that all share when absent. */
  readonly session?: string;
};

/**
 * Handlers for `setupServer` of MSW, that answer from a mock in the same process. A dropped connection is a network
 * error. The mock needs Node: in a browser MSW can't run it, and a mock that listens is the way there.
 */
export function createHandlers(mock: Mock, { origin = '*', session }: HandlerOptions = {}): RequestHandler[] {
  const asked = session === undefined ? mock : mock.session(session);
  return [`${mock.base}/*`, '/__mock/*'].map((path) =>
    http.all(origin + path, ({ request }) => asked.fetch(request).catch(() => HttpResponse.error())),
  );
}
