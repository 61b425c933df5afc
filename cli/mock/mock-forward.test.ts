import { expect, test } from 'vitest';
import { useCommand } from '../../testing/use-command.ts';

const { directory, startMock, startService } = useCommand();
const BRAND = '/api/model/brand';

test('mock --forward lets the service answer the named models, and says so', async () => {
  const { url: service } = await startService();
  const flags = ['--forward', service, '--models', 'brand,customer', '--timeout', '5000', '--json'];
  const { printed, said, url } = await startMock(...flags);
  expect(printed).toContain(`\n  forwarding   brand, customer to ${service}, only reads\n`);
  expect(await (await fetch(url + BRAND)).json()).toEqual(await (await fetch(service + BRAND)).json());
  expect((await fetch(url + BRAND, { method: 'POST', body: '{"name":"x"}' })).status).toBe(403);
  expect(await (await fetch(`${url}/__mock/forward`)).json()).toMatchObject({
    models: ['brand', 'customer'],
  });
  await said(/GET \/api\/model\/brand 200 \d+ ms forwarded/);
  await said(/POST \/api\/model\/brand 403 \d+ ms The mock forwards brand to .*, and forwards only reads\./);
});

test('mock --forward forwards all models without --models and writes with --write, also after a file changes', async () => {
  directory.write('own.yaml', 'brand: [{ name: ours }]\n');
  const { service, url: upstream } = await startService();
  const before = await service.count();
  const flags = ['--forward', upstream, '--write', '--references', 'check', '--fixtures', 'own.yaml'];
  const { printed, said, url } = await startMock(...flags, '--watch');
  expect(printed).toContain(`\n  forwarding   all models to ${upstream}\n`);
  const headers = { 'content-type': 'application/json' };
  const created = await fetch(url + BRAND, { method: 'POST', body: '{"name":"x"}', headers });
  expect([created.status, await service.count()]).toEqual([201, before + 1]);
  directory.write('own.yaml', 'brand: [{ name: ours }, { name: too }]\n');
  await said(/Reloaded\. Sessions now start with 2 records/);
  await fetch(`${url}/__mock/forward`, { method: 'PATCH', body: '{"enabled":false}' });
  expect(await (await fetch(url + BRAND)).json()).toMatchObject([{ name: 'ours' }, { name: 'too' }]);
});
