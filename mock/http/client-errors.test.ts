import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { startMock } from '../../testing/mocks/mocks.ts';
import { useServer } from '../../testing/mocks/use-server.ts';
import { answerClientErrors } from './server.ts';

const { closing, serve } = useServer();

describe('what is no request for Node', () => {
  const LONG = 'x'.repeat(20_000);

  test.each([
    ['has no form', 'nonsense\r\n\r\n', 400],
    ['has headers beyond measure', `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${LONG}\r\n\r\n`, 431],
    [
      'has a chunk with extensions beyond measure',
      `POST /api/model/warehouse HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n1;${LONG}\r\n`,
      413,
    ],
    [
      'names two hosts',
      'GET / HTTP/1.1\r\nhost: localhost\r\nHOST: evil.example\r\nconnection: close\r\n\r\n',
      400,
    ],
    ['names no host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['names another host', 'GET / HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n', 421],
    [
      'expects too much',
      'GET / HTTP/1.1\r\nhost: localhost\r\nexpect: 200-ok\r\nconnection: close\r\n\r\n',
      417,
    ],
  ])('because it %s, is answered in the form of the profile', async (_, sent, status) => {
    for (const [form, key] of [
      ['problem', 'detail'],
      ['simple', 'error'],
    ] as const) {
      const { port } = new URL(await serve({ 'errors.form': form }));
      const answer = await say(port, sent);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head.toLowerCase()).toContain('vary: origin');
      expect(JSON.parse(body)).toMatchObject({ [key]: expect.stringMatching(/\.$/) });
    }
  });

  test('or comes too slowly, is answered so too', async () => {
    const { mock } = await startMock({ 'errors.form': 'simple' });
    const server = createServer({ requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 20 });
    answerClientErrors(server, mock.refuse, () => ({ 'access-control-allow-origin': '*' }));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    closing({ close: async () => void server.close() });
    const { port } = server.address() as AddressInfo;
    const answer = await say(port, 'GET / HTTP/1.1\r\nhost: loc');
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\naccess-control-allow-origin: \*/);
    expect(answer).toMatch(/{"error":"The request was not complete in time\. Send it again\."}$/);
  });

  test('or coded, is refused too', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await fetch(`${await serve()}/api/model/warehouse`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(await answer.json()).toMatchObject({
      detail: 'The content encoding gzip is not supported. Send the body without an encoding.',
    });
  });
});

/** Writes bytes to a port, and returns what comes until the connection closes. */
function say(port: number | string, bytes: string): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
  return text(socket);
}
