import { expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { startMockService, useService } from '../../testing/mock-service.ts';

const { closing } = useService();

test('a service that rejects an empty string in a create and accepts it in an update fails', async () => {
  const blank = new Set<string>();
  const service = await startMockService({}, (answer) => async (request, sent) => {
    const { method, url = '' } = request;
    const isBlanked = method === 'POST' && /\/brand\/\d+$/.test(url) && sent.includes('"name":""');
    if (isBlanked) blank.add(url);
    if (!blank.has(url) || method === 'DELETE') return answer(request, sent);
    if (isBlanked) request.method = 'GET';
    const reply = await answer(request, isBlanked ? '' : sent);
    return { ...reply, body: { ...(reply.body as object), name: '' } };
  });
  const rules = ['profile.request.blankStrings'];
  const failed = against(await check(closing(service).url, { models: ['brand'], rules }));
  expect(failed.map(({ id }) => id)).toEqual(['profile.request.blankStrings:brand']);
});
