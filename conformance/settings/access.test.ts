import { expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { checkMock, startMockService, useService } from '../../testing/mock-service.ts';

const { closing } = useService();

test.each(['GET', 'POST', 'DELETE'])('a %s of a record that needs no credentials fails', async (open) => {
  const settings = { auth: 'bearer' };
  const service = await startMockService({ settings }, (answer) => (request, sent) => {
    if (request.method === open && /\/\d+$/.test(request.url ?? '')) Object.assign(request.headers, known);
    return answer(request, sent);
  });
  const known = service.credentials;
  const connection = { credentials: service.credentials };
  const results = await check(closing(service).url, { connection, settings, models: ['brand'] });
  expect(against(results)).toMatchObject([
    {
      id: 'profile.auth:brand',
      message: expect.stringMatching(`^${open} /api/model/brand/\\d+ without credentials`),
    },
  ]);
});

test('a mark of deletion in an unknown form is not judged', async () => {
  const plan = { settings: { 'types.bool': 'unknown' }, models: ['brand'], rules: ['operations'] };
  const results = await checkMock(plan, (answer) => async (request, sent) => {
    const reply = await answer(request, sent);
    const shown = JSON.stringify(reply.body ?? null).replaceAll(
      /"deleted":(true|false)/g,
      (_, is) => `"deleted":"${is}"`,
    );
    return { ...reply, body: JSON.parse(shown) };
  });
  expect(against(results)).toEqual([]);
  expect(results.cases.find(({ id }) => id === 'operations.delete:brand')).toMatchObject({ outcome: 'skip' });
});
