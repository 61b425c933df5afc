import type { Exchange } from '../conformance/target/exchange.ts';
import type { Target, TargetRequest } from '../conformance/target/target.ts';
import type { Mock } from '../mock/mock.ts';
import type { Reply } from '../mock/operations/reply.ts';
import { headerIn, type Profile } from '../spec/profile/profile.ts';

/** A loopback address, so that the suite may risk records that it did not create. */
const URL = 'http://127.0.0.1';
const TRIES = 5;

/** A target without a socket: the mock answers in the same process. `credentials` go with every request. */
export function createInProcessTarget(
  { answer }: Pick<Mock, 'answer'>,
  credentials: Readonly<Record<string, string>> = {},
): Target {
  let requests = 0;
  return { url: URL, requests: () => requests, send, close: async () => {} };

  async function send(wanted: TargetRequest, record: (exchange: Exchange) => void): Promise<Reply> {
    const query = new URLSearchParams(wanted.query).toString();
    const target = wanted.path + (query && `?${query}`);
    const open = Object.fromEntries(new Headers({ accept: 'application/json', ...wanted.headers }));
    const headers = wanted.without === 'credentials' ? open : { ...open, ...credentials };
    const body = wanted.body === undefined ? undefined : Buffer.from(wanted.body);
    for (let tries = 1; ; tries++) {
      requests++;
      const response = await answer({ method: wanted.method, target, headers, body });
      if (response.status === 429 && tries < TRIES) {
        await new Promise((resume) => setTimeout(resume, 1000));
        continue;
      }
      const sent = wanted.body === undefined ? {} : { body: wanted.body };
      const request = { method: wanted.method, url: URL + target, headers: open, ...sent };
      record({ request, response: { ...response, body: wanted.shown?.(response) ?? response.body } });
      return response;
    }
  }
}

/** Headers that a service with the profile lets in. */
export function credentialsFor(profile: Profile): Record<string, string> {
  switch (profile.auth) {
    case 'none':
      return {};
    case 'bearer':
      return { authorization: 'Bearer letmein' };
    case 'basic':
      return { authorization: `Basic ${btoa('user:letmein')}` };
    default:
      return { [headerIn(profile.auth)?.toLowerCase() ?? '']: 'letmein' };
  }
}
