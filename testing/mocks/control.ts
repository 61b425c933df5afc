import { request as send } from 'node:http';
import { createMock, type Mock, type MockOptions } from '../../mock/mock.ts';
import { demo } from '../demo.ts';

/** The JSON of an answer, a list or an object: tests look at the members that they expect. */
export type ControlBody = readonly ControlBody[] & { readonly [name: string]: ControlBody };

export type ControlAnswer<Body = ControlBody> = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
};

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

function askOnce<Body>(
  url: string,
  method: string,
  path: string,
  sent?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ControlAnswer<Body>> {
  const { hostname, port } = new URL(url);
  const body = sent === undefined ? undefined : typeof sent === 'string' ? sent : JSON.stringify(sent);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asking = send({ hostname, port, method, path, headers: { ...type, ...headers }, agent: false });
    asking.on('error', reject).on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk)).on('error', reject);
      response.on('end', () => {
        const isJson = /json/.test(response.headers['content-type'] ?? '');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          body: isJson && text !== '' ? JSON.parse(text) : text,
        });
      });
    });
    asking.end(body);
  });
}
