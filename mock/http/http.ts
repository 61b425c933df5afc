import { Readable } from 'node:stream';
import { MIMEType } from 'node:util';

/** Names in small letters; those that stand several times are joined. */
export type Headers = Readonly<Record<string, string>>;

/** A request as every server has it: header names in small letters, the target as in the request line. */
export type MockRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  /** The body; `too-large` if it exceeds the limit. */
  readonly body?: Uint8Array | 'too-large' | undefined;
  /** The address of the client; absent in the same process. */
  readonly peer?: string | undefined;
  /** Origins whose pages can use the service, in addition to those of this machine. */
  readonly corsOrigins?: readonly string[] | undefined;
};

/** An answer of a service that may also pass on what it did not make: bytes, or a stream that has no end yet. */
export type ServedReply = {
  readonly status: number;
  /** Names in small letters; a header that stands several times has a list. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array | Readable;
};

/** The result for a client: a reply, or a connection that closes without one. */
export type Answer = ServedReply | 'dropped';

/** Registers a function to call when the connection of a response ends, also if the client disconnects. */
export type WhenDone = (stop: () => void) => void;

/** The path and the query of a target; the query with its question mark, empty when there is none. */
export function splitTarget(target: string): [path: string, search: string] {
  // A proxy may be asked with the whole address (RFC 9112, 3.2.2).
  const whole = target.startsWith('/') ? target : (/^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1] ?? target);
  const fragment = whole.indexOf('#');
  const plain = fragment < 0 ? whole : whole.slice(0, fragment);
  const mark = plain.indexOf('?');
  return mark < 0 ? [plain, ''] : [plain.slice(0, mark), plain.slice(mark)];
}

const DOT_SEGMENT = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=[/\\]|%2f|%5c|$)/i;

/**
 * Says why a target is refused; undefined if its path has no dot segment. A server behind it can resolve one
 * differently.
 */
export function refuseDotSegments(target: string): string | undefined {
  const [path] = splitTarget(target);
  return DOT_SEGMENT.test(path)
    ? 'The path contains a dot segment (. or ..). Send the path without it.'
    : undefined;
}

/** Returns the only value of a name in a query or in headers, or the list of its values. */
export function aloneOrAll(values: string[]): string | string[] {
  const [first, ...others] = values;
  return first === undefined || others.length > 0 ? values : first;
}

/** Returns the response to a HEAD: everything except the body (RFC 9110, 9.3.2). */
export function withoutBodyForHead<Some extends ServedReply>({ method }: MockRequest, reply: Some): Some {
  if (method !== 'HEAD' || reply.body === '') return reply;
  if (reply.body instanceof Readable) {
    reply.body.destroy();
    return { ...reply, body: '' };
  }
  if (typeof reply.body !== 'string') return reply;
  const length = String(Buffer.byteLength(reply.body));
  return { ...reply, headers: { ...reply.headers, 'content-length': length }, body: '' };
}

/** The type in a Content-Type header without its parameters, in small letters; undefined when it can't be read. */
export function mediaTypeOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  // Common types first, because parsing is slow.
  if (header === 'application/json' || header === 'application/x-www-form-urlencoded') return header;
  try {
    return new MIMEType(header).essence;
  } catch {
    return undefined;
  }
}
