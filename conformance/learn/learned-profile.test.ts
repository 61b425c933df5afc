import { describe, expect, it } from 'vitest';
import { listen } from '../../mock/http/server.ts';
import { createMock } from '../../mock/mock.ts';
import { DEFAULT_PROFILE, placeIn } from '../../spec/profile/profile.ts';
import { demo } from '../../testing/demo.ts';
import { credentialsFor } from '../../testing/in-process-target.ts';
import { catalogue, farProfiles, observe, observeMock, references } from '../../testing/profile/learning.ts';
import { runSuite } from '../run.ts';
import { createTarget } from '../target/target.ts';

describe('a learned profile', () => {
  const profile = farProfiles()[1] ?? DEFAULT_PROFILE;

  it('makes the suite pass', async () => {
    const mock = await createMock({ catalogue, references, profile, fixtures: demo });
    const server = await listen(mock, { port: 0, host: '127.0.0.1' });
    const options = { baseUrl: server.url, credentials: credentialsFor(profile) };
    const { learned } = await observe(options);
    const target = createTarget(options);
    const selection = { models: ['brand', 'relationship', 'voucherType', 'stockOrder'] };
    const bad: string[] = [];
    for await (const event of runSuite({
      catalogue,
      references,
      selection,
      target,
      profile: learned.profile,
      profileName: 'learned',
    }))
      if (event.type === 'end')
        for (const { id, outcome, message } of event.results.cases)
          if (outcome !== 'pass' && outcome !== 'skip') bad.push(`${outcome} ${id}: ${message}`);
    expect(bad).toEqual([]);
    await target.close();
    await server.close();
  });

  it('makes the mock answer like the service', async () => {
    const { learned } = await observeMock(profile, 'demo');
    const clock = () => new Date('2025-10-22T09:30:00Z');
    const [service, mock] = await Promise.all(
      [profile, learned.profile].map((spoken) =>
        createMock({ catalogue, references, profile: spoken, fixtures: demo, clock }),
      ),
    );
    const headers = { ...credentialsFor(profile), [placeIn(profile.version)?.name ?? '']: catalogue.version };
    const asked: [string, RequestInit][] = [
      ['voucher', {}],
      ['voucherTransaction', {}],
      ['customer/1', {}],
      ['stockOrder/1', {}],
      ['brand/99', {}],
      ['brandd', {}],
      ['brand/1', { method: 'PATCH' }],
      [
        'brand',
        { method: 'POST', body: '{"name":"Ñandú"}', headers: { 'content-type': 'application/json' } },
      ],
      ['brand', { method: 'POST', body: '{"id":7}', headers: { 'content-type': 'application/json' } }],
      ['brand', { method: 'POST', body: 'x' }],
      ['relationship/1', { method: 'DELETE' }],
    ];
    for (const [path, init] of asked) {
      const request = () =>
        new Request(`http://mock${catalogue.base}/${path}`, {
          ...init,
          headers: { ...headers, ...(init.headers as Record<string, string>) },
        });
      const [one, other] = [await service?.fetch(request()), await mock?.fetch(request())];
      expect([path, other?.status, await other?.text()]).toEqual([path, one?.status, await one?.text()]);
    }
  });
});
