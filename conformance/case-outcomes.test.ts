import { expect, test } from 'vitest';
import { check } from '../testing/checks.ts';
import { checkMock, find, said, useService } from '../testing/mock-service.ts';
import type { Asked, Reply } from '../testing/proxies/recording-proxy.ts';
import { before } from '../testing/proxies/wrap.ts';
import { type CaseResult, exitCode, headline } from './results/results.ts';

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
const { requests: healthy } = await checkMock({ models: ['brand'] });

test.each(['list', 'retrieve', 'create', 'update'] as const)(
  'if an operation fails, the cases that need %s are blocked and send no requests',
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

test('a delete without an effect blocks the cases that need one, also while there are newer records', async () => {
  const { url } = await start(undefined, { defect: 'delete.does-nothing:brand' });
  const results = await check(url, { models: ['brand'] });
  expect(said(results, 'operations.delete:brand')).toBe('fail: a deleted record still exists');
  const blocked = results.cases.filter(({ blockedBy }) => blockedBy === 'operations.delete:brand');
  expect(blocked.map(({ id }) => id)).toContain('delete.keeps-other-records:brand');
});

test('an operation that fails only once blocks no cases', async () => {
  let times = 0;
  const { results } = await run((sent) => (isOf.update(sent) && times++ === 0 ? ANSWER : undefined));
  expect(results.cases.filter(({ blockedBy }) => blockedBy)).toEqual([]);
});

test('an operation that fails for only one value blocks no cases', async () => {
  const { results } = await run(({ body, ...sent }) =>
    isOf.create(sent) && body.includes('"name":""') ? { status: 422, body: {} } : undefined,
  );
  expect(find(results, 'operations.update:brand').outcome).toBe('pass');
  expect(results.cases.filter(({ blockedBy }) => blockedBy)).toEqual([]);
});

test('a model whose operations all fail costs fewer requests than a healthy model', async () => {
  const { asked, results } = await run(({ path }) => (path.includes('/brand') ? ANSWER : undefined), true);
  expect(asked).toBeLessThan(healthy);
  const failed = results.cases.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  expect(failed.slice(0, 2)).toEqual(['operations.list:brand', 'operations.create:brand']);
});

async function run(meddle: (sent: Asked) => Reply | undefined = () => undefined, judgeAll = false) {
  const { asked, url } = await start((sent) => meddle(sent));
  const results = await check(url, { models: ['brand'], judgeAll });
  return { asked: asked.length, results };
}

test('an exception inside the suite is an error with its stack, not a failure of the service', async () => {
  const { url } = await start();
  const results = await check(url, {
    models: ['warehouse'],
    rules: ['operations'],
    // Simulates an error of the suite.
    wrap: before(({ method }) => {
      if (method === 'POST') throw new TypeError('out of order');
    }),
  });
  expect(said(results, 'operations.create:warehouse')).toMatch(/^error: TypeError: out of order\n\s+at /);
  expect([results.counts.error > 0, results.counts.fail]).toEqual([true, 0]);
  expect(find(results, 'operations.list:warehouse').outcome).toBe('pass');
});

test('a case that fails only once is flaky, shows both responses, and makes the run inconclusive', async () => {
  let times = 0;
  const { url } = await start(({ method }) =>
    method === 'PUT' && times++ === 0 ? { status: 200, body: {} } : undefined,
  );
  const results = await check(url, { models: ['brand'], rules: ['absent'] });
  const flaky = find(results, 'absent.put:brand');
  expect(flaky).toMatchObject({ outcome: 'flaky', retried: 'not reproduced' });
  const answers = (exchanges: CaseResult['exchanges'] = []) =>
    exchanges.filter(({ request }) => request.method === 'PUT').map(({ response }) => response.status);
  expect([answers(flaky.exchanges), answers(flaky.again)]).toEqual([[200], [405, 405, 405]]);
  expect([exitCode(results), headline(results)]).toEqual([4, 'INCONCLUSIVE']);
  expect(find(results, 'absent.patch:brand')).toMatchObject({ outcome: 'pass' });
});

test('a response of the wrong type fails its case, even if the retry passes', async () => {
  let times = 0;
  const wrong = { id: 'seven', name: 'x' };
  const { url } = await start(({ method, path }) =>
    method === 'GET' && /\/brand\/\d+$/.test(path) && times++ === 0
      ? { status: 200, body: wrong }
      : undefined,
  );
  const results = await check(url, { models: ['brand'], rules: ['fields.type'], concurrency: 1 });
  expect(find(results, 'fields.type:brand.id')).toMatchObject({
    outcome: 'fail',
    retried: 'not reproduced',
  });
  expect(exitCode(results)).toBe(1);
});

test('a blocked case is retried', async () => {
  let times = 0;
  const { url } = await start(({ method, path }) =>
    method === 'POST' && path.endsWith('/brand') && times++ === 0 ? { status: 500 } : undefined,
  );
  const results = await check(url, { models: ['brand'], rules: ['absent.put'] });
  expect(times).toBeGreaterThan(1);
  expect(find(results, 'absent.put:brand').outcome).toBe('pass');
});

test('a failed case is retried and keeps its exchanges, and options change both', async () => {
  const { asked, url } = await start(undefined, { defect: 'absent.put-works:brand' });
  const options = { models: ['brand'], rules: ['absent'] };
  const plain = await check(url, options);
  expect(find(plain, 'absent.put:brand')).toMatchObject({ outcome: 'fail', retried: 'reproduced' });
  expect(find(plain, 'absent.put:brand').exchanges?.map(({ request }) => request.method)).toContain('PUT');
  expect(find(plain, 'absent.patch:brand')).not.toHaveProperty('exchanges');
  const before = asked.length;
  const other = await check(url, { ...options, keepExchanges: true, retry: false });
  expect(find(other, 'absent.put:brand')).not.toHaveProperty('retried');
  expect(asked.slice(before).filter(({ method }) => method === 'PUT')).toHaveLength(1);
  expect(find(other, 'absent.patch:brand').exchanges?.length).toBeGreaterThan(1);
});
