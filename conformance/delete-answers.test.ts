import { expect, test } from 'vitest';
import { find, startMockService, useService } from '../testing/mock-service.ts';
import { complaints, learnAndCheck } from '../testing/use-foreign-service.ts';

const { closing } = useService();

test.each([
  ['/data', { id: 3, deleted: true }, 'pass'],
  ['', { success: true, id: 3 }, 'pass'],
  ['/data', 'gone', 'skip'],
])('a service with records at "%s" may respond to a delete with %j', async (place, body, outcome) => {
  const settings = { 'response.record': place, 'response.records': place, 'response.total': 'none' };
  const service = await startMockService({ settings }, (answer) => async (request, sent) => {
    const reply = await answer(request, sent);
    const id = Number(request.url?.split('/').at(-1));
    if (request.method !== 'DELETE' || reply.status !== 200) return reply;
    return { status: 200, body: typeof body === 'object' && 'id' in body ? { ...body, id } : body };
  });
  const results = await learnAndCheck(closing(service).url, { models: ['brand', 'locker', 'crmContact'] });
  expect(complaints(results)).toEqual([]);
  expect(find(results, 'profile.delete.answer:brand').outcome).toBe(outcome);
});
