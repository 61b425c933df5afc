import { type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { createMock, type Mock, type MockOptions } from '../../mock/mock.ts';
import { demo } from '../demo.ts';

/** The JSON of an answer, a list or an object: tests look at the members that they expect. */
export type ControlBody = readonly ControlBody[] & { readonly [name: string]: ControlBody };

export type ControlAnswer<Body = ControlBody> = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
};

/** The status and the problem of an answer, of which a part or the pattern is given. */
export function problem(status: number, detail: string | RegExp) {
  const said = typeof detail === 'string' ? expect.stringContaining(detail) : expect.stringMatching(detail);
  return { status, body: { detail: said } };
}

export type StartedMock = AsyncDisposable & {
  readonly mock: Mock;
  readonly url: string;
  /** Sends JSON with Node's client on a new socket, so that tests can send any Host and Origin. */
  ask<Body = ControlBody>(
    method: string,
    path: string,
    sent?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ControlAnswer<Body>>;
};

/** The mock of the whole contract with the demo club, on a free port. */
export async function serveMock(
  options: MockOptions = {},
  allowHosts: readonly string[] = [],
  corsOrigins: readonly string[] = [],
): Promise<StartedMock> {
  const mock = await createMock({
    fixtures: demo,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  const { url } = await mock.listen({ allowHosts, corsOrigins });
  return { mock, url, ask: (...asked) => askOnce(url, ...asked), [Symbol.asyncDispose]: () => mock.close() };
}

async function askOnce<Body>(
  url: string,
  method: string,
  path: string,
  sent?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ControlAnswer<Body>> {
  const body = typeof sent === 'string' ? sent : sent === undefined ? '' : JSON.stringify(sent);
  const type = sent === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await sendRaw(url, method, path, body, { ...type, ...headers });
  const text = String(answer.body);
  const isJson = /json/.test(answer.headers['content-type'] ?? '');
  return {
    status: answer.status,
    headers: answer.headers as Record<string, string>,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  };
}

export type RawAnswer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

/** Sends a request as it is, on a new socket. Node's client follows nothing, and sends any path and header. */
export async function sendRaw(
  url: string,
  method: string,
  path: string,
  body: string | Buffer = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const length = body.length > 0 ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { hostname, port, method, path, headers: { ...length, ...headers }, agent: false };
    // With a text, Node would write the headers in the encoding of the text.
    send(options, resolve).on('error', reject).end(Buffer.from(body));
  });
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}
