import { expect, it, test } from 'vitest';
import { catalogue } from '../../testing/checks.ts';
import { startMockService } from '../../testing/mock-service.ts';
import { observe } from '../../testing/profile/learning.ts';
import { IDS, recordsOf, useStrangeService } from '../../testing/profile/strange-service.ts';
import { lateLists } from '../../testing/proxies/late-lists.ts';
import { startRecordingProxy } from '../../testing/proxies/recording-proxy.ts';
import { learn, useForeignService } from '../../testing/use-foreign-service.ts';
import { NoAnswer } from '../target/exchange.ts';

const { learn: learnStrange, mockBehind, start } = useStrangeService();

it('a service that does not answer ends learning after a few requests when it is unavailable, and says so', async () => {
  let requests = 0;
  const baseUrl = await start(() => {
    requests++;
    return { status: 503, headers: { 'retry-after': '0' } };
  });
  const learning = observe({ baseUrl });
  await expect(learning).rejects.toThrow(NoAnswer);
  await expect(learning).rejects.toThrow(/\/api\/model\/\w+ returned 503: the service is unavailable/);
  expect(requests).toBeLessThan(11);
});

it('a service that does not answer is learned all the same when one model is unavailable', async () => {
  const [first] = catalogue.models.keys();
  const { found } = await learnStrange((url) =>
    url.pathname.endsWith(`/${first}`)
      ? { status: 503, headers: { 'retry-after': '0' } }
      : { body: recordsOf(IDS) },
  );
  expect(found('auth')).toBe('none');
});

it('a service that does not answer ends learning when it lets nobody ask any more, and what was made is removed', async () => {
  let creates = 0;
  const removed: string[] = [];
  const baseUrl = await mockBehind(({ method, path }) => {
    if (method === 'DELETE') removed.push(path);
    return method === 'POST' && ++creates > 20 ? { status: 429 } : undefined;
  });
  const learning = observe({ baseUrl, pauses: [0, 0] });
  await expect(learning).rejects.toMatchObject({ name: 'NoAnswer', gone: true });
  await expect(learning).rejects.toThrow(
    /^POST \S+ returned 429 \(too many requests\) 3 times; pass --rate N to send at most N requests per second$/,
  );
  expect(removed.length).toBeGreaterThan(2);
});

it('a service that does not answer ends learning when it goes away, and what was made is named', async () => {
  let writes = 0;
  const baseUrl = await mockBehind(({ method }) => {
    if (method !== 'GET') writes++;
    return writes > 6 ? new Error('gone') : undefined;
  });
  await expect(observe({ baseUrl })).rejects.toThrow(/not removed: .*\/\d+/);
});

const { closing, serve } = useForeignService();

test.each(['with records', 'empty'])(
  'days from 0 to 6 are told from days from 1 to 7, beginning %s',
  async (begins) => {
    const url = await serve('days=from zero', `begins=${begins}`);
    const { profile, settings } = await learn(url, { models: ['brand', 'voucher', 'voucherType'] });
    expect([settings.get('types.daysOfWeek')?.kind, profile['types.daysOfWeek']]).toEqual(['found', 'index']);
  },
);

test('what a refusal names beside the values of a list, as null, is none where it is refused', async () => {
  const message = '"language" must be one of [es, en, null, ]';
  const proxy = await startRecordingProxy(await serve(), ({ body }) => {
    const language = /"language":"(.*?)"/.exec(body)?.[1] ?? 'es';
    return ['es', 'en'].includes(language) ? undefined : { status: 422, body: { message } };
  });
  const { leftovers, profile, settings } = await learn(closing(proxy).url, { models: ['brand', 'customer'] });
  const values = { 'customer.language': ['es', 'en'] };
  expect([settings.get('values')?.kind, profile.values, leftovers]).toEqual(['found', values, []]);
});

test('lists that show a write after a while have no deviations', async () => {
  const service = closing(await startMockService({ settings: { 'delete.effect': 'mark-listed' } }));
  const { url } = closing(await startRecordingProxy(service.url, lateLists(400)));
  const { profile } = await learn(url, { models: ['brand', 'warehouse', 'locker'] });
  expect([profile['delete.effect'], profile.except]).toEqual(['mark-listed', {}]);
});

test('what the evidence does not carry is unknown', async () => {
  const url = await serve('paging=none', 'errors=fields', 'deleteAnswer=message');
  const { settings } = await learn(url, { models: ['brand', 'locker'] });
  // Three records show no parts, and the others have another form.
  for (const name of ['list.paging', 'errors.form', 'delete.answer'] as const)
    expect([name, settings.get(name)?.kind]).toEqual([name, 'unknown']);
});
