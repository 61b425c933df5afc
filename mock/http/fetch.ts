import type { Reply } from '../operations/reply.ts';
import type { MockRequest } from './mock-request.ts';

/** Answers a request of the Fetch standard with the handler of plain ones. */
export async function fetchFrom(
  handle: (request: MockRequest) => Promise<Reply>,
  request: Request,
  bodyLimit: number,
): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const { status, headers, body } = await handle({
    method: request.method,
    target: pathname + search,
    headers: Object.fromEntries(request.headers),
    body: await readAll(request.body, bodyLimit),
  });
  // An empty text would be given a media type, and beside some statuses the standard forbids it.
  return new Response(body === '' ? null : body, { status, headers });
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
