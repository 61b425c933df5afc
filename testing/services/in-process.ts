import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { Dispatcher, errors } from 'undici';

/** The listeners of the servers of this process, by their URLs. */
export const listeners = new Map<string, RequestListener>();

/** Statuses whose responses have no body (RFC 9110, 6.4.1). */
const EMPTY = [204, 304];

/** Gives requests to the listeners of this process without sockets. A run of the suite then computes about a third less. */
export class InProcessDispatcher extends Dispatcher {
  readonly #open = new Set<(error: Error) => void>();
  #isClosed = false;

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    let ended: Error | undefined;
    const controller = {
      get aborted() {
        return ended !== undefined;
      },
      get reason() {
        return ended ?? null;
      },
      paused: false,
      pause: () => {},
      resume: () => {},
      abort: fail,
    } satisfies Dispatcher.DispatchController;
    const open = this.#open.add(fail);
    const request = requestOf({ ...options, headers: options.headers ?? {} });
    const response = new Response((status, headers, body) => {
      this.#open.delete(fail);
      if (ended) return;
      handler.onResponseStart?.(controller, status, headers);
      const hasBody = options.method !== 'HEAD' && !EMPTY.includes(status) && body.length > 0;
      if (hasBody) handler.onResponseData?.(controller, body);
      handler.onResponseEnd?.(controller, {});
    });
    const breakOff = () => fail(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }));
    response.once('close', () => response.writableFinished || breakOff());
    Object.assign(request, { socket: { destroy: breakOff, remoteAddress: '127.0.0.1' } });
    setImmediate(() => {
      handler.onRequestStart?.(controller, {});
      const listener = listeners.get(String(options.origin));
      if (this.#isClosed) fail(new errors.ClientDestroyedError());
      if (ended) return;
      if (listener) listener(request, response as unknown as ServerResponse);
      else fail(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    });
    return true;

    function fail(error: Error): void {
      if (ended || response.writableFinished) return;
      ended = error;
      open.delete(fail);
      handler.onResponseError?.(controller, error);
    }
  }

  override async destroy(): Promise<void> {
    this.#isClosed = true;
    for (const fail of this.#open) fail(new errors.ClientDestroyedError());
  }
}

type Given = {
  readonly method: string;
  readonly path: string;
  readonly headers: object;
  readonly body?: unknown;
};

/** Returns a request for a listener. */
export function requestOf({ body, headers, method, path }: Given): IncomingMessage {
  const sent = typeof body === 'string' && body !== '' ? [Buffer.from(body)] : [];
  const length = sent.map((bytes) => ['content-length', String(bytes.length)]);
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const named = { method, url: path, headers: Object.fromEntries([...lower, ...length]) };
  return Object.assign(Readable.from(sent, { objectMode: false }), named) as unknown as IncomingMessage;
}

type Headers = Record<string, string | string[]>;

/** The part of a response of `node:http` that listeners use. */
class Response extends Writable {
  statusCode = 200;
  headersSent = false;
  readonly #headers: Headers = {};
  readonly #chunks: Buffer[] = [];

  constructor(onEnd: (status: number, headers: Headers, body: Buffer) => void) {
    super();
    this.once('finish', () => onEnd(this.statusCode, this.#headers, Buffer.concat(this.#chunks)));
  }

  setHeader(name: string, value: number | string | string[]): this {
    this.#headers[name.toLowerCase()] = Array.isArray(value) ? value : String(value);
    return this;
  }

  getHeader(name: string): string | string[] | undefined {
    return this.#headers[name.toLowerCase()];
  }

  writeHead(status: number, headers: Readonly<Record<string, number | string | string[]>> = {}): this {
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    this.statusCode = status;
    this.headersSent = true;
    return this;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}
