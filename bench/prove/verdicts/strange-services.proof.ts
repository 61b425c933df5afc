import { expect, it } from 'vitest';
import { catalogue } from '../../../testing/checks.ts';
import { observe } from '../../../testing/profile/learning.ts';
import { useStrangeService } from '../../../testing/profile/strange-service.ts';

const { learn, mockBehind } = useStrangeService();

it('if all writes of a service crash, learn stops writing, and leaves settings unknown', async () => {
  const baseUrl = await mockBehind(({ method }) =>
    method === 'GET' ? undefined : { status: 500, body: { error: 'out of order' } },
  );
  const { learned, sent } = await observe({ baseUrl }, { selected: undefined });
  expect(sent.filter(({ method }) => method !== 'GET').length).toBeLessThan(10);
  expect(learned.settings.get('request.encoding')).toMatchObject({
    kind: 'unknown',
    reason: expect.stringContaining('no record could be created: POST /api/model/lockerType returned'),
  });
  expect(learned.settings.get('types.currency')).toMatchObject({ kind: 'found', value: 'number' });
  expect(learned.settings.get('delete.effect')).toMatchObject({ kind: 'unknown' });
});

it('if the order of lists changes with each request, learn leaves paging and sorting unknown', async () => {
  let turn = 0;
  const baseUrl = await mockBehind(async (asked, _, { perform }) => {
    if (asked.method !== 'GET' || /\/model\/\w+\/./.test(asked.path)) return undefined;
    const reply = await perform(asked);
    const shown: unknown = JSON.parse(reply.body);
    if (!Array.isArray(shown) || shown.length === 0) return reply;
    const moved = turn++ % shown.length;
    return { ...reply, body: [...shown.slice(moved), ...shown.slice(0, moved)] };
  });
  const { learned } = await observe({ baseUrl });
  for (const setting of ['list.paging', 'list.sort'] as const)
    expect(learned.settings.get(setting)).toEqual({
      kind: 'unknown',
      reason: expect.stringMatching(/^the order of the list of crmContact changes between requests$/),
    });
  expect(learned.leftovers).toEqual([]);
});

it('if deletes succeed without effect, learn reports the leftovers, and leaves the effect unknown', async () => {
  const baseUrl = await mockBehind(({ method }) => (method === 'DELETE' ? { status: 204 } : undefined));
  const { learned } = await observe({ baseUrl });
  expect(learned.leftovers.length).toBeGreaterThan(5);
  expect(learned.settings.get('status.deleted')).toMatchObject({ kind: 'found', value: 204 });
  expect(learned.settings.get('delete.effect')).toMatchObject({
    kind: 'unknown',
    reason: 'a delete returned 204 but did not change the record',
  });
});

it.each([[null], [{ user: null, ok: true }], [{ count: 0 }], [{ error: null, data: { id: 1, name: 'x' } }]])(
  'if a service responds to everything with %j, which can be an empty list, learn sends no writes',
  async (body) => {
    const { learned, sent } = await learn(() => ({ body }), { write: true });
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(learned.warning).toBe('no list succeeded');
  },
);

it('if a service rejects unknown models, learn accepts null as an empty list', async () => {
  const known = (url: URL) => catalogue.models.has(url.pathname.split('/')[3] ?? '');
  const { learned } = await learn((url) => (known(url) ? { body: null } : { status: 404 }));
  expect(learned.warning).toBe(undefined);
});
