import { expect, test } from 'vitest';
import { createMock } from './mock.ts';
import { carryOver, createReloading, ongoingOf } from './reloading.ts';

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

test('probes are answered while the mock is replaced', async () => {
  const { reload, served } = createReloading(await createMock());
  const end = Promise.withResolvers<void>();
  const replaced = reload(async (old) => {
    await end.promise;
    return old;
  });
  for (const target of ['/__mock/live', '/__mock/ready'])
    expect(
      await served.handle({ method: 'GET', target, headers: {}, body: undefined }, () => {}),
    ).toMatchObject({ status: 200 });
  end.resolve();
  await replaced;
});

test('a mock goes on with the sessions, snapshots, faults, clocks and journals of the one before', async () => {
  const first = await createMock({ fixtures: { brand: [{ name: 'a' }, { name: 'b' }] } });
  const ask = async (mock: typeof first, session: string, method = 'GET', path = '') => {
    const url = `http://mock.invalid/__mock/sessions/${session}/api/model/brand${path}`;
    return (await mock.fetch(new Request(url, { method }))).status;
  };
  const [one, two] = [first.session('one'), first.session('two')];
  await ask(first, 'one', 'DELETE', '/1');
  await one.snapshot('kept');
  await first.fetch(
    new Request('http://mock.invalid/__mock/sessions/one/__mock/sessions', {
      method: 'POST',
      body: '{"name":"three","from":"kept"}',
    }),
  );
  await ask(first, 'three', 'DELETE', '/2');
  await two.fault({ status: 503, times: 2 });
  await two.clock.set({ now: new Date('2030-01-01T00:00:00Z'), frozen: true });
  expect(await ask(first, 'two')).toBe(503);

  const fixtures = { brand: [{ name: 'A' }, { name: 'B' }, { name: 'C' }] };
  const next = await createMock({ fixtures, ongoing: ongoingOf(first) });
  expect(await carryOver(first, next)).toEqual([]);
  // In the order of their last use.
  expect(await next.sessions()).toEqual(['default', 'one', 'three', 'two']);
  const shown = async (name: string) =>
    (await next.session(name).state()).brand?.filter(({ deleted }) => !deleted).map((brand) => brand.name);
  expect(await shown('one')).toEqual(['B', 'C']);
  expect(await shown('two')).toEqual(['A', 'B', 'C']);
  expect(await shown('three')).toEqual(['C']);
  await next.session('three').reset();
  expect(await shown('three')).toEqual(['B', 'C']);
  const later = next.session('two');
  expect([await ask(next, 'two'), await ask(next, 'two')]).toEqual([503, 200]);
  // IDs are unique in the mock, over its sessions and a reload.
  expect((await later.requests()).map(({ id, status }) => [id, status])).toEqual([
    [3, 503],
    [4, 503],
    [5, 200],
  ]);
  expect(await next.count({}, { sessions: 'all' })).toBe(4);
  expect(await later.clock.now()).toEqual(new Date('2030-01-01T00:00:00Z'));
  await later.reset();
  expect([await later.count(), await later.faults()]).toEqual([0, []]);
});
