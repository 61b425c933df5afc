import { describe, expect, test } from 'vitest';
import { createMock } from '../mock/mock.ts';
import { createProfile } from '../spec/profile/profile.ts';
import { createInProcessTarget, credentialsFor } from './in-process-target.ts';
import { catalogue, references } from './mocks/mocks.ts';

describe('a target in the same process', () => {
  test('counts, records without secrets, and leaves credentials out when told to', async () => {
    const profile = createProfile({ auth: 'header X-API-Key' }, catalogue);
    const mock = await createMock({ catalogue, references, profile });
    const target = createInProcessTarget(mock, credentialsFor(profile));
    const shown: string[] = [];
    const ask = async (without?: 'credentials') => {
      const request = { method: 'GET', path: '/api/model/brand', query: { limit: '1' } };
      const response = await target.send({ ...request, ...(without ? { without } : {}) }, (exchange) =>
        shown.push(JSON.stringify(exchange.request)),
      );
      return response.status;
    };
    expect([await ask(), await ask('credentials'), target.requests()]).toEqual([200, 401, 2]);
    expect(shown.join()).toContain('/api/model/brand?limit=1');
    expect(shown.join()).not.toContain('key"');
  });
});
