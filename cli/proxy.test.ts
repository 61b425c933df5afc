import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { run } from './run.testing.ts';

/** A port that was free a moment ago. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

test.each([
  ['localhost', []],
  ['127.0.0.1', ['--host', '0.0.0.0']],
])('a proxy of itself, as %s, does not start', async (host, options) => {
  const port = await freePort();
  const upstream = `http://${host}:${port}`;
  expect(await run('.', 'proxy', upstream, '--port', port, ...options)).toEqual({
    code: 2,
    stdout: '',
    stderr: `record-model: the upstream is ${upstream}, the address of the proxy itself; expected the service\n`,
  });
});
