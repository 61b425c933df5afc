import { describe, expect, it } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { check } from '../../testing/checks.ts';
import { catalogue, observe } from '../../testing/profile/learning.ts';
import { useStrangeService } from '../../testing/profile/strange-service.ts';
import { profile, useFaultyService } from '../../testing/use-faulty-service.ts';

const { mockBehind } = useStrangeService();
const { start } = useFaultyService();

it('the limit of texts stays unknown if two types of texts have different limits', async () => {
  const baseUrl = await mockBehind((_, _request, response, body) => {
    if (!/"name":"x{41}/.test(body)) return false;
    response.writeHead(422).end();
    return true;
  });
  const { learned } = await observe({ baseUrl }, { selected: new Set(['brand', 'taskComment']) });
  expect(learned.settings.get('limits.text')).toEqual({
    kind: 'unknown',
    reason: expect.stringMatching(
      /^brand\.name accepts \d+ characters, but taskComment\.body accepts another number$/,
    ),
  });
});

describe('a service that has or allows only a part', () => {
  it('is learned from the models that it has, and whose records can be created', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      const isMissing = /\/(taskComment|voucherPrice)(\/|\?|$)/.test(request.url ?? '');
      const isForbidden = request.method === 'POST' && /\/(brand|warehouse)$/.test(request.url ?? '');
      if (isMissing || isForbidden) response.writeHead(isMissing ? 404 : 403).end();
      return isMissing || isForbidden;
    });
    const { learned, sent } = await observe({ baseUrl });
    const unknown = [...learned.settings].flatMap(([name, { kind }]) => (kind === 'unknown' ? name : []));
    expect(unknown).toEqual(['limits.rate']);
    expect(sent.filter(({ method, path }) => method === 'POST' && path.endsWith('/taskComment'))).toEqual([]);
  });

  it('gets records that must link to two others', async () => {
    let taken = 0;
    const baseUrl = await mockBehind((_, request, response, body) => {
      if (request.method !== 'POST' || !request.url?.endsWith('/relationship')) return false;
      const [, one, other] = /"customer":(\d+),"customer2":(\d+)/.exec(body) ?? [];
      if (one !== other) taken++;
      else response.writeHead(422).end();
      return one === other;
    });
    await observe({ baseUrl }, { selected: new Set(['customer', 'relationship']) });
    expect(taken).toBeGreaterThan(0);
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
    const { learned } = await observe({ baseUrl }, { selected: new Set(['brand', 'stockOrder']) });
    const { 'stockOrder.status': ofOrder } = moves;
    expect(learned.profile.transitions).toEqual({ 'stockOrder.status': { new: [0], ...ofOrder } });
  });
});

it('a list that cannot be read is no proof that it has no total', async () => {
  const first = (method: string, path: string) =>
    method === 'GET' && path === '/api/model/brand' ? { status: 500 } : undefined;
  const { url } = await start({ faults: { first } });
  const rules = ['profile.response.total'];
  const { cases } = await check(url, { profile, models: ['brand'], rules, looks: [0] });
  expect(cases.map(({ outcome }) => outcome)).toEqual(['skip']);
});
