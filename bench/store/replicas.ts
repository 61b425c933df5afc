import { buffer } from 'node:stream/consumers';
import type { Results } from '../../conformance/results/results.ts';
import { createMock } from '../../mock/mock.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { check } from '../../testing/checks.ts';
import { demo } from '../../testing/demo.ts';
import { credentialsFor } from '../../testing/in-process-target.ts';
import { forward, serve } from '../../testing/services/http-server.ts';

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
  const options = { profile, fixtures: demo, data, requestLog: 0 };
  const mocks = await Promise.all(Array.from({ length: replicas }, () => createMock(options)));
  const listening = await Promise.all(mocks.map((mock) => mock.listen()));
  let next = 0;
  const balancer = await serve(async (request, response) => {
    const target = listening[next++ % replicas]?.url ?? '';
    const answer = await forward(target + request.url, request, await buffer(request));
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  try {
    const connection = { connections: 8, credentials: credentialsFor(profile) };
    return await check(balancer.url, { profile, connection, ...(models ? { models } : {}) });
  } finally {
    await balancer.close();
    await Promise.all(mocks.map((mock) => mock.close()));
  }
}
