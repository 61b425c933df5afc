/** Every flag of `mock`, over sockets, under the default profile and three that differ most; two processes for each. */
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { useCommand } from '../../testing/use-command.ts';

const { directory, startMock } = useCommand();
const TOKEN = 'ana:secret';
const VERSION = { 'api-version': '2025-10-22' };
const LIST = '/api/model/customer';

type Row = readonly [scheme: string, settings: string, credentials: Record<string, string>];
const ROWS: readonly Row[] = [
  ['none', '', {}],
  ['bearer', 'errors.form: simple\nresponse.total: none\n', { authorization: 'Bearer ana.secret' }],
  [
    'basic',
    'list.paging: page\nresponse.total: /total\nresponse.records: /data\n',
    { authorization: `Basic ${Buffer.from(TOKEN).toString('base64')}` },
  ],
  [
    'header X-API-Key',
    'errors.form: empty\nversion: header Api-Version\ndelete.effect: remove\n',
    { 'x-api-key': TOKEN },
  ],
];

test.each(ROWS.slice(1, 2))(
  'what there is and who may ask, under a profile with %s',
  async (scheme, settings, credentials) => {
    directory.write('p.yaml', `auth: ${scheme}\n${settings}`);
    directory.write(
      'u.yaml',
      `- { token: "${scheme === 'bearer' ? 'ana.secret' : TOKEN}", id: 7, models: [relationship, customer] }\n`,
    );
    directory.write('a.yaml', 'customer: [{ name: first }]\n');
    directory.write('b.yaml', 'relationship: [{ id: 3, customer2: 99, status: 1 }]\n');
    directory.write('f.yaml', '- { status: 503, match: { model: customer, session: faulty }, times: 1 }\n');
    const users = scheme === 'none' ? [] : ['--users', 'u.yaml'];
    const what = [
      '--profile',
      'p.yaml',
      '--fixtures',
      'a.yaml',
      '--fixtures',
      'b.yaml',
      '--lenient',
      '--watch',
    ];
    const more = ['--records', 'customer=4', '--seed', '3', ...users, '--max-sessions', '2'];
    const who = ['--allow-host', 'mock.lan', '--cors-origin', 'https://app.example', '--references', 'warn'];
    const when = ['--now', '2030-01-01', '--fault', 'f.yaml', '--latency', '10..12', '--journal', '2'];
    const told = ['--control-token', 'hunter2', '--log', 'json', '--json', '--ready-file', 'ready.json'];
    const { child, ended, printed, said, url } = await startMock(...what, ...more, ...who, ...when, ...told);
    expect(printed).toMatch(
      / {2}OpenAPI {6}http:\/\/127\.0\.0\.1:.*\n.*\n {2}warning: b\.yaml:1: relationship 3: customer2 must be the ID of a customer record, but there is no customer 99\.$/m,
    );
    expect(printed).not.toContain('hunter2');
    const get = (path: string, headers: Record<string, string> = credentials) =>
      fetch(url + path, { headers: { ...VERSION, ...headers } });
    const control = async (path: string) => (await fetch(`${url}/__mock${path}`)).json() as Promise<never>;
    const count = async () => [...(await (await get(LIST)).text()).matchAll(/"firstName":/g)].length;

    const ready = { url, pid: child.pid, profile: 'p.yaml', records: 6 };
    expect(JSON.parse(readFileSync(directory.path('ready.json'), 'utf8'))).toMatchObject(ready);
    const faulty = `/__mock/sessions/faulty${LIST}`;
    expect([(await get(faulty)).status, (await get(faulty)).status]).toEqual([503, 200]);
    const customers = await get(LIST, { ...credentials, origin: 'https://app.example' });
    expect(customers.headers.get('access-control-allow-credentials')).toBe('true');
    const others = await get(LIST, { ...credentials, origin: 'https://other.example' });
    expect(others.headers.get('access-control-allow-credentials')).toBeNull();
    expect(await count()).toBe(5);
    if (scheme !== 'none') {
      expect((await get(LIST, {})).status).toBe(401);
      expect((await get('/api/model/brand')).status).toBe(403);
    }
    expect(await statusFor(url, 'mock.lan', { ...VERSION, ...credentials })).toBe(200);
    expect(await statusFor(url, 'evil.lan', { ...VERSION, ...credentials })).toBe(421);
    expect(await control('/requests?minMs=1')).toMatchObject({ requests: [{}, { status: 200 }] });
    expect(await statusFor(url, 'balancer.lan', {}, '/__mock/ready')).toBe(200);
    const foreign = { origin: 'https://app.example' };
    expect((await get('/__mock/health', foreign)).status).toBe(403);
    expect((await get('/__mock/health', { ...foreign, authorization: 'Bearer hunter2' })).status).toBe(200);
    for (const name of ['b', 'c']) await get(`/__mock/sessions/${name}${LIST}`);
    const sessions = [{ name: 'default' }, { name: 'b' }, { name: 'c' }];
    expect(await control('/sessions')).toEqual({ sessions });

    directory.write('a.yaml', 'customer: [{ name: first }, { name: second }]\n');
    await said(/Reloaded\. Sessions now start with 7 records/);
    expect(await count()).toBe(6);
    expect(await control('/sessions')).toEqual({ sessions });
    expect(await control('/clock')).toMatchObject({ now: expect.stringMatching(/^2030-01-01T00:0/) });
    child.kill('SIGINT');
    const events = (await ended).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ level: 'info', event: 'ready', ...ready });
    const met = {
      level: 'error',
      event: 'exchange',
      session: 'faulty',
      path: LIST,
      query: '',
      status: 503,
      fault: '1',
    };
    expect(events[1]).toMatchObject(met);
    expect(events.at(-2)).toMatchObject({ event: 'reloaded', records: 7 });
    expect(existsSync(directory.path('ready.json'))).toBe(false);
  },
);

