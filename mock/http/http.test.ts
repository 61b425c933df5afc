import { afterAll, describe, expect, test } from 'vitest';
import { problem, serveMock } from '../../testing/mocks/control.ts';
import { FEW_MODELS } from '../../testing/mocks/mocks.ts';
import { createGuard, createHostCheck } from './http.ts';

const started = await serveMock({ ...FEW_MODELS, control: { token: 'let-me-in' } }, ['mock.team.example']);
afterAll(() => started.mock.close());

const health = (headers: Record<string, string>) => started.ask('GET', '/__mock/health', undefined, headers);

describe('the control API', () => {
  test.each([
    {},
    { host: 'localhost:4010' },
    { host: '[::1]:80' },
    { origin: 'http://localhost:5173' },
    { origin: 'http://[::1]:5173' },
    { origin: 'https://127.0.0.1' },
    { origin: 'https://app.example', authorization: 'Bearer let-me-in' },
    { host: 'mock.team.example', authorization: 'bearer let-me-in' },
    { 'x-forwarded-for': '203.0.113.9', authorization: 'Bearer let-me-in' },
  ])('accepts requests with the headers %o', async (headers) => {
    expect(await health(headers)).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  test.each<readonly [wayOut: string, headers: Record<string, string>]>([
    ['--cors-origin https://app.example', { origin: 'https://app.example' }],
    ['--cors-origin ORIGIN', { origin: 'null' }],
    ['--cors-origin', { origin: 'http://evil.localhost:5173' }],
    ['--cors-origin', { origin: 'http://localhost.evil.example' }],
    ['--cors-origin', { origin: 'http://127.0.0.1.evil.example' }],
    ['--control-token', { host: 'mock.team.example' }],
    ['--control-token', { host: 'mock.team.example', authorization: 'Bearer let-me-out' }],
    ['--control-token', { forwarded: 'for=203.0.113.9' }],
    ['--control-token', { 'x-forwarded-for': '203.0.113.9' }],
    ['--control-token', { 'x-forwarded-for': '127.0.0.1' }],
    ['--control-token', { 'x-real-ip': '203.0.113.9' }],
    ['--control-token', { via: '1.1 proxy', authorization: 'Bearer let-me-out' }],
  ])('names %s in its rejection of %o, and changes nothing', async (wayOut, headers) => {
    await started.ask('POST', '/api/model/warehouse', { name: 'a' });
    const refused = await started.ask('POST', '/__mock/reset', undefined, headers);
    expect(refused).toMatchObject(problem(403, wayOut));
    expect(await health(headers)).toMatchObject({ status: 403 });
    expect((await started.ask('GET', '/api/model/warehouse')).body).not.toEqual([]);
  });

  test('rejects other machines, and accepts the same process', () => {
    const guard = createGuard(undefined);
    const asked = (peer: string | undefined) =>
      guard({ method: 'GET', target: '/', headers: { host: 'localhost' }, peer });
    expect([asked(undefined), asked('127.0.0.1'), asked('::1'), asked('::ffff:127.0.0.1')]).toEqual(
      Array(4).fill(undefined),
    );
    for (const peer of ['192.168.1.2', '::ffff:10.0.0.1', '128.0.0.1'])
      expect(asked(peer)).toMatch(
        /Only programs and pages on this machine can use the control API\. To use it from elsewhere, start the mock with --control-token\./,
      );
  });

  test('does not change responses of the API', async () => {
    const options = { ...FEW_MODELS, clock: () => new Date(0) };
    await using on = await serveMock(options);
    await using off = await serveMock({ ...options, control: false });
    const list = '/api/model/warehouse';
    for (const request of [
      ...[`POST ${list} {"name":"a"}`, `POST ${list} {}`, `GET ${list}`, `GET ${list}?nonsense=1`],
      ...[`POST ${list}/1 {"name":"b"}`, `GET ${list}/1`, `DELETE ${list}/1`, `GET ${list}/1`],
      ...[`PUT ${list}`, `HEAD ${list}`, 'GET /', 'GET /openapi.json', 'GET /api/model/none'],
    ]) {
      const [method = '', path = '', sent] = request.split(' ');
      const answers = await Promise.all([on, off].map(({ ask }) => ask(method, path, sent)));
      const [shown, expected] = answers.map((one) => ({ ...one, headers: { ...one.headers, date: '' } }));
      expect([request, shown]).toEqual([request, expected]);
    }
  });

  test('leaves the API open to other machines, even with a session prefix', async () => {
    const foreign = { host: 'mock.team.example', 'x-forwarded-for': '203.0.113.9' };
    for (const path of ['/api/model/warehouse', '/__mock/sessions/a/api/model/warehouse'])
      expect((await started.ask('GET', path, undefined, foreign)).status).toBe(200);
    const control = '/__mock/sessions/a/__mock/reset';
    expect((await started.ask('POST', control, undefined, foreign)).status).toBe(403);
  });
});

test('a request for an unknown host is rejected with 421', async () => {
  const refused = await started.ask('GET', '/api/model/warehouse', undefined, { host: 'evil.example' });
  expect(refused).toMatchObject(problem(421, '--allow-host'));
});

test.each<[string, string[], string, boolean]>([
  ['127.0.0.1', [], 'LOCALHOST.:80', true],
  ['127.0.0.1', [], 'evil.localhost', false],
  ['127.0.0.1', [], 'localhost.evil.example', false],
  ['127.0.0.1', [], '127.0.0.1.nip.io', false],
  ['127.0.0.1', [], '192.168.1.2', false],
  ['mock.lan', [], 'mock.lan:4010', true],
  ['mock.lan', [], 'other.lan', false],
  ['0.0.0.0', [], '127.0.0.1', true],
  ['0.0.0.0', [], '203.0.113.9', false],
  ['127.0.0.1', ['*'], 'any.example', true],
  ['127.0.0.1', ['Team.Example'], 'team.example:80', true],
  ['127.0.0.1', [], '', false],
])(
  'whether a mock that listens at %s and allows %j accepts the host %s: %s',
  (listening, allowed, host, known) => {
    expect(createHostCheck(listening, allowed)(host)).toBe(known);
  },
);

/** Paths that a proxy or a file server could resolve to another one. */
const DOTTED = [
  '/api/model/../../__mock/reset',
  '/api/model/%2e%2e/%2E./__mock/reset',
  '/api/model/..\\..\\__mock/reset',
  '/api/model/..%2F..%5C__mock/reset',
  '/__mock/images/../reset',
  '/__mock/./reset',
  '/__mock/sessions/../__mock/reset',
  '/__mock/sessions/./__mock/reset',
  '/api/model/brand/1/..?limit=1',
  'http://localhost/api/../__mock/reset',
];

test.each<[Record<string, unknown>, string]>([
  [{}, 'detail'],
  [{ 'errors.form': 'simple' }, 'error'],
])('the mock rejects a path with a dot segment, under %j', async (profile, member) => {
  await using started = await serveMock({ profile, fixtures: {} });
  await started.mock.records('brand').create({ name: 'Altura' });
  for (const path of DOTTED) {
    const { body, status } = await started.ask('POST', path, {});
    expect([path, status, body[member]]).toEqual([
      path,
      400,
      'The path contains a dot segment (. or ..). Send the path without it.',
    ]);
  }
  expect((await started.mock.records('brand').list()).records).toHaveLength(1);
  expect(await started.mock.sessions()).toEqual(['default']);
});

test('other paths with dots are accepted', async () => {
  await using started = await serveMock({ fixtures: {} });
  for (const path of [
    '/openapi.json',
    '/__mock/sessions/v1..2/api/model/brand?name=../x',
    '/api/model/brand?x=/../',
  ])
    expect([path, (await started.ask('GET', path)).status]).not.toEqual([path, 400]);
  for (const path of ['/api/model/brand/1.', '/api/model/.hidden', '/api/model/...'])
    expect([path, (await started.ask('GET', path)).status]).toEqual([path, 404]);
});

test.each(['/api/model/%2e%2e', '/__mock/sessions/a%2fb/x'])(
  'the rejection of HEAD %s has no body',
  async (target) => {
    await using started = await serveMock({ fixtures: {} });
    const answer = await started.mock.handle({ method: 'HEAD', target, headers: {} });
    expect(answer).toMatchObject({ status: 400, body: '' });
  },
);
