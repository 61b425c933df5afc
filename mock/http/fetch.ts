import { Readable } from 'node:stream';
import { type Answer, createCors } from './http.ts';
import type { Served } from './server.ts';

/**
 * Returns a `fetch` that the service handles, with the CORS headers that its server sends. It rejects as `fetch` does
 * when the connection is dropped.
 */
export function createFetch(service: Served): (request: Request) => Promise<Response> {
  const { bodyLimit, handle } = service;
  const cors = createCors(service, []);
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const target = pathname + search;
    const { method } = request;
    const headers = Object.fromEntries(request.headers);
    const preflight = cors.preflight({ method, headers });
    if (preflight) return new Response(null, { status: 204, headers: preflight });
    const bytes = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    const body = bytes && bytes.byteLength > bodyLimit(target) ? 'too-large' : bytes;
    const answer = await handle({ method, target, headers, body }, (stop) =>
      request.signal.addEventListener('abort', stop),
    );
    if (answer === 'dropped')
      throw new TypeError('fetch failed', { cause: new Error('A fault of the mock closed the connection.') });
    const all = Object.entries({ ...cors.headersFor(headers.origin), ...answer.headers });
    const listed = all.flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    return new Response(bodyOf(answer), { status: answer.status, headers: listed });
  };
}

/** The Fetch standard allows no body with them. */
const WITHOUT_BODY = [204, 205, 304];

function bodyOf({
  body,
  status,
}: Exclude<Answer, 'dropped'>): ReadableStream | Uint8Array<ArrayBuffer> | string | null {
  // An empty string would get a media type, and the standard forbids it with some statuses.
  if (body === '' || WITHOUT_BODY.includes(status)) return null;
  if (body instanceof Readable) return Readable.toWeb(body) as ReadableStream;
  return typeof body === 'string' ? body : new Uint8Array(body);
}
