import type { RequestListener } from 'node:http';
import type { Exchanged } from '../../mock/control/request-log/request-log-view.ts';
import type { ForwardOptions } from '../../mock/forwarding/forwarding.ts';
import type { MockOptions } from '../../mock/mock.ts';
import { useClosing } from '../closing.ts';
import { serve as serveHere } from '../services/http-server.ts';
import { type RawAnswer, type StartedMock, sendRaw, serveMock } from './control.ts';
import { references, catalogue as whole } from './mocks.ts';

/** A mock that forwards compiles the checks of all its models at the first request, so these are few. */
const NAMES = ['brand', 'customer', 'customerTag', 'customerToTag', 'warehouse'];
const catalogue = { ...whole, models: new Map([...whole.models].filter(([name]) => NAMES.includes(name))) };

/** A mock that forwards all models, with its reports of exchanges. */
export type ForwardingMock = {
  readonly url: string;
  readonly exchanges: Exchanged[];
  ask(
    method: string,
    path: string,
    body?: string | Buffer,
    headers?: Record<string, string>,
  ): Promise<RawAnswer>;
};

/** A valid warehouse with ID 1. */
export const WAREHOUSE_1 = {
  id: 1,
  created: '2025-10-22T09:30:00Z',
  createUser: 1,
  updated: '2025-10-22T09:30:00Z',
  updateUser: 1,
  deleted: false,
  name: 'a',
  comments: null,
};

/** Returns one line for each reported violation. */
export function told({ exchanges }: ForwardingMock): string[] {
  return exchanges.flatMap(({ violations }) =>
    violations.map(({ message, ...at }) => `${Object.values(at)}: ${message}`),
  );
}

/** Starts services and mocks that forward to them, and closes them after each test of the file. */
export function useForwarding() {
  const closing = useClosing();
  return { serve, serveJson, start, startBefore, startForwarding, startService };

  async function serve(listener: RequestListener): Promise<string> {
    return closing(await serveHere(listener)).url;
  }

  /** A service that always answers the same JSON. */
  function serveJson(status: number, body: unknown): Promise<string> {
    return serve((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }

  /** Starts a mock of the records with this name. */
  async function startNamed(name: string, options: MockOptions): Promise<StartedMock> {
    const fixtures = { brand: [{ id: name === 'ours' ? 1 : 7, name }], warehouse: [{ id: 1, name }] };
    const started = await serveMock({ catalogue, references, fixtures, ...options });
    closing({ close: () => started[Symbol.asyncDispose]() });
    return started;
  }

  /** Starts a mock with a brand and a warehouse whose name is `ours`. */
  function start(forward: ForwardOptions, options: MockOptions = {}): Promise<StartedMock> {
    return startNamed('ours', { forward, ...options });
  }

  /** Starts a service that is another mock, whose records have the name `theirs`. */
  function startService(options: MockOptions = {}): Promise<StartedMock> {
    return startNamed('theirs', options);
  }

  /** Starts a mock that forwards brands to a service with this listener. */
  async function startBefore(listener: RequestListener): Promise<StartedMock> {
    return start({ url: await serve(listener), models: ['brand'] });
  }

  /** Starts a mock that forwards all models, with writes. */
  async function startForwarding(
    url: string,
    profile: Record<string, unknown> = {},
    options: Partial<ForwardOptions> = {},
  ): Promise<ForwardingMock> {
    const exchanges: Exchanged[] = [];
    const onExchange = (exchange: Exchanged) => exchanges.push(exchange);
    const forward = { url, write: true, ...options };
    const mock = await start(forward, { fixtures: {}, profile, onExchange });
    return { url: mock.url, exchanges, ask: (...asked) => sendRaw(mock.url, ...asked) };
  }
}
