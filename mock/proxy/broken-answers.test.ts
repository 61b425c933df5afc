import { afterEach, describe, expect, test } from 'vitest';
import {
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

describe('an answer that breaks the contract', () => {
  const { name: _, ...nameless } = WAREHOUSE_1;
  test.each([
    [
      'a wrong type',
      200,
      { ...WAREHOUSE_1, id: '1' },
      'Error response.body.id: Response body property id must be integer',
    ],
    [
      'a missing field',
      200,
      nameless,
      "Error response.body: Response body must have required property 'name'",
    ],
    ['null', 200, null, 'Error response.body: Response body must be object'],
    ['an undocumented success', 203, WAREHOUSE_1, 'Error response: Unable to match the returned status code'],
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
    ['malformed JSON', json, '{"id":', 'Response body is not valid JSON'],
    ['JSON that is not UTF-8', json, Buffer.from([0x22, 0xff, 0x22]), 'Response body is not valid UTF-8'],
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
    const broken = Array.from({ length: 300 }, () => ({ ...WAREHOUSE_1, id: 'ñ' }));
    const proxy = await startProxy(await serveJson(200, broken));
    const response = await fetch(`${proxy.url}${WAREHOUSE}`);
    const header = response.headers.get('sl-violations') ?? '';
    expect(header).toMatch(/^Too many violations! [\x20-\x7e]+$/);
    expect(header.length).toBeLessThan(8200);
    expect(proxy.exchanges[0]?.violations.length).toBe(300);
  });
});
