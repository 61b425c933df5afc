import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Results } from '../../conformance/results/results.ts';
import { runSuite } from '../../conformance/run.ts';
import { createTarget } from '../../conformance/target/target.ts';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { createMock } from '../../mock/mock.ts';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { loadRequirements } from '../../spec/requirements.ts';
import { credentialsFor } from '../../testing/in-process-target.ts';

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);
const requirements = loadRequirements();

export type CheckOptions = {
  /** How many mocks share the database behind a balancer. */
  readonly replicas: number;
  readonly profile: Profile;
  /** All when absent. */
  readonly models?: readonly string[] | undefined;
};

/** Checks mocks that share an empty database, each request by the next of them. */
export async function checkReplicas(
  data: string,
  { models, profile, replicas }: CheckOptions,
): Promise<Results> {
  const options = { catalogue, references, profile, fixtures: loadFixtures('demo'), data, requestLog: 0 };
  const mocks = await Promise.all(Array.from({ length: replicas }, () => createMock(options)));
  try {
    const listening = await Promise.all(mocks.map((mock) => mock.listen()));
    await using balancer = await balance(listening.map(({ url }) => url));
    const target = createTarget({ baseUrl: balancer.url, credentials: credentialsFor(profile) });
    try {
      const plan = { catalogue, profile, references, requirements };
      const selection = models ? { models } : {};
      for await (const event of runSuite({ ...plan, target, profileName: 'replicas', selection }))
        if (event.type === 'end') return event.results;
      throw new Error('the run ended without results');
    } finally {
      await target.close();
    }
  } finally {
    await Promise.all(mocks.map((mock) => mock.close()));
  }
}

/** Returns one line for each case that neither passes nor is skipped. */
export function faultsOf(results: Results): string[] {
  return results.cases
    .filter(({ outcome }) => outcome !== 'pass' && outcome !== 'skip')
    .map(({ id, message, outcome }) => `${outcome} ${id}: ${message}`);
}

type Balancer = AsyncDisposable & { readonly url: string };

/** Sends each request to the next of several servers, regardless of the connection. */
async function balance(urls: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const server = createServer((asked, answer) => {
    const target = urls[next % urls.length] ?? '';
    next += 1;
    const { headers, method, url: path = '/' } = asked;
    const forwarded = request(target, { agent, headers, method, path }, async (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      await pipeline(response, answer).catch(() => answer.destroy());
    });
    forwarded.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    asked.pipe(forwarded);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
