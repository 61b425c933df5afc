import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { catalogue, references } from '../../testing/profile/learning.ts';
import { serve } from '../../testing/services/http-server.ts';
import { readOptions } from '../../testing/services/plain/options.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import type { Service } from '../../testing/services/service.ts';
import { createTarget } from '../target/target.ts';
import { type Learned, learnProfile } from './learn.ts';

/** Models with the fields that the tests are about. */
const FEW = new Set(['brand', 'customer', 'locker', 'voucher', 'voucherType']);

let service: Service | undefined;
afterEach(() => service?.close());

/** Learns a service that shares no code with the kit. */
async function learn(...words: string[]): Promise<Learned> {
  service = await startPlain({ dialect: readOptions(words) });
  return learnOf(service);
}

async function learnOf(service: Service): Promise<Learned> {
  const target = createTarget({ baseUrl: service.url });
  try {
    return await learnProfile({ catalogue, references, target, write: true, selected: FEW });
  } finally {
    await target.close();
  }
}

test('days from 0 to 6 are told from days from 1 to 7, with and without records that show them', async () => {
  for (const begins of ['with records', 'empty']) {
    const { profile, settings } = await learn('days=from zero', `begins=${begins}`);
    expect([settings.get('types.daysOfWeek')?.kind, profile['types.daysOfWeek']]).toEqual(['found', 'index']);
    await service?.close();
  }
});

test('what a refusal names beside the values of a list, as null, is none where it is refused', async () => {
  const plain = await startPlain();
  const message = '"language" must be one of [es, en, null, ]';
  const front = await serve(async (request, response) => {
    const { method = 'GET', url = '' } = request;
    const body = await text(request);
    const language = /"language":"(.*?)"/.exec(body)?.[1] ?? 'es';
    const reply = ['es', 'en'].includes(language)
      ? await fetch(plain.url + url, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(method === 'POST' ? { body } : {}),
        })
      : Response.json({ message }, { status: 422 });
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  });
  const served: Service = {
    ...plain,
    url: front.url,
    close: async () => void (await Promise.all([front.close(), plain.close()])),
  };
  service = served;
  const { leftovers, profile, settings } = await learnOf(served);
  expect([settings.get('values')?.kind, profile.values]).toEqual([
    'found',
    { 'customer.language': ['es', 'en'] },
  ]);
  expect(leftovers).toEqual([]);
});

describe('what the evidence does not carry is unknown', () => {
  test('that there are no parts, of three records', async () => {
    const { settings } = await learn('paging=none');
    expect(settings.get('list.paging')).toMatchObject({ kind: 'unknown' });
  });

  test('the body of an error and the answer to a delete, of another form', async () => {
    const { settings } = await learn('errors=fields', 'deleteAnswer=message');
    for (const name of ['errors.form', 'delete.answer'] as const)
      expect([name, settings.get(name)?.kind]).toEqual([name, 'unknown']);
  });
});
