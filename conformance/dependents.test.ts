import { beforeAll, describe, expect, test } from 'vitest';
import { check } from '../testing/checks.ts';
import { find, startMockService, useService } from '../testing/mock-service.ts';
import type { Asked, Reply } from '../testing/proxies/recording-proxy.ts';

const { start } = useService();
const ANSWER = { status: 501, body: { message: 'not implemented' } };

const isOf = {
  list: ({ method, path }: Sent) => method === 'GET' && /\/brand(\?|$)/.test(path),
  retrieve: ({ method, path }: Sent) => method === 'GET' && /\/brand\/\d+/.test(path),
  create: ({ method, path }: Sent) => method === 'POST' && path.endsWith('/brand'),
  update: ({ method, path }: Sent) => method === 'POST' && /\/brand\/\d+/.test(path),
};
type Sent = Pick<Asked, 'method' | 'path'>;

/** The number of requests to a healthy service. */
let healthy: number;
beforeAll(async () => {
  const service = await startMockService();
  healthy = (await check(service.url, { models: ['brand'] })).requests;
  await service.close();
});

describe('a failed operation', () => {
  test.each(['list', 'retrieve', 'create', 'update'] as const)(
    'blocks the cases that need %s, which send nothing',
    async (operation) => {
      const { asked, results } = await run((sent) => (isOf[operation](sent) ? ANSWER : undefined));
      const id = `operations.${operation}:brand`;
      expect(find(results, id)).toMatchObject({ outcome: 'fail', retried: 'reproduced' });
      const blocked = results.cases.filter(({ blockedBy }) => blockedBy === id);
      // The others that the operation blocks could be tried as far as it.
      const unsent = blocked.filter(({ message }) => message === `blocked by ${id}`);
      expect(unsent.length).toBeGreaterThan(operation === 'list' ? 0 : 3);
      expect(unsent.every(({ exchanges }) => exchanges === undefined)).toBe(true);
      expect(asked).toBeLessThan(1.5 * healthy);
      if (operation === 'retrieve') expect(find(results, 'operations.update:brand').outcome).toBe('pass');
    },
  );

  test('blocks nothing where it fails once only', async () => {
    let times = 0;
    const { results } = await run((sent) => (isOf.update(sent) && times++ === 0 ? ANSWER : undefined));
    expect(results.cases.filter(({ blockedBy }) => blockedBy)).toEqual([]);
  });

  test('blocks nothing where it fails for one value only', async () => {
    const { results } = await run(({ body, ...sent }) =>
      isOf.create(sent) && body.includes('"name":""') ? { status: 422, body: {} } : undefined,
    );
    expect(find(results, 'operations.update:brand').outcome).toBe('pass');
    expect(results.cases.filter(({ blockedBy }) => blockedBy)).toEqual([]);
  });

  test('of a model without operations costs fewer requests than a healthy model', async () => {
    const { asked, results } = await run(({ path }) => (path.includes('/brand') ? ANSWER : undefined), true);
    expect(asked).toBeLessThan(healthy);
    const failed = results.cases.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    expect(failed.slice(0, 2)).toEqual(['operations.list:brand', 'operations.create:brand']);
  });
});

async function run(meddle: (sent: Asked) => Reply | undefined = () => undefined, judgeAll = false) {
  const { asked, url } = await start((sent) => meddle(sent));
  const results = await check(url, { models: ['brand'], judgeAll });
  return { asked: asked.length, results };
}
