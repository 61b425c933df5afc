import { describe, expect, it } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { check } from '../../testing/checks.ts';
import { catalogue, observe } from '../../testing/profile/learning.ts';
import { useStrangeService } from '../../testing/profile/strange-service.ts';
import { profile, useFaultyService } from '../../testing/use-faulty-service.ts';

const { mockBehind } = useStrangeService();
const { start } = useFaultyService();

describe('a limit of texts', () => {
  it('stays unknown where another type of them has another one', async () => {
    const baseUrl = await mockBehind((_, _request, response, body) => {
      if (!/"name":"x{41}/.test(body)) return false;
      response.writeHead(422).end();
      return true;
    });
    const { learned } = await observe({ baseUrl });
    expect(learned.settings.get('limits.text')).toEqual({
      kind: 'unknown',
      reason: expect.stringMatching(
        /^brand\.name accepts \d+ characters, but taskComment\.body accepts another number$/,
      ),
    });
  });
});

describe('a service that has or allows only a part', () => {
  it('is learned from the models it has', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      const missing = /\/(brand|taskComment|warehouse)(\/|\?|$)/.test(request.url ?? '');
      if (missing) response.writeHead(404).end();
      return missing;
    });
    const { learned, sent } = await observe({ baseUrl });
    expect(learned.settings.get('delete.effect')).toMatchObject({ kind: 'found', value: 'mark' });
    expect(sent.filter(({ method, path }) => method === 'POST' && path.endsWith('/brand'))).toEqual([]);
  });

  it('is learned from the models whose records may be made', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      const forbidden = request.method === 'POST' && /\/(brand|warehouse)$/.test(request.url ?? '');
      if (forbidden) response.writeHead(403).end();
      return forbidden;
    });
    const { learned } = await observe({ baseUrl });
    const unknown = [...learned.settings].flatMap(([name, { kind }]) => (kind === 'unknown' ? name : []));
    expect(unknown).toEqual(['limits.rate']);
  });

  it('shows the moves of states in which no record can be made', async () => {
    const moves = { 'stockOrder.status': { 0: [1], 1: [2, 3], 2: [3], 3: [] } };
    const baseUrl = await mockBehind(
      (_, request, response, body) => {
        const begun =
          request.method === 'POST' && request.url?.endsWith('/stockOrder') && !body.includes('"status":0');
        if (begun) response.writeHead(422).end();
        return begun === true;
      },
      createProfile({ transitions: moves }, catalogue),
    );
    const { learned } = await observe({ baseUrl });
    const { 'stockOrder.status': ofOrder } = moves;
    expect(learned.profile.transitions).toEqual({ 'stockOrder.status': { new: [0], ...ofOrder } });
  });
});

it('a list that cannot be read is no proof that it has no total', async () => {
  const first = (method: string, path: string) =>
    method === 'GET' && path === '/api/model/brand' ? { status: 500 } : undefined;
  const { url } = await start({ faults: { first } });
  const { cases } = await check(url, {
    profile,
    models: ['brand'],
    rules: ['profile.response.total'],
    looks: [0],
  });
  expect(cases.map(({ outcome }) => outcome)).toEqual(['skip']);
});
