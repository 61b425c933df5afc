import { expect, test } from 'vitest';
import { against, catalogue, check } from '../testing/checks.ts';
import { TINY_DIALECTS } from '../testing/dialects.ts';
import { find, said, useService } from '../testing/mock-service.ts';
import type { Asked } from '../testing/proxies/recording-proxy.ts';
import { RULES } from './plan/plan.ts';
import { exitCode, type Results } from './results/results.ts';
import type { RunEvent } from './run.ts';
import type { Target } from './target/target.ts';

const { start } = useService();

const line = ({ body, method, path }: Asked) => `${method} ${path} ${body}`;

/** These rules send writes in parallel, so that their order is undefined. */
const AT_ONCE = ['advice.create-at-once', 'advice.lost-update'];
const IN_TURN = RULES.map(({ id }) => id).filter((id) => !AT_ONCE.includes(id));

/** The requests to a model. */
async function requestsOf(seed: number, tag = 'aa', models = ['warehouse']): Promise<string[]> {
  const { asked, url } = await start();
  await check(url, { seed, tag, concurrency: 1, models, rules: IN_TURN });
  // The first request of a run is a list of the first selected model, to see whether the service responds.
  const [, ...requests] = asked.filter(({ path }) => path.includes('/warehouse'));
  return requests.map(line);
}

test('a seed and a tag repeat the requests to a model, and others change only the values', async () => {
  const first = await requestsOf(7);
  expect(first.length).toBeGreaterThan(200);
  expect(await requestsOf(7)).toEqual(first);
  const others = [await requestsOf(8), await requestsOf(7, 'bb')];
  for (const other of others) {
    expect(other).toHaveLength(first.length);
    expect(other).not.toEqual(first);
  }
  const shape = (lines: string[] = []) =>
    lines.map((one) => one.replaceAll(/\b(aa|bb)-|\d+/g, '#').replaceAll('##', '#'));
  expect(shape(others[1])).toEqual(shape(first));
  // Another model comes first, so the first request of the run is not to the model.
  const beside = await requestsOf(7, 'aa', ['brand', 'warehouse', 'lockerType']);
  expect(beside).toEqual(first.slice(first.length - beside.length));
});

test('with a concurrency of 1, the suite sends one request at a time, also between cases', async () => {
  const { url } = await start();
  let [now, most] = [0, 0];
  const wrap = (target: Target): Target => ({
    ...target,
    async send(...given) {
      most = Math.max(most, ++now);
      return target.send(...given).finally(() => now--);
    },
  });
  const models = ['ecommerceOrder', 'brand', 'warehouse', 'stockOrder'];
  const wanted = ['operations.retrieve', 'values.accepted'];
  await check(url, { concurrency: 1, models, rules: wanted, wrap });
  expect(most).toBe(1);
});

/** A case that no run has is stale after a complete run, but not after a partial one. */
const NEVER = { case: 'values.refused-on-create:locker.status=77', reason: 'none', until: '2999-01-01' };

test('a read-only run sends only GET requests, and no case is blocked without records', async () => {
  const { asked, service, url } = await start();
  const before = await service.count();
  const plan = { readOnly: true, connection: { readOnly: true }, baseline: [NEVER] };
  const results = await check(url, plan);
  expect(results.staleBaseline).toEqual([NEVER.case]);
  expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(asked.length).toBeGreaterThan(catalogue.models.size);
  expect(results).toMatchObject({ readOnly: true, counts: { blocked: 0, error: 0, fail: 0 } });
  expect(results.counts.pass).toBeGreaterThan(100);
  expect(await service.count()).toBe(before);
  expect(said(results, 'operations.create:brand')).toBe('skip: a read-only run sends only GET requests');
  expect(find(results, 'operations.retrieve:subscriptionTask').outcome).toBe('pass');
  expect(find(results, 'operations.retrieve:brand').message).toMatch(
    /there is no brand record, and a read-only run creates none/,
  );
});

test('a service with another profile fails no stated rule, and each failure names the setting', async () => {
  const { service, url } = await start(undefined, { settings: TINY_DIALECTS.plain });
  const headers = { 'Api-Version': catalogue.version };
  const connection = { credentials: service.credentials, headers };
  const results = await check(url, { connection, models: ['brand'] });
  expect(exitCode(results)).toBe(1);
  const failed = against(results).filter(({ outcome }) => outcome === 'fail');
  expect(failed.filter(({ level }) => level === 'stated')).toEqual([]);
  const settings = failed.map(({ setting }) => setting);
  const differing = ['request.unknownFields', 'response.total', 'status.created', 'errors.form'];
  expect(settings).toEqual(expect.arrayContaining([...differing, 'delete.effect', 'list.paging']));
  const told = ['request.encoding', 'request.update', 'response.record', 'status.invalid', 'types.bool'];
  expect(settings.filter((setting) => told.includes(String(setting)))).toEqual([]);
});

