import SwaggerParser from '@apidevtools/swagger-parser';
import type { OpenAPIV3_1 } from 'openapi-types';
import { afterAll, describe, expect, test } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { describeContract } from '../../spec/meta/meta.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { serveMock } from '../../testing/mocks/control.ts';
import { few, references } from '../../testing/mocks/mocks.ts';
import { connectMock } from '../adapters/remote.ts';

const started = await serveMock({ catalogue: few, references, fixtures: new Map() });
afterAll(() => started.mock.close());

const base = { catalogue: few, references, fixtures: new Map() };

test('the control plane is described by a valid document of its own, and all of it is there', async () => {
  const { body } = await started.ask<Documented>('GET', '/__mock/openapi.json');
  const { paths } = body;
  await SwaggerParser.validate(structuredClone(body));
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { responses, summary }] of Object.entries(methods)) {
      expect(summary).toMatch(/^[A-Z].*\.$/);
      if (path.endsWith('/events')) continue;
      const sent = ['post', 'put', 'patch'].includes(method) ? {} : undefined;
      const real = path.replace(/\{\w+\}/, 'none');
      const { status } = await started.ask(method.toUpperCase(), real, sent);
      expect([`${method} ${path}`, Object.keys(responses)]).toEqual([
        `${method} ${path}`,
        expect.arrayContaining([String(status)]),
      ]);
    }
});

test('it says of itself how it is, and of a wrong request what is legal', async () => {
  const { ask } = started;
  expect((await ask('GET', '/__mock/health')).body).toEqual({
    status: 'ok',
    version: few.version,
    profile: 'default',
    sessions: 1,
  });
  expect((await ask('GET', '/__mock/profile')).body).toMatchObject({ 'request.encoding': 'json' });
  const wrong = await ask('PUT', '/__mock/reset');
  expect([wrong.status, wrong.headers.allow]).toEqual([405, 'POST']);
  expect((await ask('GET', '/__mock/nothing')).body.detail).toContain(
    'The control API has no /__mock/nothing. GET /__mock/openapi.json lists its endpoints.',
  );
  expect((await ask('POST', '/__mock/snapshots', '{')).body.detail).toMatch(/^The body is not valid JSON: /);
  const head = await ask('HEAD', '/__mock/health');
  expect([head.status, head.body]).toEqual([200, '']);
  expect((await ask('GET', '/api/model/__mock')).status).toBe(404);
});

describe.each(['/__mock/live', '/__mock/ready'])('%s', (path) => {
  test.each([
    { host: 'balancer.example' },
    { 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.7', via: '1.1 balancer' },
    { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
  ])('is open to a client that sends %o', async (headers) => {
    await using started = await serveMock(base);
    const { body, status } = await started.ask('GET', path, undefined, headers as never);
    expect([status, body]).toEqual([200, { status: 'ok' }]);
    expect((await started.ask('HEAD', `${path}?from=balancer`, undefined, headers as never)).status).toBe(
      200,
    );
  });

  test('is open to other machines, and without the control API', async () => {
    await using started = await serveMock({ ...base, control: false });
    expect((await started.ask('GET', path)).status).toBe(200);
    const answer = await started.mock.handle({ method: 'GET', target: path, headers: {}, peer: '192.0.2.7' });
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect((await started.ask('GET', '/__mock/health')).status).toBe(404);
  });

  test('opens no session, and writes nothing to the request log', async () => {
    await using started = await serveMock(base);
    expect((await started.ask('GET', path, undefined, { 'x-mock-session': 'new' })).status).toBe(200);
    expect(await started.mock.sessions()).toEqual(['default']);
    expect(await started.mock.count()).toBe(0);
    expect((await started.ask('POST', path)).status).toBe(405);
  });
});

type Documented = Pick<OpenAPIV3_1.Document, 'openapi' | 'info'> & {
  readonly paths: Record<string, Record<string, { responses: Record<string, unknown>; summary: string }>>;
};

test('the facts of the contract are the same over HTTP, in the process, and remote', async () => {
  const contract = loadContract();
  const profile = createProfile({ limits: { text: 80 }, 'delete.effect': 'remove' }, contract.catalogue);
  await using served = await serveMock({ profile });
  const facts = JSON.parse(JSON.stringify(describeContract({ ...contract, profile })));
  expect((await served.ask('GET', '/__mock/contract')).body).toEqual(facts);
  expect(await served.mock.session('a').contract()).toEqual(facts);
  expect(await connectMock(served.url).session('a').contract()).toEqual(facts);
  expect(facts.models.brand.fields.at(-1)).toMatchObject({ name: 'name', maxLength: 80 });
  expect(facts.profile.find(({ setting }: { setting: string }) => setting === 'limits.text').value).toBe(80);
});
