import { describe, expect, test } from 'vitest';
import { createProfile } from '../spec/profile/profile.ts';
import { catalogue, check } from '../testing/checks.ts';
import { useService } from '../testing/mock-service.ts';
import type { Results } from './results/results.ts';
import type { RunEvent } from './run.ts';

const { start } = useService();

describe('an end before its time', () => {
  test('comes after the first failure when that is wanted', async () => {
    // The model with the most cases comes first.
    const { service, url } = await start(undefined, { defect: 'operations.failing:voucherType=create' });
    const before = await service.count();
    const results = await check(url, { failFast: true, concurrency: 1, models: ['brand', 'voucherType'] });
    expect(results.counts.fail).toBe(1);
    expect(results.cases.at(-1)?.outcome).toBe('fail');
    expect(results.cases.length).toBeLessThan(10);
    expect(await service.count()).toBe(before);
  });

  test('does not come after a failure that is excused, or advice', async () => {
    const { url } = await start(({ path }) => (/\/brand\/\d+\.5/.test(path) ? { status: 500 } : undefined), {
      defect: 'absent.put-works:brand',
    });
    const baseline = [{ case: 'absent.put:brand', reason: 'we know', until: '2999-01-01' }];
    const counted: string[] = [];
    const onEvent = (event: RunEvent) => {
      if (event.type === 'case' && event.counts) counted.push(event.result.id);
    };
    const options = { failFast: true, concurrency: 1, models: ['brand'], baseline, onEvent };
    const results = await check(url, options);
    expect(counted).toEqual([]);
    const failed = results.cases
      .filter(({ outcome }) => outcome === 'fail')
      .map(({ level, rule }) => [level, rule]);
    expect(failed).toContainEqual(['stated', 'absent.put']);
    expect(failed).toContainEqual(['advice', expect.stringMatching(/^advice\./)]);
    expect(results.cases.length).toBeGreaterThan(50);
  });

  test('by a signal while failed cases are tried again tries no more', async () => {
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

  test('by a signal cuts a wait short; what waited was not tried, and is no error', async () => {
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

  test('by a target that lets nobody ask any more is lost, and what was made is removed as far as it lets one', async () => {
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

  test('by the time keeps to it with a profile of 60,000 values too', async () => {
    const { url } = await start();
    const list = Array.from({ length: 60_000 }, (_, index) => `value ${index}`);
    const profile = createProfile({ values: { 'customer.language': list } }, catalogue);
    const started = performance.now();
    const results = await check(url, { models: ['customer'], profile, signal: AbortSignal.timeout(2000) });
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(results).toMatchObject({ ended: 'out of time', leftovers: [], counts: { error: 0, fail: 0 } });
    expect(results.planned).toBeGreaterThan(60_000);
    expect(results.profile.differs.join('').length).toBeLessThan(300);
  });
});
