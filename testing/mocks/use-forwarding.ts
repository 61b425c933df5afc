import type { RequestListener } from 'node:http';
import type { ForwardOptions } from '../../mock/forwarding/forwarding.ts';
import type { MockOptions } from '../../mock/mock.ts';
import { useClosing } from '../closing.ts';
import { serve as serveHere } from '../services/http-server.ts';
import { type StartedMock, serveMock } from './control.ts';
import { few, references, catalogue as whole } from './mocks.ts';

/** A mock that forwards compiles the checks of all its models at the first request. */
const catalogue = {
  ...few,
  models: new Map(
    [...whole.models].filter(([name]) => few.models.has(name) || /^(brand|customerTag)$/.test(name)),
  ),
};

/** Starts services and mocks that forward to them, and closes them after each test of the file. */
export function useForwarding() {
  const closing = useClosing();
  return { serve, start, startBefore, startService };

  async function serve(listener: RequestListener): Promise<string> {
    return closing(await serveHere(listener)).url;
  }

  /** Starts a mock with a brand and a warehouse whose name is `ours`. */
  async function start(forward: ForwardOptions, options: MockOptions = {}): Promise<StartedMock> {
    const fixtures = { brand: [{ id: 1, name: 'ours' }], warehouse: [{ id: 1, name: 'ours' }] };
    const started = await serveMock({ catalogue, references, fixtures, forward, ...options });
    closing({ close: () => started[Symbol.asyncDispose]() });
    return started;
  }

  /** Starts a service that is another mock, whose records have the name `theirs`. */
  async function startService(options: MockOptions = {}): Promise<StartedMock> {
    const fixtures = { brand: [{ id: 7, name: 'theirs' }], warehouse: [{ id: 9, name: 'theirs' }] };
    const started = await serveMock({ catalogue, references, fixtures, ...options });
    closing({ close: () => started[Symbol.asyncDispose]() });
    return started;
  }

  /** Starts a mock that forwards brands to a service with this listener. */
  async function startBefore(
    listener: RequestListener,
    options: Partial<ForwardOptions> = {},
  ): Promise<StartedMock> {
    return start({ url: await serve(listener), models: ['brand'], ...options });
  }
}
