import { Readable } from 'node:stream';
import type { Answer, MockRequest } from './http.ts';
import type { Served } from './server.ts';

/** Answers a request of the Fetch standard; rejects as `fetch` does where the connection is dropped. */
export async function fetchFrom({ bodyLimit, handle }: Served, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const target = pathname + search;
  const limit = typeof bodyLimit === 'number' ? bodyLimit : bodyLimit(target);
  const asked: MockRequest = {
    method: request.method,
    target,
    headers: Object.fromEntries(request.headers),
    body: await readAll(request.body, limit),
  };
  const answer = await handle(asked, (stop) => request.signal.addEventListener('abort', stop));
  if (answer === 'dropped')
    throw new TypeError('fetch failed', { cause: new Error('A fault of the mock closed the connection.') });
  const headers = Object.entries(answer.headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return new Response(bodyOf(answer), { status: answer.status, headers });
}

/** The Fetch standard allows no body with them. */
const WITHOUT_BODY = [204, 205, 304];

function bodyOf({
  body,
  status,
}: Exclude<Answer, 'dropped'>): ReadableStream | Uint8Array<ArrayBuffer> | string | null {
  // An empty text would be given a media type, and beside some statuses the standard forbids it.
  if (body === '' || WITHOUT_BODY.includes(status)) return null;
  if (body instanceof Readable) return Readable.toWeb(body) as ReadableStream;
  return typeof body === 'string' ? body : new Uint8Array(body);
}

async function readAll(
  stream: Request['body'],
  limit: number,
): Promise<Uint8Array | 'too-large' | undefined> {
  if (!stream) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.byteLength;
    if (length > limit) return 'too-large';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
