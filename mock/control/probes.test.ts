import { describe, expect, test } from 'vitest';
import { serveMock } from '../../testing/mocks/control.ts';
import { few, references } from '../../testing/mocks/mocks.ts';

const base = { catalogue: few, references, fixtures: new Map() };

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
