import { afterEach, describe, expect, test } from 'vitest';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { few, references } from '../../testing/mocks/mocks.ts';
import { serve, startBeforeMock, stopAll, told } from '../../testing/proxies/proxies.ts';
import { createProxy, type ProxyExchange } from './proxy.ts';

afterEach(stopAll);

const WAREHOUSE = '/api/model/warehouse';
const json = { 'content-type': 'application/json' };

const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a conforming exchange', () => {
  test.each([
    {},
    { 'request.encoding': 'form' },
    { 'response.record': '/data', 'response.records': '/data' },
  ])('passes in silence, under %o', async (settings: Record<string, unknown>) => {
    const proxy = await startBeforeMock(settings);
    const [body, type] = 'request.encoding' in settings ? ['name=a', form] : ['{"name":"a"}', json];
    const answers = [
      await proxy.ask('POST', WAREHOUSE, body, type),
      await proxy.ask('GET', `${WAREHOUSE}/1`),
      await proxy.ask('HEAD', `${WAREHOUSE}/1`),
      await proxy.ask('GET', `${WAREHOUSE}?limit=5`),
      await proxy.ask('POST', `${WAREHOUSE}/1`, body, type),
      await proxy.ask('DELETE', `${WAREHOUSE}/1`),
      await proxy.ask('GET', `${WAREHOUSE}/7`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 200, 404]);
    expect(answers.map(({ headers }) => headers['sl-violations'])).toEqual(answers.map(() => undefined));
    expect(told(proxy)).toEqual([]);
    expect(proxy.exchanges.map(({ operation }) => operation)).toEqual([
      'createWarehouse',
      'getWarehouse',
      'getWarehouse',
      'listWarehouse',
      'updateWarehouse',
      'deleteWarehouse',
      'getWarehouse',
    ]);
    expect(proxy.exchanges[3]).toEqual({
      method: 'GET',
      path: WAREHOUSE,
      operation: 'listWarehouse',
      status: 200,
      violations: [],
    });
  });

  test('with lines in a form is read as the service reads it', async () => {
    const proxy = await startBeforeMock({ 'request.encoding': 'form' });
    const sent = 'status=0&globalDiscount=0&lines[0][amount]=2&lines[0][grossUnitCost]=x';
    await proxy.ask('POST', '/api/model/stockOrder', sent, form);
    expect(told(proxy)).toContain(
      'Error request.body.lines.0.grossUnitCost: Request body property lines.0.grossUnitCost must be number',
    );
    expect(told(proxy).join()).not.toContain('lines.0.amount');
  });
});

describe('closing', () => {
  test('waits for the exchanges that have no answer yet, and has told of them', async () => {
    const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const exchanges: ProxyExchange[] = [];
    const proxy = await createProxy({
      catalogue: few,
      profile: DEFAULT_PROFILE,
      references,
      upstream: await serve(() => asked.resolve()),
      onExchange: (exchange) => exchanges.push(exchange),
    });
    const request = { method: 'GET', target: '/api/model/warehouse/1', headers: {}, body: undefined };
    void proxy.handle(request, (stop) => void left.promise.then(stop));
    await asked.promise;
    left.resolve();
    await proxy.close();
    expect(exchanges).toMatchObject([
      { status: 499, failure: expect.stringContaining('client disconnected') },
    ]);
  });
});
