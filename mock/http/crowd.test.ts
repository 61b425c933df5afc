import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startMock } from '../../testing/mocks/mocks.ts';

const CROWD = 1000;
const HOST = 'Host: 127.0.0.1\r\n';
const ASKED = `GET /api/model/warehouse HTTP/1.1\r\n${HOST}\r\n`;
/** Each leaves its request in another way; none of them is ever finished. */
const BREAKS = [
  '',
  'GET /api/mod',
  `POST /api/model/warehouse HTTP/1.1\r\n${HOST}Content-Length: 900\r\nContent-Type: application/json\r\n\r\n{"na`,
  `POST /api/model/warehouse HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"nam`,
];

test('a thousand connections with slow, broken and pipelined requests keep nobody from an answer', async () => {
  const { mock } = await startMock();
  const open = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
  const before = open();
  const server = await mock.listen();
  const port = Number(new URL(server.url).port);
  const sockets = Array.from({ length: CROWD }, (_, index) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(BREAKS[index % BREAKS.length] ?? '');
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  expect((await fetch(`${server.url}/api/model/warehouse`)).status).toBe(200);

  const pipelined = connect(port, '127.0.0.1');
  pipelined.write(ASKED.repeat(50));
  expect(await countAnswers(pipelined, 50)).toBe(50);
  pipelined.destroy();

  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
  const { headers, status } = await fetch(`${server.url}/api/model/warehouse`);
  expect([status, headers.get('x-total-count')]).toEqual([200, '0']);
  await mock.close();
  // Those of the clients of fetch close a moment later.
  await expect.poll(open, { timeout: 30_000 }).toBeLessThanOrEqual(before);
});

async function countAnswers(socket: Socket, wanted: number): Promise<number> {
  let read = '';
  for await (const part of socket) {
    read += part;
    const count = read.split('HTTP/1.1 200 OK').length - 1;
    if (count >= wanted) return count;
  }
  return 0;
}
