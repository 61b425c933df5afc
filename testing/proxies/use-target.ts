import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { type Exchange, NoAnswer } from '../../conformance/target/exchange.ts';
import { createTarget, type TargetOptions, type TargetRequest } from '../../conformance/target/target.ts';
import { useClosing } from '../closing.ts';
import { serve } from '../services/http-server.ts';
import { type Asked, type RecordingProxy, type Reply, startRecordingProxy } from './recording-proxy.ts';

export const BRAND: TargetRequest = { method: 'GET', path: '/api/model/brand' };
export const NEW_BRAND: TargetRequest = { ...BRAND, method: 'POST', body: '{"name":"x"}' };

/** Creates targets, and small services for them, and closes them after each test of the file. */
export function useTarget() {
  const closing = useClosing();
  return { closing, target, recorder, listen, listenRaw };

  function target(baseUrl: string, more: Partial<TargetOptions> = {}) {
    const created = closing(createTarget({ baseUrl, ...more }));
    const exchanges: Exchange[] = [];
    const send = (request: TargetRequest) => created.send(request, (exchange) => exchanges.push(exchange));
    return { send, exchanges, requests: created.requests };
  }

  async function recorder(
    meddle: (asked: Asked, index: number) => Reply | Error | undefined,
  ): Promise<RecordingProxy> {
    return closing(await startRecordingProxy(undefined, meddle));
  }

  async function listen(listener: RequestListener): Promise<string> {
    return closing(await serve(listener)).url;
  }

  /** Starts a server that calls `respond` with the first bytes of each connection. */
  async function listenRaw(respond: (socket: Socket, first: string) => void): Promise<string> {
    const sockets = new Set<Socket>();
    const server = createRawServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', (first) => respond(socket, String(first)));
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    closing({
      close: () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

/** Returns the NoAnswer of a request. */
export async function failureOf(answer: Promise<unknown>): Promise<NoAnswer> {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof NoAnswer) return error;
  throw new Error(`expected NoAnswer, found ${error}`);
}
