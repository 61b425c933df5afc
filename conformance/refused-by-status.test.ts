import { describe, expect, test } from 'vitest';
import { check } from '../testing/checks.ts';
import { startMockService, useService } from '../testing/mock-service.ts';
import { complaints, learnAndCheck, learnTerms } from '../testing/use-foreign-service.ts';

const { closing } = useService();

/** Every body that the service finds invalid, readonly fields among them, is answered with the status. */
async function refuseWith(status: number): Promise<string> {
  const settings = { 'request.readonlyFields': 'reject' };
  const service = await startMockService({ settings }, (answer) => async (request, body) => {
    const reply = await answer(request, body);
    return reply.status === 422 ? { status, body: { code: '42501', message: 'permission denied' } } : reply;
  });
  return closing(service).url;
}

const MODELS = ['brand', 'stockOrder'];

describe('a request that is refused only for what is in it', () => {
  test.each([401, 404])('counts as refused with %i', async (status) => {
    const rules = ['operations', 'readonly', 'required', 'fields'];
    const results = await learnAndCheck(await refuseWith(status), { models: MODELS, rules });
    expect(complaints(results)).toEqual([]);
    const judged = results.cases.filter(({ rule }) => /^(readonly|required|fields\.wrong)/.test(rule));
    expect(judged.filter(({ outcome }) => outcome === 'pass').length).toBe(judged.length);
  });

  test.each([403])('counts as refused with %i where no other update is sent', async (status) => {
    const rules = ['readonly.on-update', 'fields.wrong-type-on-update', 'required.on-update'];
    const url = await refuseWith(status);
    const terms = await learnTerms(url, { models: MODELS });
    for (const rule of rules)
      expect(complaints(await check(url, { ...terms, models: MODELS, rules: [rule] }))).toEqual([]);
  });

  test.each([425])('does not count as refused with %i', async (status) => {
    const rules = ['readonly', 'required.on-create', 'required.on-update', 'fields.wrong-type-on-create'];
    const { counts } = await check(await refuseWith(status), { models: ['brand'], rules });
    expect(counts).toMatchObject({ pass: 0, fail: 0 });
    expect(counts.blocked).toBeGreaterThan(5);
  });
});

test('credentials that may not write at all block, whatever the status', async () => {
  const service = await startMockService(
    {},
    (answer) => async (request, body) => (request.method === 'GET' ? answer(request, body) : { status: 403 }),
  );
  const { cases } = await check(closing(service).url, { models: ['brand'], rules: ['readonly', 'required'] });
  expect(new Set(cases.map(({ outcome }) => outcome))).toEqual(new Set(['blocked']));
});
