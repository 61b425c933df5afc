import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { serve, startProxy, stopAll } from '../../testing/proxies/proxies.ts';

afterEach(stopAll);

const RECORD = '/api/model/warehouse/1';
const json = { 'content-type': 'application/json' };

describe('without an answer', () => {
  test('of anybody, the client is told so and what to do', async () => {
    const gone = createServer();
    const port = await new Promise<number>((resolve) => {
      gone.listen(0, '127.0.0.1', () => resolve((gone.address() as { port: number }).port));
    });
    await new Promise((resolve) => gone.close(resolve));
    const proxy = await startProxy(`http://127.0.0.1:${port}`);
    const answer = await proxy.ask('POST', '/api/model/warehouse', '{}', json);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(String(answer.body))).toEqual({
      type: 'about:blank',
      title: 'Bad Gateway',
      status: 502,
      detail: expect.stringMatching(/connection refused\)\. Check the upstream URL/),
    });
    // The request is still wrong. The error of the proxy is not a violation by the service.
    expect(answer.said).toMatchObject([{ location: ['request', 'body'] }]);
    expect(proxy.exchanges).toMatchObject([{ status: 502, failure: expect.any(String) }]);
  });

  test.each([
    ['before it begins', ''],
    ['in its middle', 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{'],
    ['that is HTTP', 'hello\r\n\r\n'],
  ])('%s, because the connection closes, it is 502', async (_when, said) => {
    const proxy = await startProxy(await serve(({ socket }) => void socket.end(said)));
    const answer = await proxy.ask('POST', RECORD, '{}', json);
    expect(answer.status).toBe(502);
    expect(proxy.exchanges).toMatchObject([{ failure: expect.any(String), violations: [] }]);
  });

  test('for long it is 504', async () => {
    const proxy = await startProxy(await serve(() => undefined), {}, { timeout: 30 });
    const answer = await proxy.ask('GET', RECORD);
    expect(answer.status).toBe(504);
    expect(String(answer.body)).toContain('sent nothing for 30 ms. Check the upstream URL of the proxy');
  });

  test('nothing but a safe request is sent again', async () => {
    const asked: string[] = [];
    const url = await serve(({ method = '', socket }, response) => {
      asked.push(method);
      if (asked.length === 1) response.end();
      else socket.destroy();
    });
    const proxy = await startProxy(url);
    await proxy.ask('GET', RECORD);
    expect((await proxy.ask('POST', RECORD, '{}', json)).status).toBe(502);
    expect((await proxy.ask('GET', RECORD)).status).toBe(502);
    expect(asked).toEqual(['GET', 'POST', 'GET', 'GET']);
  });
});
