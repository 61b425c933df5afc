import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { forward, type Served, serve } from '../services/http-server.ts';

/** A request as a recording proxy saw it. */
export type Asked = {
  readonly method: string;
  /** From the first slash on, with the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Reply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  readonly body?: unknown;
};

export type RecordingProxy = Served & { readonly asked: readonly Asked[] };

/** A response of the service behind. */
type Performed = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Returns a response that replaces that of the service behind; an Error breaks the connection. */
export type Meddle = (
  asked: Asked,
  index: number,
  proxy: { perform(asked: Asked): Promise<Performed>; close(): void },
) => Meddling | Promise<Meddling>;
export type Meddling = Reply | Error | undefined;

/** Notes every request, and answers it itself or passes it on to the service behind. */
export async function startRecordingProxy(
  behind: string | undefined,
  meddle: Meddle = () => undefined,
  port = 0,
): Promise<RecordingProxy> {
  const asked: Asked[] = [];
  const proxy: Parameters<Meddle>[2] = {
    perform: async (seen) => {
      const { body, headers, status } = await forward(behind + seen.path, seen, seen.body);
      return { status, headers: headers as Record<string, string>, body: String(body) };
    },
    close: () => void served.close(),
  };
  const served = await serve(async (request, response) => {
    const { headers, method = 'GET', url: path = '/' } = request;
    const seen = { method, path, headers, body: await text(request) };
    const reply = await meddle(seen, asked.push(seen) - 1, proxy);
    if (reply instanceof Error) return request.socket.destroy();
    if (reply) {
      const { status = 200, headers: extra = {}, body = '' } = reply;
      response.writeHead(status, { 'content-type': 'application/json', ...extra });
      return response.end(typeof body === 'string' ? body : JSON.stringify(body));
    }
    if (behind === undefined) return response.writeHead(404).end();
    // As a proxy, it gets complete URLs with any host.
    const place = behind + path.replace(/^http:\/\/[^/]+/, '');
    const onward = await forward(place, request, seen.body).catch(() => undefined);
    if (!onward) return request.socket.destroy();
    return response.writeHead(onward.status, onward.headers).end(onward.body);
  }, port);
  return { ...served, asked };
}
