import { expect, test } from 'vitest';
import { serveMock } from '../../testing/mocks/control.ts';
import { useForwarding } from '../../testing/mocks/use-forwarding.ts';

const { serve, startForwarding } = useForwarding();

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
])('the mock refuses a path with a dot segment, under %j', async (profile, member) => {
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

test('other paths with dots are not refused', async () => {
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

test('the mock forwards no path with a dot segment, which could leave the base path of the service', async () => {
  const paths: string[] = [];
  const upstream = await serve(({ url = '' }, response) => {
    paths.push(url);
    response.end();
  });
  const mock = await startForwarding(`${upstream}/v1`);
  for (const path of DOTTED) expect([path, (await mock.ask('GET', path)).status]).toEqual([path, 400]);
  expect(paths).toEqual([]);
});

test.each(['/api/model/%2e%2e', '/__mock/sessions/a%2fb/x'])(
  'the refusal of HEAD %s has no body',
  async (target) => {
    await using started = await serveMock({ fixtures: {} });
    const answer = await started.mock.handle({ method: 'HEAD', target, headers: {} });
    expect(answer).toMatchObject({ status: 400, body: '' });
  },
);
