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

it('learning ends after a few requests with an error if the service is unavailable', async () => {
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

it('learning continues if only one model is unavailable', async () => {
  const [first] = catalogue.models.keys();
  const { found } = await learnStrange((url) =>
    url.pathname.endsWith(`/${first}`)
      ? { status: 503, headers: { 'retry-after': '0' } }
      : { body: recordsOf(IDS) },
  );
  expect(found('auth')).toBe('none');
});

it('if the service responds with 429 repeatedly, learning ends and deletes its records', async () => {
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

it('if the service disappears, learning ends and names the records that remain', async () => {
  let writes = 0;
  const baseUrl = await mockBehind(({ method }) => {
    if (method !== 'GET') writes++;
    return writes > 6 ? new Error('gone') : undefined;
  });
  await expect(observe({ baseUrl })).rejects.toThrow(/not removed: .*\/\d+/);
});

const { closing, serve } = useForeignService();

test('learn omits values that a rejection names, such as null, if the service rejects them', async () => {
  const message = '"language" must be one of [es, en, null, ]';
  const proxy = await startRecordingProxy(await serve(), ({ body }) => {
    const language = /"language":"(.*?)"/.exec(body)?.[1] ?? 'es';
    return ['es', 'en'].includes(language) ? undefined : { status: 422, body: { message } };
  });
  const { leftovers, profile, settings } = await learn(closing(proxy).url, { models: ['brand', 'customer'] });
  const values = { 'customer.language': ['es', 'en'] };
  expect([settings.get('values')?.kind, profile.values, leftovers]).toEqual(['found', values, []]);
});

test('lists that show writes with a delay lead to no deviations', async () => {
  const service = closing(await startMockService({ settings: { 'delete.effect': 'mark-listed' } }));
  const { url } = closing(await startRecordingProxy(service.url, lateLists(400)));
  const { profile } = await learn(url, { models: ['brand', 'warehouse'] });
  expect([profile['delete.effect'], profile.except]).toEqual(['mark-listed', {}]);
});

test('a setting without sufficient evidence is unknown', async () => {
  const url = await serve('paging=none', 'errors=fields', 'deleteAnswer=message');
  const { settings } = await learn(url, { models: ['brand', 'locker'] });
  // Three records show no parts, and the others have another form.
  for (const name of ['list.paging', 'errors.form', 'delete.answer'] as const)
    expect([name, settings.get(name)?.kind]).toEqual([name, 'unknown']);
});
