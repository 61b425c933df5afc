import { expect, test } from 'vitest';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { against, check } from '../../testing/checks.ts';
import { useLossyService } from '../../testing/proxies/use-lossy-service.ts';
import { useTarget } from '../../testing/proxies/use-target.ts';
import { ping } from './ping.ts';
import { createTarget } from './target.ts';

const { start } = useLossyService();
const { closing, recorder } = useTarget();
const connection = { pauses: [0, 0, 0, 0] };
const STARTING = [502, 503, 504];

test.each(STARTING)('a gateway that returns %i until its service is up is waited for', async (status) => {
  const { left, url } = await start((_, index) => (index < 12 ? { status } : undefined));
  const results = await check(url, { models: ['brand'], looks: [0], connection });
  expect([against(results), results.leftovers, left()]).toEqual([[], [], []]);
});

test.each(STARTING)(
  'one that returns %i to each list is not there, and no model is judged',
  async (status) => {
    const { url } = await recorder(() => ({ status }));
    const target = closing(createTarget({ baseUrl: url, ...connection }));
    await expect(ping(target, loadCatalogue())).rejects.toMatchObject({
      name: 'NoAnswer',
      message: `The service returned ${status} to the list of each of 53 models; try again later`,
    });
  },
);

test('after the first success, a 502 is a response like any other', async () => {
  const { asked, url } = await recorder((_, index) => (index === 1 ? { status: 502 } : { body: '[]' }));
  const target = closing(createTarget({ baseUrl: url, ...connection }));
  const read = async () => (await target.send({ method: 'GET', path: '/x' }, () => {})).status;
  expect([await read(), await read(), asked.length]).toEqual([200, 502, 2]);
});
