import type { IncomingMessage } from 'node:http';

/** How much of a body that is too large is taken off the wire: a client that still writes reads no answer. */
const MOST_DRAINED = 16 * 1024 * 1024;

/**
 * Reads a body of at most `limit` bytes; of a longer one nothing is kept. Undefined when there is none. Rejects when
 * the client goes away before the end.
 */
export function readBounded(
  request: IncomingMessage,
  limit: number,
): Promise<Uint8Array | 'too-large' | undefined> {
  const announced = Number(request.headers['content-length'] ?? 0);
  // An HTTP/2 request can have a body without saying so in a header.
  const mayHaveBody = request.headers['transfer-encoding'] !== undefined || request.httpVersionMajor > 1;
  if (announced === 0 && !mayHaveBody) return NOTHING;
  if (announced > limit + MOST_DRAINED) return Promise.resolve('too-large');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.byteLength;
      if (length <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (length <= limit + MOST_DRAINED) return;
      request.pause();
      resolve('too-large');
    });
    request.on('end', () => resolve(length > limit ? 'too-large' : join(chunks)));
    request.on('error', reject);
    request.on('close', () => {
      // It comes after every request; an error is dear to make.
      if (!request.complete) reject(new Error('The client disconnected before the request was complete.'));
    });
  });
}

function join(chunks: readonly Buffer[]): Buffer | undefined {
  const [first] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}

const NOTHING = Promise.resolve(undefined);