test('with failFast, the run ends after the first failure', async () => {
  // The model with the most cases comes first.
  const { service, url } = await start(undefined, { defect: 'operations.failing:voucherType=create' });
  const before = await service.count();
  const results = await check(url, { failFast: true, concurrency: 1, models: ['brand', 'voucherType'] });
  expect(results.counts.fail).toBe(1);
  expect(results.cases.at(-1)?.outcome).toBe('fail');
  expect(results.cases.length).toBeLessThan(10);
  expect(await service.count()).toBe(before);
});

test('with failFast, the run continues after excused failures and advice', async () => {
  const { url } = await start(({ path }) => (/\/brand\/\d+\.5/.test(path) ? { status: 500 } : undefined), {
    defect: 'absent.put-works:brand',
  });
  const baseline = [NEVER, { ...NEVER, case: 'absent.put:brand' }];
  const counted: string[] = [];
  const onEvent = (event: RunEvent) => {
    if (event.type === 'case' && event.counts) counted.push(event.result.id);
  };
  const options = { failFast: true, concurrency: 1, models: ['brand'], baseline, onEvent };
  const results = await check(url, options);
  expect([counted, results.staleBaseline]).toEqual([[], []]);
  const failed = results.cases
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ level, rule }) => [level, rule]);
  expect(failed).toContainEqual(['stated', 'absent.put']);
  expect(failed).toContainEqual(['advice', expect.stringMatching(/^advice\./)]);
  expect(results.cases.length).toBeGreaterThan(50);
});

test('after an abort signal, the run retries no failed cases', async () => {
  const stop = new AbortController();
  const { url } = await start(({ method, path }) =>
    method === 'GET' && /\/brand\/\d+$/.test(path) ? { status: 500 } : undefined,
  );
  let left = Number.POSITIVE_INFINITY;
  const results = await check(url, {
    models: ['brand'],
    rules: ['operations', 'fields', 'absent'],
    signal: stop.signal,
    concurrency: 1,
    onEvent: (event) => {
      if (event.type === 'plan') left = event.cases;
      // After the last case, the run only sends second tries.
      if (event.type === 'case' && --left === 0) stop.abort();
    },
  });
  expect(results.counts.fail).toBeGreaterThan(0);
  expect(results.cases.filter(({ retried }) => retried)).toEqual([]);
});

test('an abort signal ends a wait for Retry-After, without errors or leftovers', async () => {
  const stop = new AbortController();
  const { service, url } = await start(({ method, path }) =>
    /\/lockerType$/.test(path) && method !== 'DELETE'
      ? { status: 429, headers: { 'retry-after': '30' } }
      : undefined,
  );
  const before = await service.count();
  const connection = { signal: stop.signal, onWait: () => stop.abort() };
  const results = await check(url, { models: ['locker'], signal: stop.signal, connection });
  expect(results.cases.length).toBeLessThan(results.planned);
  expect([results.counts.error, await service.count()]).toEqual([0, before]);
});

test('if the target responds with 429 repeatedly, the run ends as lost and deletes its records', async () => {
  let creates = 0;
  const { service, url } = await start(({ method }) =>
    method === 'POST' && ++creates > 20 ? { status: 429 } : undefined,
  );
  const before = await service.count();
  let results: Results | undefined;
  const running = check(url, {
    models: ['locker', 'brand'],
    connection: { pauses: [0, 0] },
    onEvent: (event) => {
      if (event.type === 'end') results = event.results;
    },
  });
  await expect(running).rejects.toMatchObject({
    name: 'Unreachable',
    message: expect.stringMatching(
      /^POST \S+ returned 429 \(too many requests\) .*; pass --rate N to send at most N requests per second$/,
    ),
  });
  expect(results).toMatchObject({
    lost: expect.stringContaining('429'),
    counts: { fail: 0, blocked: 0, error: 0 },
    leftovers: [],
  });
  expect(await service.count()).toBe(before);
});

test('the time limit applies even if the profile has 60,000 values', async () => {
  const { url } = await start();
  const list = Array.from({ length: 60_000 }, (_, index) => `value ${index}`);
  const settings = { values: { 'customer.language': list } };
  const results = await check(url, { models: ['customer'], settings, signal: AbortSignal.timeout(2000) });
  expect(results).toMatchObject({ ended: 'out of time', leftovers: [], counts: { error: 0, fail: 0 } });
  expect(results.planned).toBeGreaterThan(60_000);
  expect(results.profile.differs.join('').length).toBeLessThan(300);
});
