/**
 * A server of the benchmark, in a process of its own: `mock`, or `bare`, which is node:http over a Map of texts and
 * validates nothing. Begins with so many warehouses. Tells its parent where it is; asked, how much memory and
 * processor time it took.
 *
 *   node bench/speed/mock-server.ts mock|bare RECORDS
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createMock } from '../../mock/mock.ts';

const PAGE = 20;
const [kind, count] = process.argv.slice(2);
const records = Array.from({ length: Number(count) }, (_, index) => ({
  id: index + 1,
  name: `Warehouse ${index + 1}`,
  comments: 'Left of the door',
}));
const url = kind === 'mock' ? await startMock() : await startBare();
process.on('message', () => process.send?.({ rss: process.memoryUsage().rss, cpu: process.cpuUsage() }));
process.send?.({ url });

async function startMock(): Promise<string> {
  const mock = await createMock({ fixtures: new Map([['warehouse', records]]) });
  return (await mock.listen()).url;
}

async function startBare(): Promise<string> {
  const stored = new Map(records.map((record) => [record.id, JSON.stringify(record)]));
  let last = records.length;
  const server = createServer(async (request, response) => {
    const { method, url = '' } = request;
    const id = Number(/\/(\d+)$/.exec(url)?.[1]);
    const body = method === 'POST' ? write(id || ++last, await text(request)) : read(method, id);
    response.writeHead(method === 'POST' && !id ? 201 : 200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function write(id: number, sent: string): string {
    const body = JSON.stringify({ id, ...JSON.parse(sent) });
    stored.set(id, body);
    return body;
  }

  function read(method: string | undefined, id: number): string {
    if (!id) return `[${stored.values().take(PAGE).toArray().join(',')}]`;
    const body = stored.get(id) ?? '{}';
    if (method === 'DELETE') stored.delete(id);
    return body;
  }
}
