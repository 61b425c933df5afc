import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { few, references } from '../../testing/mocks/mocks.ts';
import {
  serve,
  serveJson,
  startBeforeMock,
  startProxy,
  stopAll,
  told,
} from '../../testing/proxies/proxies.ts';
import { createProxy, type ProxyExchange } from './proxy.ts';
import { leadsToItself } from './proxy-itself.ts';

afterEach(stopAll);

const WAREHOUSE = '/api/model/warehouse';
const json = { 'content-type': 'application/json' };

const form = { 'content-type': 'application/x-www-form-urlencoded' };

const RECORD = '/api/model/warehouse/1';

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

describe('a page served from this machine', () => {
  const origin = 'http://localhost:3000';
  const preflight = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-a',
  };

  test('may read answers of a service that says nothing of other origins', async () => {
    const proxy = await startProxy(await serveJson(200, {}));
    const { headers } = await proxy.ask('GET', RECORD, '', { origin });
    expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
    expect(headers['access-control-expose-headers']).toContain('sl-violations');
    const asked = await proxy.ask('OPTIONS', RECORD, '', preflight);
    expect(asked).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-methods': 'POST', 'access-control-allow-headers': 'x-a' },
    });
    expect(proxy.exchanges.length).toBe(1);
  });

  test('gets what the service itself says', async () => {
    const own = { 'access-control-allow-origin': 'https://app.example' };
    const proxy = await startProxy(await serve((_request, response) => response.writeHead(200, own).end()));
    for (const answer of [
      await proxy.ask('GET', RECORD, '', { origin }),
      await proxy.ask('OPTIONS', RECORD, '', preflight),
    ])
      expect(answer).toMatchObject({ status: 200, headers: own });
  });

  test('is not one that only looks like it', async () => {
    const proxy = await startProxy(await serveJson(200, {}));
    for (const other of ['https://localhost.example', 'null', 'https://page.example']) {
      const { headers } = await proxy.ask('GET', RECORD, '', { origin: other });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

test.each([
  ['http://127.0.0.1:4663', 'http://127.0.0.1:4663'],
  ['http://localhost:4663/base', 'http://127.0.0.1:4663'],
  ['http://127.1:4663', 'http://127.0.0.1:4663'],
  ['http://0.0.0.0:4663', 'http://127.0.0.1:4663'],
  ['http://127.0.0.1:4663', 'http://0.0.0.0:4663'],
  ['http://127.0.0.9:4663', 'http://[::]:4663'],
  ['http://[::1]:4663', 'http://[::1]:4663'],
  ['http://[::1]:4663', 'http://[::]:4663'],
  ['http://localhost', 'http://127.0.0.1:80'],
  ['https://localhost', 'http://127.0.0.1:443'],
])('%s leads to what listens at %s', async (upstream, own) => {
  expect(await leadsToItself(upstream, own)).toBe(true);
});

test('so does every address of this machine where all of them are listened to', async () => {
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((all) => all ?? [])) {
    const host = family === 'IPv6' ? `[${address}]` : address;
    expect(await leadsToItself(`http://${host}:4663`, 'http://[::]:4663')).toBe(true);
  }
});

test.each([
  ['http://127.0.0.1:4664', 'http://127.0.0.1:4663'],
  ['http://localhost', 'http://127.0.0.1:4663'],
  ['http://127.0.0.2:4663', 'http://127.0.0.1:4663'],
  ['http://[::1]:4663', 'http://0.0.0.0:4663'],
  ['http://192.0.2.1:4663', 'http://0.0.0.0:4663'],
  ['http://host.invalid:4663', 'http://0.0.0.0:4663'],
])('%s does not lead to what listens at %s', async (upstream, own) => {
  expect(await leadsToItself(upstream, own)).toBe(false);
});

describe('an address that is none of a service', () => {
  test.each(['nonsense', 'ftp://a.example', 'http://user:word@a.example', 'http://a.example/?x'])(
    'is a mistake of the user: %s',
    async (upstream) => {
      await expect(startProxy(upstream)).rejects.toThrow(UsageError);
    },
  );

  test.each([
    'http://me:s3cret@api.example.com',
    'me:s3cret@api.example.com',
    'ftp://me:s3cret@api.example.com',
    'http://me:s3/cret@api.example.com',
    'https://api.example.com/?key=s3cret',
  ])('does not start with %s, and repeats no secret of it', async (upstream) => {
    const error = await startProxy(upstream).then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect(error?.message).toMatch(/^The upstream URL must not contain a/);
    expect(error?.message).not.toMatch(/s3/);
  });
});
