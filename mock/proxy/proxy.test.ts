import { afterEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { few, references } from '../../testing/mocks.ts';
import {
  type Answered,
  type StartedProxy,
  serve,
  serveJson,
  startBeforeMock,
  startProxy,
  stopAll,
} from '../../testing/proxies/proxies.ts';
import { createProxy, type ProxyExchange } from './proxy.ts';

afterEach(stopAll);

const WAREHOUSE = '/api/model/warehouse';
const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const record = {
  id: 1,
  created: '2025-10-22T09:30:00Z',
  createUser: 1,
  updated: '2025-10-22T09:30:00Z',
  updateUser: 1,
  deleted: false,
  name: 'a',
  comments: null,
};

function told({ exchanges }: StartedProxy): string[] {
  return exchanges.flatMap(({ violations }) =>
    violations.map(({ location, message, severity }) => `${severity} ${location.join('.')}: ${message}`),
  );
}

/** The places of all violations that the header of an answer names. */
function placesOf({ said }: Answered): string[] {
  return said.map(({ location }) => location.join('.'));
}

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

describe('a request that breaks the contract', () => {
  test.each([
    ['a wrong type', '{"name":5}', json, ['request.body.name']],
    ['a missing required field', '{}', json, ['request.body']],
    ['an unknown field', '{"name":"a","constructor":1}', json, ['request.body.constructor']],
    ['malformed JSON', '{"name":', json, ['request.body']],
    ['a list', '[]', json, ['request.body']],
    ['no body', '', json, ['request']],
    ['another media type', '{"name":"a"}', { 'content-type': 'text/plain' }, ['request']],
    ['a type that is none', '{"name":"a"}', { 'content-type': ';;;' }, ['request']],
    ['no media type', '{"name":"a"}', {}, ['request']],
    ['an unknown content encoding', '{"name":"a"}', { ...json, 'content-encoding': 'x' }, ['request.body']],
  ])('is forwarded and reported: %s', async (_what, body, headers, places) => {
    const proxy = await startProxy(await serveJson(201, record));
    const answer = await proxy.ask('POST', WAREHOUSE, body, headers);
    expect([answer.status, JSON.parse(String(answer.body))]).toEqual([201, record]);
    expect(placesOf(answer)).toEqual(places);
  });

  test('by a readonly field is an error only where the profile says that it is refused', async () => {
    for (const [setting, severity] of [
      ['ignore', 'Warning'],
      ['reject', 'Error'],
    ]) {
      const proxy = await startBeforeMock({ 'request.readonlyFields': setting });
      await proxy.ask('POST', WAREHOUSE, '{"name":"a","id":4}', json);
      expect(told(proxy)).toEqual([expect.stringMatching(`^${severity} request.body.id: .* is readonly`)]);
    }
  });

  test('by its path, its query or its credentials is reported at that place', async () => {
    const proxy = await startBeforeMock({ 'auth.scheme': 'bearer' });
    expect(placesOf(await proxy.ask('GET', `${WAREHOUSE}/x`))).toEqual(['request', 'request.path.id']);
    const known = { authorization: 'Bearer abc' };
    expect(placesOf(await proxy.ask('GET', `${WAREHOUSE}?limit=x`, '', known))).toEqual([
      'request.query.limit',
    ]);
  });

  test('by asking for what is not in the document gets a warning', async () => {
    const proxy = await startBeforeMock();
    for (const [method, path] of [
      ['GET', '/api/model/nope'],
      ['PUT', `${WAREHOUSE}/1`],
      ['GET', '/'],
    ] as const)
      expect((await proxy.ask(method, path)).said).toMatchObject([{ severity: 'Warning' }]);
    expect(proxy.exchanges.map(({ operation }) => operation)).toEqual([undefined, undefined, undefined]);
  });

  test('with a path that can not be read passes all the same, once', async () => {
    const seen: unknown[] = [];
    const proxy = await startProxy(
      await serve(({ url }, response) => {
        seen.push(url);
        response.end();
      }),
    );
    const answer = await proxy.ask('GET', `${WAREHOUSE}/%zz`);
    expect([answer.status, seen]).toEqual([200, [`${WAREHOUSE}/%zz`]]);
    expect(told(proxy)).toEqual([expect.stringContaining('could not be checked')]);
  });
});

describe('an answer that breaks the contract', () => {
  const { name: _, ...nameless } = record;
  test.each([
    [
      'a wrong type',
      200,
      { ...record, id: '1' },
      'Error response.body.id: Response body property id must be integer',
    ],
    [
      'a missing field',
      200,
      nameless,
      "Error response.body: Response body must have required property 'name'",
    ],
    ['null', 200, null, 'Error response.body: Response body must be object'],
    ['an undocumented success', 203, record, 'Error response: Unable to match the returned status code'],
    ['an undocumented failure', 500, {}, 'Warning response: Unable to match the returned status code'],
  ])('is forwarded and reported: %s', async (_what, status, body, violation) => {
    const proxy = await startProxy(await serveJson(status, body));
    const answer = await proxy.ask('GET', `${WAREHOUSE}/1`);
    expect([answer.status, JSON.parse(String(answer.body))]).toEqual([status, body]);
    expect(told(proxy)).toEqual([expect.stringContaining(violation)]);
    expect(answer.said).toEqual(proxy.exchanges[0]?.violations);
  });

  test.each([
    ['HTML', { 'content-type': 'text/html; charset=utf-8' }, '<p>', 'media type "text/html; charset=utf-8"'],
    ['a type that is none', { 'content-type': 'text/html; x' }, '<p>', 'The received media type ""'],
    ['malformed JSON', json, '{"id":', 'Response body is malformed JSON'],
    ['JSON that is not UTF-8', json, Buffer.from([0x22, 0xff, 0x22]), 'Response body is not UTF-8'],
    ['no gzip at all', { ...json, 'content-encoding': 'gzip' }, '{}', "can't be decoded as gzip"],
  ])('is reported when it is %s', async (_what, headers, body, message) => {
    const proxy = await startProxy(
      await serve((_request, response) => response.writeHead(200, headers).end(body)),
    );
    const answer = await proxy.ask('GET', `${WAREHOUSE}/1`);
    expect(answer.body).toEqual(Buffer.from(body));
    expect(told(proxy)[0]).toContain(message);
  });

  test('speaks another profile, and each difference is named', async () => {
    const proxy = await startBeforeMock({ 'status.created': 200 }, { 'status.created': 201 });
    await proxy.ask('POST', WAREHOUSE, '{"name":"a"}', json);
    expect(told(proxy)).toEqual([expect.stringContaining('Error response: Unable to match')]);
  });

  test('has a header of ASCII, cut where there is too much to say', async () => {
    const broken = Array.from({ length: 300 }, () => ({ ...record, id: 'ñ' }));
    const proxy = await startProxy(await serveJson(200, broken));
    const response = await fetch(`${proxy.url}${WAREHOUSE}`);
    const header = response.headers.get('sl-violations') ?? '';
    expect(header).toMatch(/^Too many violations! [\x20-\x7e]+$/);
    expect(header.length).toBeLessThan(8200);
    expect(proxy.exchanges[0]?.violations.length).toBe(300);
  });
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
    expect(error?.message).toMatch(/^the upstream holds a (user name or password|query)/);
    expect(error?.message).not.toMatch(/s3/);
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
    expect(exchanges).toMatchObject([{ status: 499, failure: expect.stringContaining('client left') }]);
  });
});
