/** Every flag of `mock`, over sockets. */
import { expect, test } from 'vitest';
import { sendRaw } from '../../testing/mocks/control.ts';
import { sendJson } from '../../testing/services/http-server.ts';
import { useCommand } from '../../testing/use-command.ts';

const { directory, startMock, startService } = useCommand();
const VERSION = { 'api-version': '2025-10-22' };
const LIST = '/api/model/customer';

test('the flags of mock set its data, its behavior, and who can access it', async () => {
  const credentials = { authorization: 'Bearer ana.secret' };
  directory.write('p.yaml', 'auth: bearer\nerrors.form: simple\nresponse.total: none\n');
  directory.write('u.yaml', '- { token: ana.secret, id: 7, models: [relationship, customer] }\n');
  directory.write('a.yaml', 'customer: [{ name: first }]\n');
  directory.write('b.yaml', 'relationship: [{ id: 3, customer2: 99, status: 1 }]\n');
  directory.write('f.yaml', '- { status: 503, match: { model: customer }, times: 1 }\n');
  const what = ['--profile', 'p.yaml', '--fixtures', 'a.yaml', '--fixtures', 'b.yaml', '--lenient'];
  const more = ['--records', 'customer=4', '--seed', '3', '--users', 'u.yaml', '--max-sessions', '2'];
  const who = ['--allow-host', 'mock.lan', '--cors-origin', 'https://app.example', '--references', 'warn'];
  const when = ['--origin', 'http://mock.lan', '--now', '2030-01-01', '--fault', 'f.yaml'];
  const how = ['--latency', '10..12', '--request-log', '2', '--control-token', 'hunter2', '--log', 'json'];
  const flags = [...what, ...more, ...who, ...when, ...how, '--watch'];
  const { ended, interrupt, printed, said, url } = await startMock(...flags);
  expect(printed).toMatch(
    / {2}OpenAPI {6}http:\/\/127\.0\.0\.1:.*\n.*\nWarning: b\.yaml:1: relationship 3: customer2 must be the ID of a customer record, but there is no customer 99\.$/m,
  );
  expect(printed).not.toContain('hunter2');
  const get = (path: string, headers: Record<string, string> = credentials) =>
    fetch(url + path, { headers: { ...VERSION, ...headers } });
  const control = async (path: string) => (await fetch(`${url}/__mock${path}`)).json() as Promise<never>;
  const list = async () => (await get(LIST)).text();
  const count = (shown: string) => [...shown.matchAll(/"firstName":/g)].length;

  const faulty = `/__mock/sessions/faulty${LIST}`;
  expect([(await get(faulty)).status, (await get(faulty)).status]).toEqual([503, 200]);
  const customers = await get(LIST, { ...credentials, origin: 'https://app.example' });
  expect(customers.headers.get('access-control-allow-credentials')).toBe('true');
  const others = await get(LIST, { ...credentials, origin: 'https://other.example' });
  expect(others.headers.get('access-control-allow-credentials')).toBeNull();
  const shown = await list();
  expect(count(shown)).toBe(5);
  expect(shown).toContain('"http://mock.lan/__mock/images/');
  expect((await get(LIST, {})).status).toBe(401);
  expect((await get('/api/model/brand')).status).toBe(403);
  expect(await statusFor(url, 'mock.lan', { ...VERSION, ...credentials })).toBe(200);
  expect(await statusFor(url, 'evil.lan', { ...VERSION, ...credentials })).toBe(421);
  const { requests }: { requests: { ms: number; status: number }[] } = await control('/requests');
  // A timer of Node can end a millisecond early.
  expect(requests.map(({ ms }) => ms >= 9)).toEqual([true, true]);
  expect(requests[1]?.status).toBe(200);
  expect(await statusFor(url, 'balancer.lan', {}, '/__mock/ready')).toBe(200);
  const foreign = { origin: 'https://app.example' };
  expect((await get('/__mock/health', foreign)).status).toBe(403);
  expect((await get('/__mock/health', { ...foreign, authorization: 'Bearer hunter2' })).status).toBe(200);
  for (const name of ['b', 'c']) await get(`/__mock/sessions/${name}${LIST}`);
  const sessions = [{ name: 'default' }, { name: 'b' }, { name: 'c' }];
  expect(await control('/sessions')).toEqual({ sessions });

  directory.write('a.yaml', 'customer: [{ name: first }, { name: second }]\n');
  await said(/Reloaded\. Sessions now start with 7 records/);
  // A reload resets the faults of the file.
  expect((await get(LIST)).status).toBe(503);
  expect(count(await list())).toBe(6);
  expect(await control('/sessions')).toEqual({ sessions });
  expect(await control('/clock')).toMatchObject({ now: expect.stringMatching(/^2030-01-01T00:0/) });
  interrupt();
  const [met] = (await ended).stdout.split('\n').map((line) => line && JSON.parse(line));
  expect(met).toMatchObject({ level: 'error', session: 'faulty', path: LIST, status: 503, fault: '1' });
});

