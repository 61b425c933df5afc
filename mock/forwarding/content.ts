import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { mediaTypeOf } from '../http/http.ts';

/** The value of a body, or the reason why it is malformed or can't be read. */
export type Content =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'unread'; readonly detail: string };

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const gunzipAsync: Decode = promisify(gunzip);
const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', gunzipAsync],
  ['x-gzip', gunzipAsync],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);
const JSON_TYPE = /^application\/(json|[\w.!#$&^-]+\+json)$/;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=([\w!#$&^.+-]+|"[^"\\]*"))*\s*$/;

/** Whether a Content-Type header is written as one (RFC 9110, 8.3). */
export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text);
}

/** Returns the value of a body; undefined if it can't be read. */
export function readValue(content: Content): unknown {
  return content.kind === 'value' ? content.value : undefined;
}

/** Reads a body by its headers. Returns the value of JSON, any other body as a string, and undefined for none. */
export async function readContent(
  bytes: Uint8Array | undefined,
  headers: Readonly<Record<string, string>>,
  limit: number,
): Promise<Content> {
  if (!bytes || bytes.byteLength === 0) return { kind: 'value', value: undefined };
  let plain = bytes;
  const codings = (headers['content-encoding'] ?? '').toLowerCase().split(',');
  for (const coding of codings.map((name) => name.trim()).toReversed()) {
    if (coding === '' || coding === 'identity') continue;
    const decode = DECODERS.get(coding);
    if (!decode) return { kind: 'unread', detail: `its content encoding ${coding} is not supported` };
    try {
      plain = await decode(plain, { maxOutputLength: limit });
    } catch (error) {
      return { kind: 'unread', detail: `it can't be decoded as ${coding} (${(error as Error).message})` };
    }
  }
  const isJson = JSON_TYPE.test(mediaTypeOf(headers['content-type']) ?? '');
  if (isJson && !isUtf8(plain)) return { kind: 'malformed', detail: 'is not valid UTF-8' };
  const text = Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString();
  if (!isJson) return { kind: 'value', value: text };
  try {
    return { kind: 'value', value: JSON.parse(text) };
  } catch {
    return { kind: 'malformed', detail: `is not valid JSON at ${placeOf(text, findJsonFault(text))}` };
  }
}

function placeOf(text: string, index: number): string {
  const lines = text.slice(0, index).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

/** Returns the bytes of a stream, or the stream itself if it has more than `limit`. Rejects if it breaks. */
export async function readUpTo(stream: Readable, limit: number): Promise<Buffer | Readable> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length <= limit) continue;
    stream.unshift(Buffer.concat(chunks));
    return stream;
  }
  return Buffer.concat(chunks);
}

/**
 * Returns the index of the first error in JSON; the length if only its end is missing. V8 reports the index only for
 * some errors, and shows the text around others, which can be a secret. So this looks for the longest correct beginning.
 */
export function findJsonFault(text: string): number {
  let [correct, wrong] = [0, text.length + 1];
  while (wrong - correct > 1) {
    const middle = (correct + wrong) >>> 1;
    if (isBeginning(text.slice(0, middle))) correct = middle;
    else wrong = middle;
  }
  return correct;
}

/** Whether a text is JSON, or only its end is missing. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return message.startsWith('Unexpected end') || Number(position) === text.length;
  }
}
