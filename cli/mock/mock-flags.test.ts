/** The flags of `mock` that say who may ask and what there is, over sockets, under profiles that differ most. */
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { useCommand } from '../../testing/use-command.ts';

const { directory, startMock } = useCommand();
const TOKEN = 'ana:secret';

test.each<[string, string, Record<string, string>]>([
  ['bearer', 'errors.form: simple\nresponse.total: none\n', { authorization: 'Bearer ana.secret' }],
  [
    'basic',
    'list.paging: page\nresponse.total: pointer\nresponse.totalPointer: /total\nresponse.records: /data\n',
    { authorization: `Basic ${Buffer.from(TOKEN).toString('base64')}` },
  ],
  ['apiKey', 'errors.form: empty\nversion.in: header\ndelete.effect: remove\n', { 'x-api-key': TOKEN }],
])('under a profile with %s', async (scheme, settings, credentials) => {
  directory.write('p.yaml', `auth.scheme: ${scheme}\n${settings}`);
  directory.write(
    'u.yaml',
    `- { token: "${scheme === 'bearer' ? 'ana.secret' : TOKEN}", id: 7, models: [relationship, customer] }\n`,
  );
  directory.write('a.yaml', 'customer: [{ name: first }]\n');
  directory.write('b.yaml', 'relationship: [{ id: 3, customer2: 99, status: 1 }]\n');
  const what = ['--profile', 'p.yaml', '--fixtures', 'a.yaml', '--fixtures', 'b.yaml', '--lenient'];
  const more = ['--records', 'customer=4', '--seed', '3', '--users', 'u.yaml', '--max-sessions', '2'];
  const who = ['--allow-host', 'mock.lan', '--cors-origin', 'https://app.example', '--references', 'warn'];
  const { printed, url } = await startMock(...what, ...more, ...who);
  expect(printed).toMatch(
    /warning: b\.yaml:1: relationship 3: customer2 is 99; expected the id of a customer/,
  );
  const version = { 'api-version': '2025-10-22' };
  const get = (path: string, headers: Record<string, string>) =>
    fetch(url + path, { headers: { ...version, ...headers } });
  const customers = await get('/api/model/customer', { ...credentials, origin: 'https://app.example' });
  expect([...(await customers.text()).matchAll(/"firstName":/g)]).toHaveLength(5);
  expect(customers.headers.get('access-control-allow-credentials')).toBe('true');
  const others = await get('/api/model/customer', { ...credentials, origin: 'https://other.example' });
  expect(others.headers.get('access-control-allow-credentials')).toBeNull();
  expect((await get('/api/model/customer', {})).status).toBe(401);
  expect((await get('/api/model/brand', credentials)).status).toBe(403);
  expect(await statusFor(url, 'mock.lan', { ...version, ...credentials })).toBe(200);
  expect(await statusFor(url, 'evil.lan', { ...version, ...credentials })).toBe(421);
  for (const name of ['a', 'b', 'c']) await get(`/__mock/sessions/${name}/api/model/customer`, credentials);
  const { sessions } = (await (await fetch(`${url}/__mock/sessions`)).json()) as { sessions: object[] };
  expect(sessions).toEqual([{ name: 'default' }, { name: 'b' }, { name: 'c' }]);
});

test('--no-control takes the control plane away, --references check holds for requests', async () => {
  const { printed, url } = await startMock('--no-control', '--references', 'check');
  expect(printed).toContain('request.references reject');
  const response = await fetch(`${url}/api/model/deposit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"customer":99,"balance":1}',
  });
  expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('/customer is 99')]);
  expect((await fetch(`${url}/__mock/health`)).status).toBe(404);
  expect((await fetch(`${url}/__mock/sessions/a/api/model/brand`)).status).toBe(200);
});

function statusFor(url: string, host: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/api/model/customer`, { headers: { ...headers, host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
