import { afterEach, describe, expect, test } from 'vitest';
import {
  type Answered,
  serve,
  serveJson,
  startBeforeMock,
  startProxy,
  stopAll,
  told,
  WAREHOUSE_1,
} from '../../testing/proxies/proxies.ts';

afterEach(stopAll);

const WAREHOUSE = '/api/model/warehouse';
const json = { 'content-type': 'application/json' };

/** The places of all violations that the header of an answer names. */
function placesOf({ said }: Answered): string[] {
  return said.map(({ location }) => location.join('.'));
}

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
    const proxy = await startProxy(await serveJson(201, WAREHOUSE_1));
    const answer = await proxy.ask('POST', WAREHOUSE, body, headers);
    expect([answer.status, JSON.parse(String(answer.body))]).toEqual([201, WAREHOUSE_1]);
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
