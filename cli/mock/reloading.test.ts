import { expect, test } from 'vitest';
import { carryOver } from '../../mock/carry-over.ts';
import { createMock } from '../../mock/mock.ts';
import { createReloading } from './reloading.ts';

test('what is sent while the files are read again is kept', async () => {
  const first = await createMock({ journal: 0 });
  const { reload, served } = createReloading(first);
  const carried = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  reload(async (old) => {
    const next = await createMock({ journal: 0 });
    await carryOver(old, next);
    carried.resolve();
    await end.promise;
    return next;
  });
  await carried.promise;
  const ignore = () => {};
  const sent = served.handle(
    {
      method: 'POST',
      target: '/api/model/brand',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"name":"meanwhile"}'),
    },
    ignore,
  );
  end.resolve();
  expect(await sent).toMatchObject({ status: 201 });
  const list = { method: 'GET', target: '/api/model/brand', headers: {}, body: undefined };
  const shown = await served.handle(list, ignore);
  expect(shown).toMatchObject({ body: expect.stringContaining('"meanwhile"') });
});
