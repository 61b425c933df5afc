import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { useCommand } from '../../testing/use-command.ts';

const { directory, run, startMock, startService } = useCommand();
const BRAND = '/api/model/brand';

describe('mock --forward', () => {
  test('lets the service answer the named models, and says so', async () => {
    const { url: service } = await startService();
    const flags = ['--forward', service, '--models', 'brand,customer', '--timeout', '5000', '--json'];
    const { ended, child, printed, said, url } = await startMock(...flags);
    expect(printed).toContain(`\n  forwarding   brand, customer to ${service}, only reads\n`);
    expect(await (await fetch(url + BRAND)).json()).toEqual(await (await fetch(service + BRAND)).json());
    expect((await fetch(url + BRAND, { method: 'POST', body: '{"name":"x"}' })).status).toBe(403);
    expect(await (await fetch(`${url}/__mock/forward`)).json()).toMatchObject({
      models: ['brand', 'customer'],
    });
    await said(/GET \/api\/model\/brand 200 \d+ ms forwarded/);
    await said(
      /POST \/api\/model\/brand 403 \d+ ms The mock forwards brand to .*, and forwards only reads\./,
    );
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('forwards all models without --models, and writes with --write', async () => {
    const { service, url: upstream } = await startService();
    const before = await service.count();
    const { printed, url } = await startMock('--forward', upstream, '--write', '--references', 'check');
    expect(printed).toContain(`\n  forwarding   all models to ${upstream}\n`);
    const headers = { 'content-type': 'application/json' };
    const created = await fetch(url + BRAND, { method: 'POST', body: '{"name":"x"}', headers });
    expect([created.status, await service.count()]).toEqual([201, before + 1]);
  });

  test('keeps the switch when a file changes', async () => {
    const fixtures = directory.write('own.yaml', 'brand: [{ name: ours }]\n');
    const { url: upstream } = await startService();
    const { said, url } = await startMock('--forward', upstream, '--fixtures', fixtures, '--watch');
    await fetch(`${url}/__mock/forward`, { method: 'PATCH', body: '{"enabled":false}' });
    directory.write('own.yaml', 'brand: [{ name: ours }, { name: too }]\n');
    await said(/Reloaded\. Sessions now start with 2 records/);
    expect(await (await fetch(url + BRAND)).json()).toMatchObject([{ name: 'ours' }, { name: 'too' }]);
  });

  test.each([
    [
      ['--models', 'brand'],
      '--models applies only to forwarded requests. Pass the URL of the service with --forward',
    ],
    [['--write'], '--write applies only to forwarded requests.'],
    [['--timeout', '5'], '--timeout applies only to forwarded requests.'],
    [['--insecure'], '--insecure applies only to forwarded requests.'],
    [
      ['--forward', 'http://127.0.0.1:1', '--models', 'brnd'],
      'Unknown model "brnd" in --models. Did you mean "brand"?',
    ],
    [
      ['--forward', 'ftp://x'],
      'The forward URL must be one such as https://api.example.com, but is "ftp://x".',
    ],
    [['--forward', 'api.example.com'], 'The forward URL must be one such as https://api.example.com'],
    [['--forward', 'http://me:pw@x'], 'The forward URL must not contain a user name or password.'],
    [['--forward', 'http://127.0.0.1:1', '--timeout', '0'], 'Invalid value "0" for --timeout.'],
  ])('refuses %j', async (flags, message) => {
    expect(await run('mock', '--port', '0', ...flags)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });

  test('refuses its own address', async () => {
    const { port, url } = await freePort();
    expect(await run('mock', '--port', port, '--forward', url)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${url} is the address of this mock.`),
    });
  });
});

/** Returns a port that was free a moment ago. */
async function freePort(): Promise<{ port: string; url: string }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return { port: String(port), url: `http://127.0.0.1:${port}` };
}
