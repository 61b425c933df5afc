import { describe, expect, test } from 'vitest';
import { against, catalogue, check } from '../testing/checks.ts';
import { find, useService } from '../testing/mock-service.ts';
import { serveMock } from '../testing/mocks/control.ts';
import type { Asked } from '../testing/proxies/recording-proxy.ts';
import { RULES } from './plan/plan.ts';
import type { Target } from './target/target.ts';

const { start } = useService();

const line = ({ body, method, path }: Asked) => `${method} ${path} ${body}`;

/** These rules send writes in parallel, so that their order is undefined. */
const AT_ONCE = ['advice.create-at-once', 'advice.lost-update'];
const IN_TURN = RULES.map(({ id }) => id).filter((id) => !AT_ONCE.includes(id));

describe('a seed', () => {
  /** The requests to a model. */
  async function requestsOf(seed: number, tag = 'aa', models = ['warehouse']): Promise<string[]> {
    const { asked, url } = await start();
    await check(url, { seed, tag, concurrency: 1, models, rules: IN_TURN });
    // The first request of a run is a list of the first selected model, to see whether the service responds.
    const [, ...requests] = asked.filter(({ path }) => path.includes('/warehouse'));
    return requests.map(line);
  }

  test('and a tag replay the requests to a model; others send other values of the same shape', async () => {
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
});

test('one lane has one request under way, before and between the cases too', async () => {
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

describe('a read-only run', () => {
  test('passes on a service that has records of every model', async () => {
    await using mock = await serveMock();
    const connection = { readOnly: true };
    const results = await check(mock.url, { readOnly: true, connection });
    expect(results.counts).toMatchObject({ blocked: 0, error: 0, fail: 0 });
    expect(results.coverage.operations.filter(({ exercised }) => exercised)).toHaveLength(
      2 * catalogue.models.size,
    );
  });

  test('sends nothing but GET, and blocks nothing on a service without records', async () => {
    const { asked, service, url } = await start();
    const before = await service.count();
    const results = await check(url, { readOnly: true, connection: { readOnly: true } });
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(asked.length).toBeGreaterThan(catalogue.models.size);
    expect(results).toMatchObject({ readOnly: true, counts: { blocked: 0, error: 0, fail: 0 } });
    expect(results.counts.pass).toBeGreaterThan(100);
    expect(await service.count()).toBe(before);
    expect(find(results, 'operations.create:brand')).toMatchObject({
      outcome: 'skip',
      message: 'a read-only run sends only GET requests',
    });
    expect(find(results, 'operations.retrieve:subscriptionTask').outcome).toBe('pass');
    expect(find(results, 'operations.retrieve:brand').message).toMatch(
      /there is no brand record, and a read-only run creates none/,
    );
  });

  test('still fails what GET shows to be wrong', async () => {
    const { url } = await start(undefined, { defect: 'fields.wrong-type:subscriptionTask.createUser' });
    const results = await check(url, { readOnly: true, models: ['subscriptionTask'] });
    expect(against(results).map(({ id }) => id)).toContain('fields.type:subscriptionTask.createUser');
  });
});