test.each(ROWS.slice(2))(
  'what is left out and who is let in, under a profile with %s',
  async (scheme, settings, credentials) => {
    directory.write('p.yaml', `auth: ${scheme}\n${settings}`);
    const flags = [
      '--no-control',
      '--references',
      'check',
      '--quiet',
      '--host',
      '0.0.0.0',
      '--fixtures',
      'none',
    ];
    const { child, ended, printed } = await startMock(
      '--profile',
      'p.yaml',
      ...flags,
      '--defect',
      'list.omits-newest:brand',
    );
    expect(printed).toMatch(/request\.references reject[\s\S]*other machines can reach 0\.0\.0\.0/);
    const url = `http://127.0.0.1:${/ on http:\/\/[^:]+:(\d+)/.exec(printed)?.[1]}`;
    const headers = { ...VERSION, ...credentials };
    const create = (model: string, body: object) =>
      fetch(`${url}/api/model/${model}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const refused = await create('deposit', { customer: 99, balance: 1 });
    const text = await refused.text();
    expect([refused.status, text]).toEqual([
      422,
      settings.includes('form: empty')
        ? ''
        : expect.stringContaining('/customer must be the ID of an existing customer record, but is 99'),
    ]);
    expect((await fetch(`${url}/__mock/health`, { headers })).status).toBe(404);
    for (const name of ['Altura', 'Bosque']) expect((await create('brand', { name })).status).toBe(201);
    const brands = await fetch(`${url}/api/model/brand`, { headers });
    expect(await brands.text()).toMatch(/^(?!.*Bosque).*Altura/);
    const session = await fetch(`${url}/__mock/sessions/a/api/model/brand`, { headers });
    expect(session.status).toBe(200);
    child.kill('SIGINT');
    const { stderr, stdout } = await ended;
    expect((stdout + stderr).slice(printed.length)).toMatch(/^\s*Stopping[^\n]*\n$/);
  },
);

function statusFor(
  url: string,
  host: string,
  headers: Record<string, string>,
  path = LIST,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url + path, { headers: { ...headers, host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
