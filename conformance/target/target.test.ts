import { describe, expect, test } from 'vitest';
import { BRAND, NEW_BRAND, useTarget } from '../../testing/proxies/use-target.ts';

const { listen, recorder, target } = useTarget();

describe('a request', () => {
  test('carries its query, headers, body and credentials, and asks for JSON', async () => {
    const { asked, url } = await recorder(() => ({ body: { id: 1 } }));
    const { send } = target(`${url}/base/`, {
      headers: { 'x-tenant': '7' },
      credentials: { authorization: 'Bearer t0ps3cret' },
    });
    const answer = await send({
      ...NEW_BRAND,
      query: { 'a b': 'ä&=' },
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 200, body: '{"id":1}' });
    expect(asked).toMatchObject([
      {
        method: 'POST',
        path: '/base/api/model/brand?a+b=%C3%A4%26%3D',
        body: '{"name":"x"}',
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          'content-type': 'application/json',
          'x-tenant': '7',
          authorization: 'Bearer t0ps3cret',
        },
      },
    ]);
  });

  test('asks for another coding where headers say so', async () => {
    const { asked, url } = await recorder(() => ({}));
    await target(url, { headers: { 'accept-encoding': 'gzip' } }).send(BRAND);
    expect(asked[0]?.headers).toMatchObject({ 'accept-encoding': 'gzip' });
  });

  test('goes out without credentials when that is wanted', async () => {
    const { asked, url } = await recorder(() => ({ status: 401 }));
    const { exchanges, send } = target(url, { credentials: { 'x-api-key': 't0ps3cret' } });
    await send({ ...BRAND, without: 'credentials' });
    expect(asked[0]?.headers).not.toHaveProperty('x-api-key');
    expect(exchanges[0]?.request.headers).not.toHaveProperty('x-api-key');
  });

  test('with another method than GET is never sent by a read-only target', async () => {
    const { asked, url } = await recorder(() => ({}));
    const { requests, send } = target(url, { readOnly: true });
    for (const method of ['POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'])
      await expect(send({ ...BRAND, method })).rejects.toThrow(
        `A read-only run tried to send ${method} /api/model/brand`,
      );
    await send(BRAND);
    expect([asked.map((one) => one.method), requests()]).toEqual([['GET'], 1]);
  });
});

test('an exchange is handed out whole, long bodies cut', async () => {
  const { url } = await recorder(() => ({ body: 'y'.repeat(5000), headers: { 'set-cookie': 'a=b' } }));
  const { exchanges, send } = target(url);
  const answer = await send({ ...NEW_BRAND, body: 'x'.repeat(4001) });
  expect(answer.body).toHaveLength(5000);
  expect(exchanges).toHaveLength(1);
  expect(exchanges[0]?.request.body).toMatch(/^x{4000}… \(4001 characters\)$/);
  expect(exchanges[0]?.response.body).toMatch(/^y{4000}… \(5000 characters\)$/);
  expect(exchanges[0]?.response.headers['set-cookie']).toBe('a=[redacted]');
});

test.each([
  ['nothing', ''],
  ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x41])],
])('a body of %s is an answer all the same', async (_, body) => {
  const url = await listen((__, response) => response.end(body));
  const answer = await target(url).send(BRAND);
  expect(answer).toMatchObject({ status: 200, body: new TextDecoder().decode(Buffer.from(body)) });
});
