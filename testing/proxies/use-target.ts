import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { Exchange } from '../../conformance/target/exchange.ts';
import { NoAnswer } from '../../conformance/target/no-answer.ts';
import { createTarget, type TargetOptions, type TargetRequest } from '../../conformance/target/target.ts';
import { serve } from '../services/http-server.ts';
import { type Asked, type RecordingProxy, type Reply, startRecordingProxy } from './recording-proxy.ts';

export const BRAND: TargetRequest = { method: 'GET', path: '/api/model/brand' };
export const NEW_BRAND: TargetRequest = { ...BRAND, method: 'POST', body: '{"name":"x"}' };

/** Targets, and services of a few lines for them to talk to; what is open is closed after each test of the file. */
export function useTarget() {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });
  const closing = <T extends { close(): unknown }>(one: T): T => {
    open.push(one);
    return one;
  };
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

  /** A server that says whatever bytes it is told to, once it was asked something. */
  async function listenRaw(speak: (socket: Socket) => void): Promise<string> {
    const sockets = new Set<Socket>();
    const server = createRawServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => speak(socket));
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

/** What a request without an answer is refused with. */
export async function failureOf(answer: Promise<unknown>): Promise<NoAnswer> {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof NoAnswer) return error;
  throw new Error(`expected NoAnswer, found ${error}`);
}
