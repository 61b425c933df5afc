import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

export type Balancer = AsyncDisposable & { readonly url: string };

/** Sends each request to the next of several servers, regardless of the connection. */
export async function balance(urls: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const server = createServer((asked, answer) => {
    const target = urls[next % urls.length] ?? '';
    next += 1;
    const { headers, method, url: path = '/' } = asked;
    const forwarded = request(target, { agent, headers, method, path }, async (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      await pipeline(response, answer).catch(() => answer.destroy());
    });
    forwarded.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    asked.pipe(forwarded);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
