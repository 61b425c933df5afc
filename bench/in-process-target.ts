import { type Exchange, NoAnswer, type Target, type TargetRequest } from '../conformance/target.ts';
import type { Mock } from '../mock/mock.ts';

const URL = 'http://mock.invalid';

/** A target without a socket: the mock answers in the same process. `credentials` go with every request. */
export function createInProcessTarget(
  mock: Pick<Mock, 'handle'>,
  credentials: Readonly<Record<string, string>> = {},
): Target {
  let requests = 0;
  return { url: URL, requests: () => requests, send, close: async () => {} };

  async function send(wanted: TargetRequest, record: (exchange: Exchange) => void) {
    requests++;
    const query = new URLSearchParams(wanted.query).toString();
    const target = wanted.path + (query && `?${query}`);
    const open = lowerCase({ accept: 'application/json', ...wanted.headers });
    const secret = wanted.without === 'credentials' ? {} : credentials;
    const body = wanted.body === undefined ? undefined : Buffer.from(wanted.body);
    const reply = await mock.handle({ method: wanted.method, target, headers: { ...open, ...secret }, body });
    if (typeof reply?.status !== 'number') throw new NoAnswer(`${wanted.method} ${target}: no answer`, '');
    record({
      request: {
        ...{ method: wanted.method, url: URL + target, headers: open },
        ...(wanted.body === undefined ? {} : { body: wanted.body }),
      },
      response: reply,
    });
    return reply;
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
