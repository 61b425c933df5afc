import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { useClosing } from '../testing/closing.ts';
import { run, start } from '../testing/command.ts';
import { serve } from '../testing/services/http-server.ts';

const closing = useClosing();

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
    stderr: `record-model: ${upstream} is the address of this proxy. Pass the URL of the service, or another --port.\n`,
  });
});

describe('a proxy that is stopped in the middle of an exchange', () => {
  /** A client whose request breaks the contract waits for a service that answers when it is let. */
  async function startWaiting() {
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const service = await serve(async (request, response) => {
      request.resume();
      asked.resolve();
      await held.promise;
      response.writeHead(422).end();
    });
    const { child, ended, said } = start('.', ['proxy', service.url, '--port', '0']);
    closing(service);
    closing({ close: () => child.kill('SIGKILL') && ended });
    const url = / on (http:\S+)/.exec(await said(/Press Ctrl\+C to stop/))?.[1];
    const sent = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    const answered = fetch(`${url}/api/model/brand`, sent).catch(() => undefined);
    await asked.promise;
    return { answered, answer: held.resolve, child, ended, said };
  }

  test('sums up when that has ended, and exits with 1 for what was wrong with it', async () => {
    const { answer, answered, child, ended, said } = await startWaiting();
    child.kill('SIGINT');
    await said(/^Stopping/m);
    answer();
    expect((await answered)?.status).toBe(422);
    const { code, stdout } = await ended;
    expect(stdout.match(/^\d+ exchanges?: .*/gm)).toEqual([
      '1 exchange: 1 invalid request, 1 invalid response',
    ]);
    expect(code).toBe(1);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends at once when %s is the second signal',
    async (second) => {
      const { child, ended, said } = await startWaiting();
      child.kill('SIGINT');
      await said(/^Stopping/m);
      child.kill(second);
      expect(await ended).toMatchObject({ code: 130, stdout: '' });
    },
  );
});
