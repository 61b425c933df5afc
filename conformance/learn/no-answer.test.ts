import { expect, it } from 'vitest';
import { catalogue } from '../../testing/checks.ts';
import { observe } from '../../testing/profile/learning.ts';
import { IDS, recordsOf, useStrangeService } from '../../testing/profile/strange-service.ts';
import { NoAnswer } from '../target/exchange.ts';

const { learn, mockBehind, start } = useStrangeService();

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
  const { found } = await learn((url) =>
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
