import { HttpResponse, http, type RequestHandler } from 'msw';
import { UsageError } from '../../spec/files/usage-error.ts';
import type { Mock } from '../mock.ts';

export type HandlerOptions = {
  /** The origin of the API for the app, such as `https://api.example.com`; every origin by default. */
  readonly origin?: string;
  /** The name of the session; the shared session by default. */
  readonly session?: string;
};

/**
 * Returns handlers for `setupServer` of MSW. A mock in the same process handles the requests to the API, `/openapi.json`,
 * `/openapi.yaml`, and `/__mock`. A dropped connection is a network error. The mock needs Node, so pages in a browser
 * need a mock that listens.
 */
export function createHandlers(mock: Mock, { origin, session }: HandlerOptions = {}): RequestHandler[] {
  const target = session === undefined ? mock : mock.session(session);
  const own = origin === undefined ? undefined : URL.parse(origin)?.origin;
  if (origin !== undefined && (own === undefined || own === 'null'))
    throw new UsageError(`origin must be an origin such as https://api.example.com, but is "${origin}".`);
  const isForMock = ({ request }: { request: Request }) => {
    const url = new URL(request.url);
    return (own === undefined || url.origin === own) && mock.serves(url.pathname);
  };
  return [http.all(isForMock, ({ request }) => target.fetch(request).catch(() => HttpResponse.error()))];
}
