import { expect, test } from 'vitest';
import { startMockService } from '../../testing/mock-service.ts';
import { startRecordingProxy } from '../../testing/proxies/recording-proxy.ts';
import { startUnstable } from '../../testing/services/unstable/unstable.ts';
import { learn, useForeignService } from '../../testing/use-foreign-service.ts';

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
  const inner = await startMockService({ settings: { 'delete.effect': 'mark-listed' } });
  const service = await startUnstable({ ...inner, live: () => [] }, ['late-lists'], 400);
  const { profile } = await learn(closing(service).url, { models: ['brand', 'warehouse', 'locker'] });
  expect([profile['delete.effect'], profile.except]).toEqual(['mark-listed', {}]);
});

test('what the evidence does not carry is unknown', async () => {
  const url = await serve('paging=none', 'errors=fields', 'deleteAnswer=message');
  const { settings } = await learn(url, { models: ['brand', 'locker'] });
  // Three records show no parts, and the others have another form.
  for (const name of ['list.paging', 'errors.form', 'delete.answer'] as const)
    expect([name, settings.get(name)?.kind]).toEqual([name, 'unknown']);
});
