import type { IncomingMessage } from 'node:http';

/** How much of a body that is too large is still taken off the wire, so that the client comes to read the answer. */
const MOST_DRAINED = 16 * 1024 * 1024;

/**
 * Reads a body of at most `limit` bytes; a longer one is never held in memory. Undefined when there is none.
 * Rejects when the client goes away.
 */
export function readBounded(
  request: IncomingMessage,
  limit: number,
): Promise<Uint8Array | 'too-large' | undefined> {
  const announced = request.headers['content-length'];
  if (request.headers['transfer-encoding'] === undefined && (announced === undefined || announced === '0'))
    return NOTHING;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.byteLength;
      if (length <= limit) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      resolve('too-large');
      if (length > limit + MOST_DRAINED) request.destroy();
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the request ended early')));
  });
}

const NOTHING = Promise.resolve(undefined);