test('flags turn off the control API and the log, reject wrong links, and permit other machines', async () => {
  directory.write(
    'p.yaml',
    'auth: header X-API-Key\nversion: header Api-Version\ndelete.effect: remove\nerrors.form: simple\n',
  );
  const what = ['--profile', 'p.yaml', '--fixtures', 'none', '--defect', 'list.omits-newest:brand'];
  const who = ['--no-control', '--references', 'check', '--quiet', '--host', '0.0.0.0'];
  const { ended, interrupt, printed } = await startMock(...what, ...who);
  expect(printed).toMatch(/request\.references reject[\s\S]*other machines can reach 0\.0\.0\.0/);
  const url = `http://127.0.0.1:${/ on http:\/\/[^:]+:(\d+)/.exec(printed)?.[1]}`;
  const headers = { ...VERSION, 'x-api-key': 'ana:secret' };
  const create = (model: string, body: object) =>
    sendJson('POST', `${url}/api/model/${model}`, body, headers);
  const refused = await create('deposit', { customer: 99, balance: 1 });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain(
    '/customer must be the ID of an existing customer record, but is 99',
  );
  expect((await fetch(`${url}/__mock/health`, { headers })).status).toBe(404);
  for (const name of ['Altura', 'Bosque']) expect((await create('brand', { name })).status).toBe(201);
  const brands = await fetch(`${url}/api/model/brand`, { headers });
  expect(await brands.text()).toMatch(/^(?!.*Bosque).*Altura/);
  const session = await fetch(`${url}/__mock/sessions/a/api/model/brand`, { headers });
  expect(session.status).toBe(200);
  interrupt();
  const { stderr, stdout } = await ended;
  expect((stdout + stderr).slice(printed.length)).toMatch(/^\s*Stopping[^\n]*\n$/);
});

async function statusFor(url: string, host: string, headers: Record<string, string>, path = LIST) {
  return (await sendRaw(url, 'GET', path, '', { ...headers, host })).status;
}

const BRAND = '/api/model/brand';

test('mock --forward sends requests for the named models to the service, and reports it', async () => {
  const { url: service } = await startService();
  const what = ['--forward', service, '--models', 'brand,customer', '--timeout', '60000'];
  const { printed, said, url } = await startMock(...what, '--json', '--fixtures', 'none');
  expect(printed).toContain(`\n  forwarding   brand, customer to ${service}, only reads\n`);
  expect(await (await fetch(url + BRAND)).json()).toEqual(await (await fetch(service + BRAND)).json());
  expect((await fetch(url + BRAND, { method: 'POST', body: '{"name":"x"}' })).status).toBe(403);
  expect(await (await fetch(`${url}/__mock/forward`)).json()).toMatchObject({
    models: ['brand', 'customer'],
  });
  await said(/GET \/api\/model\/brand 200 \d+ ms forwarded/);
  await said(/POST \/api\/model\/brand 403 \d+ ms The mock forwards brand to .*, and forwards only reads\./);
});

test('mock --forward --write forwards all models and writes, even after a file changes', async () => {
  directory.write('own.yaml', 'brand: [{ name: ours }]\n');
  const { service, url: upstream } = await startService();
  const before = await service.count();
  const flags = ['--forward', upstream, '--write', '--references', 'check', '--fixtures', 'own.yaml'];
  const { printed, said, url } = await startMock(...flags, '--watch');
  expect(printed).toContain(`\n  forwarding   all models to ${upstream}\n`);
  const created = await sendJson('POST', url + BRAND, { name: 'x' });
  expect([created.status, await service.count()]).toEqual([201, before + 1]);
  directory.write('own.yaml', 'brand: [{ name: ours }, { name: too }]\n');
  await said(/Reloaded\. Sessions now start with 2 records/);
  await fetch(`${url}/__mock/forward`, { method: 'PATCH', body: '{"enabled":false}' });
  expect(await (await fetch(url + BRAND)).json()).toMatchObject([{ name: 'ours' }, { name: 'too' }]);
});
